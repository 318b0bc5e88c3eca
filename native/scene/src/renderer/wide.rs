//! Trees as rays walk through them: four children a node.

use super::blocks::{WideNode, MAX_WAITING};
use crate::bvh::{self, Bounds};
use crate::flat::FlatNode;
use std::collections::BTreeMap;

/// An entry: first item or node, and above it the number of items.
const ITEMS_SHIFT: u32 = 27;
/// Largest first item or node of an entry.
pub(crate) const MAX_FIRST: u32 = (1 << ITEMS_SHIFT) - 1;
/// Most items of a leaf: what five bits hold, less the marks.
pub(crate) const MAX_LEAF: u32 = 30;
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
    let heights = bvh::heights(nodes);
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
        let half_area = |child: &usize| Bounds::of(&nodes[*child]).half_area();
        let largest = inner.max_by(|a, b| half_area(a.1).total_cmp(&half_area(b.1)));
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

fn pack(nodes: &[FlatNode], children: &[usize], entries: &[u32]) -> WideNode {
    let of = |absent: f32, value: fn(&FlatNode) -> f32| {
        [0, 1, 2, 3].map(|i| {
            children
                .get(i)
                .map_or(absent, |&child| value(&nodes[child]))
        })
    };
    let entry = |i: usize| entries.get(i).copied().unwrap_or(0);
    WideNode {
        low_x: of(f32::INFINITY, |node| node.min_x),
        high_x: of(f32::NEG_INFINITY, |node| node.max_x),
        low_y: of(f32::INFINITY, |node| node.min_y),
        high_y: of(f32::NEG_INFINITY, |node| node.max_y),
        low_z: of(f32::INFINITY, |node| node.min_z),
        high_z: of(f32::NEG_INFINITY, |node| node.max_z),
        entry_0: entry(0),
        entry_1: entry(1),
        entry_2: entry(2),
        entry_3: entry(3),
        reserved: [0.0; 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    fn lows(node: &FlatNode) -> [f32; 3] {
        [node.min_x, node.min_y, node.min_z]
    }

    fn highs(node: &FlatNode) -> [f32; 3] {
        [node.max_x, node.max_y, node.max_z]
    }

    /// Bounds of a wide node's child; nothing where there is none.
    fn bounds_of(node: &WideNode, child: usize) -> Option<([f32; 3], [f32; 3])> {
        let low = [node.low_x, node.low_y, node.low_z].map(|of| of[child]);
        let high = [node.high_x, node.high_y, node.high_z].map(|of| of[child]);
        (low[0] <= high[0]).then_some((low, high))
    }

    /// Leaves below a wide node with their bounds; what lies above them holds them.
    fn leaves(trees: &WideTrees, entry: u32, found: &mut Vec<(u32, [f32; 3], [f32; 3])>) {
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
                    assert!(below_low[axis] >= low[axis]);
                    assert!(below_high[axis] <= high[axis]);
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
                assert_eq!((*low, *high), (lows(node), highs(node)));
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
