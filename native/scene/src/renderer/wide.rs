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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{self, Bounds};
    use glam::Vec3;

    /// Boxes that lie the closer the later they come: trees as deep as they may be.
    fn crowd(count: usize) -> Vec<FlatNode> {
        let bounds = |i: usize| {
            let far = if i % 3 == 0 {
                1.0
            } else {
                0.5f32.powi((i % 120) as i32)
            };
            let at = Vec3::new(i as f32 * 0.37 % 1.0, i as f32 * 0.71 % 1.0, 0.0) * far;
            Bounds {
                min: at,
                max: at + Vec3::splat(0.01 * far),
            }
        };
        let bounds: Vec<Bounds> = (0..count).map(bounds).collect();
        bvh::build(&bounds, bvh::LEAF).nodes
    }

    fn bytes_at(value: u32, child: usize) -> f64 {
        f64::from(value.to_le_bytes()[child])
    }

    /// Bounds of a wide node's child; nothing where there is none.
    fn bounds_of(node: &WideNode, child: usize) -> Option<([f64; 3], [f64; 3])> {
        let origin = [node.origin_x, node.origin_y, node.origin_z].map(f64::from);
        let scale = [node.scale_x, node.scale_y, node.scale_z].map(f64::from);
        let low = [node.low_x, node.low_y, node.low_z].map(|b| bytes_at(b, child));
        let high = [node.high_x, node.high_y, node.high_z].map(|b| bytes_at(b, child));
        let at = |bytes: [f64; 3]| [0, 1, 2].map(|i| origin[i] + scale[i] * bytes[i]);
        (low[0] <= high[0]).then(|| (at(low), at(high)))
    }

    /// Leaves below a wide node with their bounds; what lies above them holds them.
    fn leaves(trees: &WideTrees, entry: u32, found: &mut Vec<(u32, [f64; 3], [f64; 3])>) {
        let node = trees.nodes[entry as usize];
        let entries = [node.entry_0, node.entry_1, node.entry_2, node.entry_3];
        for (child, entry) in entries.into_iter().enumerate() {
            let Some((low, high)) = bounds_of(&node, child) else {
                continue;
            };
            if entry > MAX_FIRST {
                found.push((entry, low, high));
                continue;
            }
            let before = found.len();
            leaves(trees, entry, found);
            for (_, below_low, below_high) in &found[before..] {
                for axis in 0..3 {
                    // Leaves are packed more finely than what is above them.
                    let step = (high[axis] - low[axis]) / 100.0 + 1e-6;
                    assert!(below_low[axis] >= low[axis] - step);
                    assert!(below_high[axis] <= high[axis] + step);
                }
            }
        }
    }

    #[test]
    fn wide_trees_have_every_leaf_within_its_bounds() {
        for count in [1, 2, 5, 100, 3000] {
            let nodes = crowd(count);
            let trees = widen(&nodes);
            assert_eq!(trees.roots.len(), 1);
            let root = trees.roots[&0];
            if root > MAX_FIRST {
                assert_eq!(root, leaf_entry(&nodes[0]));
                continue;
            }
            let mut found = Vec::new();
            leaves(&trees, root, &mut found);
            let mut expected: Vec<_> = nodes.iter().filter(|node| node.count > 0).collect();
            found.sort_by_key(|leaf| leaf.0);
            expected.sort_by_key(|node| leaf_entry(node));
            assert_eq!(found.len(), expected.len());
            for ((entry, low, high), node) in found.iter().zip(expected) {
                assert_eq!(*entry, leaf_entry(node));
                for axis in 0..3 {
                    assert!(low[axis] < f64::from(lows(node)[axis]));
                    assert!(high[axis] > f64::from(highs(node)[axis]));
                }
            }
        }
    }

    #[test]
    fn no_more_entries_wait_than_there_is_room_for() {
        let nodes = crowd(3000);
        assert!(bvh::depth(&nodes) > 16, "{}", bvh::depth(&nodes));
        let trees = widen(&nodes);
        assert!(trees.waiting <= MAX_WAITING);
        assert!(trees.nodes.len() < nodes.len() / 3, "{}", trees.nodes.len());
    }

    #[test]
    fn trees_beside_each_other_keep_their_roots() {
        let first = crowd(100);
        let mut nodes = first.clone();
        let base = nodes.len() as u32;
        nodes.extend(first.iter().map(|node| FlatNode {
            first: if node.count > 0 {
                node.first
            } else {
                node.first + base
            },
            ..*node
        }));
        let trees = widen(&nodes);
        let roots: Vec<u32> = trees.roots.keys().copied().collect();
        assert_eq!(roots, [0, base]);
        assert_eq!(trees.roots[&base] as usize * 2, trees.nodes.len());
    }
}
