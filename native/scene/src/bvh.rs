//! Bounding volume hierarchies: binned surface-area splits, limited depth, refit of moved items.

use crate::flat::{FlatNode, MAX_TREE_DEPTH};
use glam::Vec3;

/// Candidate planes along an axis.
const BINS: usize = 12;
/// Most items of a leaf whose items are as cheap as triangles.
pub const LEAF: usize = 4;
/// Cost of a node visit in item tests.
const VISIT: f32 = 1.0;

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Bounds {
    /// Holds nothing.
    pub const EMPTY: Bounds = Bounds {
        min: Vec3::INFINITY,
        max: Vec3::NEG_INFINITY,
    };

    /// Around points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Bounds::EMPTY, |b, p| Bounds {
            min: b.min.min(p),
            max: b.max.max(p),
        })
    }

    /// Around both.
    pub fn union(self, other: Bounds) -> Self {
        Bounds {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Grown by more than the rounding of a ray test, so that flat items have thickness.
    pub fn padded(self) -> Self {
        let size = self.min.abs().max(self.max.abs());
        let by = Vec3::splat(1e-7) + size * 2e-6;
        Bounds {
            min: self.min - by,
            max: self.max + by,
        }
    }

    /// Half of the surface.
    pub(crate) fn half_area(self) -> f32 {
        let d = (self.max - self.min).max(Vec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }

    /// Those of a node.
    pub(crate) fn of(node: &FlatNode) -> Self {
        Bounds {
            min: Vec3::new(node.min_x, node.min_y, node.min_z),
            max: Vec3::new(node.max_x, node.max_y, node.max_z),
        }
    }

    fn node(self, first: u32, count: u32) -> FlatNode {
        FlatNode {
            min_x: self.min.x,
            min_y: self.min.y,
            min_z: self.min.z,
            first,
            max_x: self.max.x,
            max_y: self.max.y,
            max_z: self.max.z,
            count,
        }
    }
}

/// A tree over items.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Root first, children behind their parent. Empty without items.
    pub nodes: Vec<FlatNode>,
    /// Item of each place in the leaves: leaf items count places.
    pub order: Vec<u32>,
}

/// Builds a tree over items of these bounds, at most `leaf` of them in a leaf.
pub fn build(bounds: &[Bounds], leaf: usize) -> Tree {
    let mut order: Vec<u32> = (0..bounds.len() as u32).collect();
    if bounds.is_empty() {
        return Tree {
            nodes: Vec::new(),
            order,
        };
    }
    let mut nodes = Vec::with_capacity(bounds.len());
    let whole = bounds.iter().fold(Bounds::EMPTY, |a, &b| a.union(b));
    nodes.push(whole.node(0, bounds.len() as u32));
    // Node, its items, its depth counted in nodes from the root.
    let mut open = vec![(0usize, 0usize, bounds.len(), 1usize)];
    while let Some((node, from, to, depth)) = open.pop() {
        let items = &mut order[from..to];
        let own = Bounds::of(&nodes[node]);
        let Some(middle) = split(bounds, items, own, depth, leaf) else {
            continue;
        };
        let first = nodes.len();
        nodes[node].first = first as u32;
        nodes[node].count = 0;
        for (a, b) in [(from, from + middle), (from + middle, to)] {
            let part = order[a..b]
                .iter()
                .fold(Bounds::EMPTY, |sum, &i| sum.union(bounds[i as usize]));
            open.push((nodes.len(), a, b, depth + 1));
            nodes.push(part.node(a as u32, (b - a) as u32));
        }
    }
    for node in &mut nodes {
        *node = Bounds::of(node).padded().node(node.first, node.count);
    }
    Tree { nodes, order }
}

/// Sorts `items` into two parts and gives the size of the first; nothing where they should stay one leaf.
fn split(
    bounds: &[Bounds],
    items: &mut [u32],
    own: Bounds,
    depth: usize,
    leaf: usize,
) -> Option<usize> {
    let count = items.len();
    if count <= leaf.min(2) {
        return None;
    }
    // Twice the centre: the factor does not matter and saves a product.
    let center = |item: u32| bounds[item as usize].min + bounds[item as usize].max;
    let centers = Bounds::around(items.iter().map(|&i| center(i)));
    let extent = centers.max - centers.min;
    let levels_needed = usize::BITS - (count.div_ceil(leaf) - 1).leading_zeros();
    if depth + levels_needed as usize + 1 >= MAX_TREE_DEPTH || extent.max_element() <= 0.0 {
        if count <= leaf {
            return None;
        }
        let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b]))?;
        items.select_nth_unstable_by(count / 2, |&a, &b| {
            (center(a)[axis], a)
                .partial_cmp(&(center(b)[axis], b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        return Some(count / 2);
    }
    let mut best = (f32::INFINITY, 0usize, 0usize);
    for axis in 0..3 {
        if extent[axis] <= 0.0 {
            continue;
        }
        let mut bins = [(Bounds::EMPTY, 0u32); BINS];
        for &item in items.iter() {
            let bin = &mut bins[bin_of(center(item)[axis], centers, axis)];
            *bin = (bin.0.union(bounds[item as usize]), bin.1 + 1);
        }
        let mut right = [0.0; BINS];
        let mut sum = (Bounds::EMPTY, 0);
        for i in (1..BINS).rev() {
            sum = (sum.0.union(bins[i].0), sum.1 + bins[i].1);
            right[i] = sum.0.half_area() * sum.1 as f32;
        }
        sum = (Bounds::EMPTY, 0);
        for i in 1..BINS {
            sum = (sum.0.union(bins[i - 1].0), sum.1 + bins[i - 1].1);
            let cost = sum.0.half_area() * sum.1 as f32 + right[i];
            if sum.1 > 0 && sum.1 < count as u32 && cost < best.0 {
                best = (cost, axis, i);
            }
        }
    }
    let (cost, axis, plane) = best;
    let area = own.half_area().max(f32::MIN_POSITIVE);
    if count <= leaf && VISIT + cost / area >= count as f32 {
        return None;
    }
    let mut middle = 0;
    for i in 0..count {
        if bin_of(center(items[i])[axis], centers, axis) < plane {
            items.swap(i, middle);
            middle += 1;
        }
    }
    Some(middle)
}

fn bin_of(center: f32, centers: Bounds, axis: usize) -> usize {
    let share = (center - centers.min[axis]) / (centers.max[axis] - centers.min[axis]);
    ((share * BINS as f32) as usize).min(BINS - 1)
}

/// Fits the bounds of a tree to items that moved; `bounds` gives those of the item at a place of the leaves.
pub fn refit(nodes: &mut [FlatNode], bounds: impl Fn(u32) -> Bounds) {
    for i in (0..nodes.len()).rev() {
        let node = nodes[i];
        let fitted = if node.count > 0 {
            (node.first..node.first + node.count)
                .fold(Bounds::EMPTY, |sum, place| sum.union(bounds(place)))
                .padded()
        } else {
            let first = node.first as usize;
            Bounds::of(&nodes[first]).union(Bounds::of(&nodes[first + 1]))
        };
        nodes[i] = fitted.node(node.first, node.count);
    }
}

/// Expected item tests and node visits of a ray that meets the root: how good a tree is.
pub fn cost(nodes: &[FlatNode]) -> f32 {
    let Some(root) = nodes.first() else {
        return 0.0;
    };
    let area = Bounds::of(root).half_area().max(f32::MIN_POSITIVE);
    nodes
        .iter()
        .map(|node| Bounds::of(node).half_area() / area * (node.count as f32).max(VISIT))
        .sum()
}

/// Nodes on the longest way from the root to a leaf.
pub fn depth(nodes: &[FlatNode]) -> usize {
    heights(nodes).into_iter().max().unwrap_or(0) as usize
}

/// Nodes on the longest way down from each node, itself too. Children lie behind their parent.
pub(crate) fn heights(nodes: &[FlatNode]) -> Vec<u32> {
    let mut heights = vec![1; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        if node.count == 0 {
            let first = node.first as usize;
            heights[i] = 1 + heights[first].max(heights[first + 1]);
        }
    }
    heights
}
