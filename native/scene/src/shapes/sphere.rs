//! Spheres of even triangles, and stones made from them.

use super::rough_noise;
use crate::world::{Surface, Vertex};
use glam::{Vec2, Vec3};
use std::collections::HashMap;
use std::f32::consts::{PI, TAU};

/// A unit sphere of 20 * 4^level triangles.
pub fn icosphere(level: u32) -> Surface {
    let golden = (1.0 + 5f32.sqrt()) / 2.0;
    let mut points: Vec<Vec3> = Vec::new();
    for (a, b) in [
        (1.0, golden),
        (-1.0, golden),
        (1.0, -golden),
        (-1.0, -golden),
    ] {
        points.push(Vec3::new(a, b, 0.0).normalize());
        points.push(Vec3::new(0.0, a, b).normalize());
        points.push(Vec3::new(b, 0.0, a).normalize());
    }
    // Faces are all triples at edge length, turned outwards.
    let edge2 = points[1..]
        .iter()
        .map(|p| 1.01 * p.distance_squared(points[0]))
        .fold(f32::INFINITY, f32::min);
    let near = |a: usize, b: usize| points[a].distance_squared(points[b]) < edge2;
    let mut faces: Vec<[u32; 3]> = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(a, c) {
                    let out = (points[b] - points[a]).cross(points[c] - points[a]);
                    faces.push(if out.dot(points[a]) > 0.0 {
                        [a, b, c].map(|i| i as u32)
                    } else {
                        [a, c, b].map(|i| i as u32)
                    });
                }
            }
        }
    }
    for _ in 0..level {
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let mut finer = Vec::with_capacity(faces.len() * 4);
        for [a, b, c] in faces {
            let mut middle = |i: u32, j: u32| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    points.push((points[i as usize] + points[j as usize]).normalize());
                    points.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        faces = finer;
    }
    Surface {
        vertices: points
            .into_iter()
            .map(|p| Vertex {
                position: p,
                normal: p,
                // Longitude and latitude; the seam runs through one row of triangles.
                uv: Vec2::new(p.z.atan2(p.x) / TAU + 0.5, p.y.clamp(-1.0, 1.0).acos() / PI),
            })
            .collect(),
        triangles: faces,
    }
}

/// A stone: a sphere pushed in and out by noise of strength `rough`, `fine` bumps across.
pub fn boulder(level: u32, rough: f32, fine: f32, seed: u32) -> Surface {
    let mut surface = icosphere(level);
    surface.displace(|v| v.position * (1.0 + rough * rough_noise(v.position * fine, seed)));
    surface.smooth(|i| i);
    surface
}
