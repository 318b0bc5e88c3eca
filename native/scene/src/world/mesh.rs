//! Triangle meshes with their trees, and the vertices they are made from.

use crate::bvh::{self, Bounds};
use crate::flat::{FlatNode, FlatTriangle};
use glam::{Affine3A, Vec2, Vec3};

/// A corner of triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vertex {
    /// Object space.
    pub position: Vec3,
    /// Unit, object space.
    pub normal: Vec3,
    /// Of pictures and patterns.
    pub uv: Vec2,
}

/// Triangles in the making.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    /// Corners.
    pub vertices: Vec<Vertex>,
    /// Three corners each, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Adds another surface, moved, turned or scaled.
    pub fn add(&mut self, other: &Surface, transform: Affine3A) {
        let base = self.vertices.len() as u32;
        let normals = transform.matrix3.inverse().transpose();
        self.vertices.extend(other.vertices.iter().map(|v| Vertex {
            position: transform.transform_point3(v.position),
            normal: (normals * v.normal).normalize_or(v.normal),
            uv: v.uv,
        }));
        self.triangles
            .extend(other.triangles.iter().map(|t| t.map(|i| base + i)));
    }

    /// Normals from the faces around each corner, weighted by area. Corners with equal `group` share theirs.
    pub fn smooth(&mut self, group: impl Fn(usize) -> usize) {
        let mut sums = vec![Vec3::ZERO; self.vertices.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| self.vertices[i as usize].position);
            let area = (b - a).cross(c - a);
            for &i in triangle {
                sums[group(i as usize)] += area;
            }
        }
        for (i, vertex) in self.vertices.iter_mut().enumerate() {
            vertex.normal = sums[group(i)].normalize_or(Vec3::Y);
        }
    }

    /// Changes every position; normals must be made anew.
    pub fn displace(&mut self, to: impl Fn(&Vertex) -> Vec3) {
        for vertex in &mut self.vertices {
            vertex.position = to(vertex);
        }
    }

    /// The mesh of this surface. Triangles without area are dropped.
    pub fn mesh(&self) -> Mesh {
        let triangles: Vec<FlatTriangle> = self
            .triangles
            .iter()
            .map(|corners| corners.map(|i| self.vertices[i as usize]))
            .filter(|[a, b, c]| {
                (b.position - a.position)
                    .cross(c.position - a.position)
                    .length_squared()
                    > 0.0
            })
            .map(|[a, b, c]| FlatTriangle {
                position_0: a.position.extend(a.uv.x).to_array(),
                position_1: b.position.extend(b.uv.x).to_array(),
                position_2: c.position.extend(c.uv.x).to_array(),
                normal_0: a.normal.extend(a.uv.y).to_array(),
                normal_1: b.normal.extend(b.uv.y).to_array(),
                normal_2: c.normal.extend(c.uv.y).to_array(),
            })
            .collect();
        let bounds: Vec<Bounds> = triangles
            .iter()
            .map(|t| Bounds::around(corners(t)))
            .collect();
        let tree = bvh::build(&bounds, bvh::LEAF);
        Mesh {
            triangles: tree.order.iter().map(|&i| triangles[i as usize]).collect(),
            nodes: tree.nodes,
            bounds: bounds.into_iter().fold(Bounds::EMPTY, Bounds::union),
        }
    }
}

/// Positions of a triangle's corners.
pub fn corners(triangle: &FlatTriangle) -> [Vec3; 3] {
    [
        triangle.position_0,
        triangle.position_1,
        triangle.position_2,
    ]
    .map(|p| Vec3::new(p[0], p[1], p[2]))
}

/// A finished mesh: triangles in the order of their tree's leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// Object space.
    pub triangles: Vec<FlatTriangle>,
    /// Tree; indices count within this mesh.
    pub nodes: Vec<FlatNode>,
    /// Around all triangles, object space.
    pub bounds: Bounds,
}
