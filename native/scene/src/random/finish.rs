//! Materials of random worlds.

use super::dice::Dice;
use super::knobs::Knobs;
use crate::shapes;
use crate::world::{Material, Pattern, Picture, Pictures, World};
use glam::Vec3;

const PATTERNS: [Pattern; 5] = [
    Pattern::Checker,
    Pattern::Stripes,
    Pattern::Grid,
    Pattern::Noise,
    Pattern::Glyphs,
];

/// A colour of the kind that things have: often dull, seldom pure, never black or beyond what paint reflects.
fn paint(dice: &mut Dice) -> Vec3 {
    let saturation = dice.unit().powf(1.3) * 0.95;
    Dice::hue(dice.unit(), saturation, dice.log_range(0.06, 0.85))
}

/// Any surface; the smallest period of its pattern is `fine` in uv.
pub(super) fn surface(world: &mut World, dice: &mut Dice, knobs: &Knobs, fine: f32) -> usize {
    let kind = dice.unit();
    let mut material = Material::matte(0.5, 0.5, 0.5);
    material.base_color = paint(dice);
    material.roughness = dice.range(0.15, 1.0);
    if kind < knobs.mirrors {
        material.metallic = 1.0;
        material.roughness = 0.0;
        material.base_color = Vec3::splat(0.92);
    } else if kind < knobs.mirrors + knobs.metals {
        material.metallic = 1.0;
        material.roughness = dice.range(0.05, 0.6);
        let warm = dice.unit();
        material.base_color = Vec3::new(0.95, 0.93, 0.9)
            .lerp(Vec3::new(0.95, 0.6, 0.3), warm * warm)
            * dice.range(0.5, 1.0);
    } else if dice.chance(0.25) {
        // Lacquer and plastic.
        material.roughness = dice.range(0.0, 0.3);
    }
    if dice.chance(knobs.textures) {
        texture(world, dice, &mut material, fine);
    }
    if dice.chance(0.04) {
        material.subsurface = dice.range(0.2, 1.0);
        material.metallic = 0.0;
    }
    world.material(material)
}

/// Light, mostly plain: walls and ceilings.
pub(super) fn wall(world: &mut World, dice: &mut Dice, knobs: &Knobs) -> usize {
    let mut material = Material::matte(0.5, 0.5, 0.5);
    let saturation = dice.unit().powi(3) * 0.8;
    material.base_color = Dice::hue(dice.unit(), saturation, dice.range(0.35, 0.85));
    material.roughness = dice.range(0.5, 1.0);
    if dice.chance(knobs.textures * 0.6) {
        texture(world, dice, &mut material, 0.1);
    }
    world.material(material)
}

fn texture(world: &mut World, dice: &mut Dice, material: &mut Material, fine: f32) {
    material.pattern = dice.pick(&PATTERNS);
    material.pattern_scale = dice.log_range(fine, 10.0 * fine);
    let light = dice.range(0.2, 1.6);
    let near = (material.base_color * light).min(Vec3::splat(0.9));
    material.second_color = if dice.chance(0.5) { near } else { paint(dice) };
    if material.metallic > 0.0 {
        material.second_color = near.max(Vec3::splat(0.1));
    }
    if dice.chance(0.3) {
        let seed = dice.number();
        let bumps = world.picture(bumps(32, dice.range(0.2, 1.0), seed));
        material.pictures.normal = Some(bumps);
    }
}

/// A tileable tangent-space normal map of soft bumps.
fn bumps(side: u32, steep: f32, seed: u32) -> Picture {
    let height = |x: u32, y: u32| {
        // Bilinear over a lattice of 8 x 8, wrapped: it repeats without a seam.
        let cell = side / 8;
        let (i, j) = (x % side / cell, y % side / cell);
        let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
        let (s, t) = (
            smooth((x % cell) as f32 / cell as f32),
            smooth((y % cell) as f32 / cell as f32),
        );
        let at = |i: u32, j: u32| crate::world::scramble(i % 8 + 8 * (j % 8), seed);
        let row = |j: u32| at(i, j) + (at(i + 1, j) - at(i, j)) * s;
        row(j) + (row(j + 1) - row(j)) * t
    };
    Picture::draw(side, side, false, |x, y| {
        let slope = Vec3::new(
            height(x, y) - height(x + 1, y),
            height(x, y) - height(x, y + 1),
            0.25 / steep,
        )
        .normalize();
        let byte = |c: f32| (127.5 + 127.5 * c).round() as u8;
        [byte(slope.x), byte(slope.y), byte(slope.z), 255]
    })
}

/// Leaves with holes between them.
pub(super) fn leaves(world: &mut World, dice: &mut Dice) -> usize {
    let autumn = dice.chance(0.2);
    let tint = if autumn {
        [0.9, dice.range(0.35, 0.75), 0.15]
    } else {
        [
            dice.range(0.25, 0.6),
            dice.range(0.6, 0.95),
            dice.range(0.15, 0.4),
        ]
    };
    let picture = shapes::leaf_picture(
        64,
        dice.between(5, 13),
        dice.range(0.12, 0.3),
        tint,
        dice.number(),
    );
    let base = Some(world.picture(picture));
    world.material(Material {
        alpha_cutoff: 0.5,
        subsurface: dice.range(0.2, 0.7),
        roughness: dice.range(0.4, 0.9),
        pictures: Pictures {
            base,
            ..Pictures::default()
        },
        ..Material::matte(1.0, 1.0, 1.0)
    })
}

/// Thin bright or dark things: wire, rods, railings.
pub(super) fn wire(world: &mut World, dice: &mut Dice) -> usize {
    let value = if dice.chance(0.5) { 0.03 } else { 0.7 };
    world.material(if dice.chance(0.4) {
        Material::metal(0.8, 0.78, 0.75, dice.range(0.1, 0.5))
    } else {
        Material::glossy(value, value, value, dice.range(0.2, 0.9))
    })
}
