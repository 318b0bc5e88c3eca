//! Foliage: cards with holes in their pictures, blades of grass, twigs.

use super::card;
use crate::world::{scramble, Picture, Surface, Vertex};
use glam::{Affine3A, Quat, Vec2, Vec3};
use std::f32::consts::TAU;

/// A twig of leaves on a clear ground, `side` texels square: green shades in sRGB, coverage in alpha.
///
/// `leaves` leaflets of width `wide` (share of their length) stand along a stem that rises from the bottom.
pub fn leaf_picture(side: u32, leaves: u32, wide: f32, tint: [f32; 3], seed: u32) -> Picture {
    let at = |x: u32, y: u32| {
        let p = Vec2::new(
            (x as f32 + 0.5) / side as f32 * 2.0 - 1.0,
            1.0 - (y as f32 + 0.5) / side as f32,
        );
        let stem = 0.16 * (1.0 - p.y);
        let mut shade = (p.x.abs() < 0.012 + 0.1 * stem && p.y < 0.95).then_some(0.35);
        for i in 0..leaves {
            let share = (i as f32 + 0.7) / leaves as f32;
            let left = if i % 2 == 0 { -1.0 } else { 1.0 };
            let angle = 1.0 - 0.9 * share + 0.25 * (scramble(i, seed) - 0.5);
            let along = Vec2::new(left * angle.sin(), angle.cos());
            let length = 0.62 - 0.3 * share + 0.1 * scramble(i, seed + 1);
            let from = Vec2::new(0.0, 0.06 + 0.62 * share);
            let (s, t) = (
                (p - from).dot(along) / length,
                (p - from).perp_dot(along) / (length * wide),
            );
            if !(0.0..1.0).contains(&s) {
                continue;
            }
            let edge = (s * std::f32::consts::PI).sin() * (1.15 - 0.5 * s);
            if t.abs() < edge {
                let vein = if t.abs() < 0.07 { 0.25 } else { 0.0 };
                let light = 0.62 + 0.3 * scramble(i, seed + 2) + 0.12 * s - vein * 0.5;
                shade = Some(light - 0.1 * t.abs());
            }
        }
        let light = shade.unwrap_or(0.55);
        let channel = |c: f32| (255.0 * (c * light).clamp(0.0, 1.0)) as u8;
        let [r, g, b] = tint.map(channel);
        [r, g, b, if shade.is_some() { 255 } else { 0 }]
    };
    Picture::draw(side, side, true, at)
}

/// Cards of twigs around a centre: a bush or the crown of a tree of radius 1, `cards` cards of half size `size`.
pub fn tree_crown(cards: u32, size: f32, seed: u32) -> Surface {
    let twig = card();
    let mut surface = Surface::default();
    for i in 0..cards {
        let draw = |what: u32| scramble(i, seed + what);
        let height = 2.0 * draw(0) - 1.0;
        let (sine, cosine) = (TAU * draw(1)).sin_cos();
        let out = (1.0 - height * height).sqrt();
        let direction = Vec3::new(out * cosine, height, out * sine);
        let radius = 0.35 + 0.65 * draw(2).sqrt();
        let turn = Quat::from_rotation_arc(
            Vec3::Y,
            (direction + 0.7 * Vec3::new(draw(3) - 0.5, draw(4), draw(5) - 0.5)).normalize(),
        ) * Quat::from_rotation_y(TAU * draw(6));
        let scale = Vec3::splat(size * (0.7 + 0.6 * draw(7)));
        surface.add(
            &twig,
            Affine3A::from_scale_rotation_translation(scale, turn, direction * radius),
        );
    }
    // Normals point outwards from the crown: light wraps it as one body.
    for vertex in &mut surface.vertices {
        let out = vertex.position.normalize_or(Vec3::Y);
        vertex.normal = (out + 0.6 * vertex.normal).normalize_or(out);
    }
    surface
}

/// Blades of grass over a disc of radius 1; `height` of the blades, `wide` their half width.
pub fn grass(blades: u32, height: f32, wide: f32, seed: u32) -> Surface {
    let mut surface = Surface::default();
    for i in 0..blades {
        let draw = |what: u32| scramble(i, seed + what);
        let (sine, cosine) = (TAU * draw(0)).sin_cos();
        let radius = draw(1).sqrt();
        let root = Vec3::new(radius * cosine, 0.0, radius * sine);
        let (lean_sine, lean_cosine) = (TAU * draw(2)).sin_cos();
        let lean = Vec3::new(lean_cosine, 0.0, lean_sine);
        let side = Vec3::new(-lean_sine, 0.0, lean_cosine) * wide;
        let tall = height * (0.5 + draw(3));
        let bend = tall * (0.15 + 0.6 * draw(4));
        let middle = root + lean * bend * 0.3 + Vec3::Y * tall * 0.6;
        let tip = root + lean * bend + Vec3::Y * tall;
        let base = surface.vertices.len() as u32;
        let normal = (Vec3::Y * 0.8 + lean * 0.6).normalize();
        for (position, uv) in [
            (root - side, Vec2::new(0.0, 1.0)),
            (root + side, Vec2::new(1.0, 1.0)),
            (middle - side * 0.7, Vec2::new(0.0, 0.4)),
            (middle + side * 0.7, Vec2::new(1.0, 0.4)),
            (tip, Vec2::new(0.5, 0.0)),
        ] {
            surface.vertices.push(Vertex {
                position,
                normal,
                uv,
            });
        }
        for t in [[0, 1, 3], [0, 3, 2], [2, 3, 4]] {
            surface.triangles.push(t.map(|i| base + i));
        }
    }
    surface
}

/// A trunk with boughs, from the origin up to height 1: tubes that taper in steps.
pub fn branch(boughs: u32, seed: u32) -> Surface {
    let mut surface = Surface::default();
    let path = |from: Vec3, to: Vec3, bend: Vec3| -> Vec<Vec3> {
        (0..=6)
            .map(|i| {
                let t = i as f32 / 6.0;
                from.lerp(to, t) + bend * (4.0 * t * (1.0 - t))
            })
            .collect()
    };
    let sway = |i: u32| Vec3::new(scramble(i, seed) - 0.5, 0.0, scramble(i, seed + 1) - 0.5);
    let trunk = path(Vec3::ZERO, Vec3::Y + 0.1 * sway(100), 0.12 * sway(101));
    surface.add(&super::tube(&trunk, 0.045, 10), Affine3A::IDENTITY);
    for i in 0..boughs {
        let from = trunk[(3 + i % 3) as usize];
        let (sine, cosine) =
            (TAU * (i as f32 / boughs as f32 + 0.2 * scramble(i, seed + 2))).sin_cos();
        let out = Vec3::new(0.8 * cosine, 0.9 + 0.6 * scramble(i, seed + 3), 0.8 * sine);
        let bough = path(from, from + out * 0.25, 0.08 * sway(i) - Vec3::Y * 0.03);
        surface.add(&super::tube(&bough, 0.011, 6), Affine3A::IDENTITY);
    }
    surface
}
