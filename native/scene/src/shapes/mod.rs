//! Procedural surfaces and pictures.

mod foliage;
mod parametric;
mod sphere;

pub use foliage::{branch, grass, leaf_picture, tree_crown};
pub use parametric::{cloth, grid, heights, knot, lathe, superellipsoid, torus, tube};
pub use sphere::{boulder, icosphere};

use crate::world::{Surface, Vertex};
use glam::{Affine3A, Quat, Vec2, Vec3};

/// A box from -1 to 1 of 12 triangles, for parts of larger meshes; u and v run 0..1 over each side.
pub fn cuboid() -> Surface {
    let mut surface = Surface::default();
    for turn in [
        Quat::IDENTITY,
        Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
        Quat::from_rotation_y(std::f32::consts::PI),
        Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2),
        Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
        Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
    ] {
        let side = Affine3A::from_quat(turn) * Affine3A::from_translation(Vec3::Z);
        surface.add(&card(), side);
    }
    surface
}

/// A flat square from (-1, -1, 0) to (1, 1, 0), seen from +z; v runs downwards.
pub fn card() -> Surface {
    let corner = |x: f32, y: f32| Vertex {
        position: Vec3::new(x, y, 0.0),
        normal: Vec3::Z,
        uv: Vec2::new(0.5 + 0.5 * x, 0.5 - 0.5 * y),
    };
    Surface {
        vertices: vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

/// Smooth noise in about -1..1, the same on every machine; `seed` chooses among fields.
pub fn noise(p: Vec3, seed: u32) -> f32 {
    let cell = p.floor();
    let f = p - cell;
    let s = f * f * (3.0 - 2.0 * f);
    let at = |dx: i32, dy: i32, dz: i32| {
        let key = (cell.x as i32 + dx)
            .wrapping_mul(73_856_093)
            .wrapping_add((cell.y as i32 + dy).wrapping_mul(19_349_663))
            .wrapping_add((cell.z as i32 + dz).wrapping_mul(83_492_791));
        2.0 * crate::world::scramble(key as u32, seed) - 1.0
    };
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let row = |y: i32, z: i32| mix(at(0, y, z), at(1, y, z), s.x);
    let plane = |z: i32| mix(row(0, z), row(1, z), s.y);
    mix(plane(0), plane(1), s.z)
}

/// Four octaves of [`noise`], each twice as fine and half as strong.
pub fn rough_noise(p: Vec3, seed: u32) -> f32 {
    (0..4)
        .map(|i| {
            let fine = (1 << i) as f32;
            noise(p * fine, seed + i) / fine
        })
        .sum::<f32>()
        / 1.875
}
