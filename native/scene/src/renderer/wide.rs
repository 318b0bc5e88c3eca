//! Trees as rays walk through them: four children a node, their bounds in bytes.

use super::blocks::{WideNode, MAX_WAITING};
use crate::flat::FlatNode;
use std::collections::BTreeMap;

/// An entry: first item or node, and above it the number of items.
const ITEMS_SHIFT: u32 = 27;
/// Largest first item or node of an entry.
pub(crate) const MAX_FIRST: u32 = (1 << ITEMS_SHIFT) - 1;
/// Most items of a leaf: what five bits hold, less the marks.
pub(crate) const MAX_LEAF: u32 = 30;
/// A byte's steps over the bounds of a node.
const STEPS: f64 = 255.0;
/// Bounds grow by this share of their size: more than rays lose by rounding.
const GROWTH: f64 = 1e-6;

/// Wide trees beside each other.
#[derive(Debug, Default)]
pub(crate) struct WideTrees {
    pub nodes: Vec<WideNode>,
    /// Entry of the tree below each root.
    pub roots: BTreeMap<u32, u32>,
    /// Most entries that wait while a ray is on its way to a leaf.
    pub waiting: u32,
}

/// Makes the trees of all roots wide. Children lie behind their parent, as [`crate::bvh::build`] has them.
pub(crate) fn widen(nodes: &[FlatNode]) -> WideTrees {
    let heights = heights(nodes);
    let mut is_root = vec![true; nodes.len()];
    for node in nodes.iter().filter(|node| node.count == 0) {
        let first = node.first as usize;
        is_root[first..first + 2].fill(false);
    }
    let mut trees = WideTrees::default();
    for root in (0..nodes.len()).filter(|&i| is_root[i]) {
        let entry = trees.add(nodes, &heights, root);
        trees.roots.insert(root as u32, entry);
    }
    trees
}

/// Nodes on the longest way down from each node, itself too.
fn heights(nodes: &[FlatNode]) -> Vec<u32> {
    let mut heights = vec![1; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        if node.count == 0 {
            let first = node.first as usize;
            heights[i] = 1 + heights[first].max(heights[first + 1]);
        }
    }
    heights
}

impl WideTrees {
    fn add(&mut self, nodes: &[FlatNode], heights: &[u32], root: usize) -> u32 {
        if nodes[root].count > 0 {
            return leaf_entry(&nodes[root]);
        }
        let entry = self.nodes.len() as u32;
        self.nodes.push(WideNode::get(&[0; WideNode::SIZE]));
        // Node, its place among the wide ones, entries that wait above it.
        let mut open = vec![(root, entry as usize, 0)];
        while let Some((node, place, waiting)) = open.pop() {
            let children = children(nodes, heights, node, waiting);
            let waiting = waiting + children.len() as u32 - 1;
            self.waiting = self.waiting.max(waiting);
            let mut entries = Vec::with_capacity(4);
            for &child in &children {
                if nodes[child].count > 0 {
                    entries.push(leaf_entry(&nodes[child]));
                } else {
                    open.push((child, self.nodes.len(), waiting));
                    entries.push(self.nodes.len() as u32);
                    self.nodes.push(WideNode::get(&[0; WideNode::SIZE]));
                }
            }
            self.nodes[place] = pack(nodes, &children, &entries);
        }
        entry
    }
}

fn leaf_entry(node: &FlatNode) -> u32 {
    node.first | node.count << ITEMS_SHIFT
}

/// Two to four nodes that together are all of `node`: the largest are opened first, while enough may still wait.
fn children(nodes: &[FlatNode], heights: &[u32], node: usize, waiting: u32) -> Vec<usize> {
    let first = nodes[node].first as usize;
    let mut children = vec![first, first + 1];
    while children.len() < 4 {
        let inner = children.iter().enumerate();
        let inner = inner.filter(|(_, &child)| nodes[child].count == 0);
        let largest =
            inner.max_by(|a, b| half_area(&nodes[*a.1]).total_cmp(&half_area(&nodes[*b.1])));
        let Some((at, &child)) = largest else { break };
        let below = nodes[child].first as usize;
        let mut opened = children.clone();
        opened[at] = below;
        opened.push(below + 1);
        // Of two children at least one waits on each level further down.
        let highest = opened
            .iter()
            .map(|&child| heights[child])
            .max()
            .unwrap_or(0);
        if waiting + opened.len() as u32 - 1 + highest - 1 > MAX_WAITING {
            break;
        }
        children = opened;
    }
    children
}

fn half_area(node: &FlatNode) -> f32 {
    let [x, y, z] = [
        node.max_x - node.min_x,
        node.max_y - node.min_y,
        node.max_z - node.min_z,
    ];
    x * y + y * z + z * x
}

fn lows(node: &FlatNode) -> [f32; 3] {
    [node.min_x, node.min_y, node.min_z]
}

fn highs(node: &FlatNode) -> [f32; 3] {
    [node.max_x, node.max_y, node.max_z]
}

fn pack(nodes: &[FlatNode], children: &[usize], entries: &[u32]) -> WideNode {
    let mut origin = [0.0f32; 3];
    let mut scale = [0.0f32; 3];
    let mut low = [[255u8; 4]; 3];
    let mut high = [[0u8; 4]; 3];
    for axis in 0..3 {
        let least = children.iter().map(|&c| f64::from(lows(&nodes[c])[axis]));
        let least = least.fold(f64::INFINITY, f64::min);
        let most = children.iter().map(|&c| f64::from(highs(&nodes[c])[axis]));
        let most = most.fold(f64::NEG_INFINITY, f64::max);
        let grown = GROWTH * (most - least) + f64::from(f32::EPSILON) * least.abs().max(most.abs());
        origin[axis] = (least - grown) as f32;
        let step = ((most + grown - f64::from(origin[axis])) / STEPS * (1.0 + 1e-6)) as f32;
        scale[axis] = step.max(f32::MIN_POSITIVE);
        for (i, &child) in children.iter().enumerate() {
            let of =
                |value: f32| (f64::from(value) - f64::from(origin[axis])) / f64::from(scale[axis]);
            // A share of a step covers the rounding at an edge.
            low[axis][i] = (of(lows(&nodes[child])[axis]) - 1e-3)
                .floor()
                .clamp(0.0, STEPS) as u8;
            high[axis][i] = (of(highs(&nodes[child])[axis]) + 1e-3)
                .ceil()
                .clamp(0.0, STEPS) as u8;
        }
    }
    let bytes = u32::from_le_bytes;
    // Should rounding let a ray into a child that is not there, it does no harm to see the first one twice.
    let entry = |i: usize| entries.get(i).copied().unwrap_or(entries[0]);
    WideNode {
        origin_x: origin[0],
        origin_y: origin[1],
        origin_z: origin[2],
        scale_x: scale[0],
        scale_y: scale[1],
        scale_z: scale[2],
        low_x: bytes(low[0]),
        high_x: bytes(high[0]),
        low_y: bytes(low[1]),
        high_y: bytes(high[1]),
        low_z: bytes(low[2]),
        high_z: bytes(high[2]),
        entry_0: entry(0),
        entry_1: entry(1),
        entry_2: entry(2),
        entry_3: entry(3),
    }
}
