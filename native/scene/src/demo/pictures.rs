//! Pictures of the scenes: planks, rugs, tiles, paintings. Colours here are sRGB.

use crate::shapes::{noise, rough_noise};
use crate::world::{scramble, Picture};
use glam::{Vec2, Vec3};

fn bytes(color: Vec3) -> [u8; 4] {
    let [r, g, b] = (color.clamp(Vec3::ZERO, Vec3::ONE) * 255.0).to_array();
    [r as u8, g as u8, b as u8, 255]
}

/// Boards along v with grain and joints; `tone` is the colour of the wood.
pub(super) fn planks(tone: Vec3, boards: u32, seed: u32) -> Picture {
    const SIDE: u32 = 512;
    Picture::draw(SIDE, SIDE, true, |x, y| {
        let p = Vec2::new(x as f32, y as f32) / SIDE as f32;
        let board = (p.x * boards as f32) as u32;
        let across = (p.x * boards as f32).fract();
        let joint = (p.y + scramble(board, seed)).fract();
        let piece = board + 17 * ((p.y + scramble(board, seed)) as u32);
        let along = (joint * 6.0).sin() * 0.2;
        let grain = rough_noise(
            Vec3::new(across * 5.0 + along, joint * 1.5, piece as f32 * 7.3),
            seed,
        );
        let rings = (across * 26.0 + 5.0 * grain + along * 10.0).sin() * 0.5;
        let light = 0.92 + 0.2 * (scramble(piece, seed + 5) - 0.5) + 0.09 * grain + 0.05 * rings;
        let is_gap = !(0.018..0.982).contains(&across) || joint < 0.004;
        bytes(tone * if is_gap { 0.35 } else { light })
    })
}

/// A rug: a field, diamonds, borders and fringes of woven noise.
pub(super) fn rug(field: Vec3, mark: Vec3, border: Vec3) -> Picture {
    const SIDE: u32 = 256;
    Picture::draw(SIDE, SIDE, true, |x, y| {
        let p = Vec2::new(x as f32, y as f32) / SIDE as f32;
        let q = (p - 0.5).abs() * 2.0;
        let edge = q.max_element();
        let cell = (p * Vec2::new(6.0, 8.0)).fract() - 0.5;
        let diamond = cell.x.abs() + cell.y.abs();
        let color = if edge > 0.9 {
            border * 0.8
        } else if edge > 0.86 {
            mark
        } else if edge > 0.74 {
            let step = ((p.x * 40.0).floor() + (p.y * 40.0).floor()) as i32;
            if step % 3 == 0 {
                mark
            } else {
                border
            }
        } else if (0.3..0.36).contains(&diamond) || diamond < 0.1 {
            mark
        } else if diamond < 0.3 {
            field * 0.75
        } else {
            field
        };
        let weave = if (x + y) % 2 == 0 { 1.0 } else { 0.86 };
        bytes(color * weave * (0.95 + 0.1 * scramble(x + 512 * y, 3)))
    })
}

/// Square tiles of slightly different tones with joints.
pub(super) fn tiles(tone: Vec3, count: u32, seed: u32) -> Picture {
    const SIDE: u32 = 256;
    Picture::draw(SIDE, SIDE, true, |x, y| {
        let p = Vec2::new(x as f32, y as f32) / SIDE as f32;
        let cell = (p * count as f32).floor();
        let inside = (p * count as f32).fract();
        let index = cell.x as u32 + count * cell.y as u32;
        let joint = inside.min(1.0 - inside).min_element();
        let cloud = rough_noise(Vec3::new(p.x * 9.0, p.y * 9.0, index as f32 * 3.7), seed);
        let light = 0.94 + 0.1 * (scramble(index, seed) - 0.5) + 0.06 * cloud;
        bytes(tone * if joint < 0.02 { 0.55 } else { light })
    })
}

/// Rough stone or earth.
pub(super) fn stone(dark: Vec3, light: Vec3, fine: f32, seed: u32) -> Picture {
    const SIDE: u32 = 256;
    Picture::draw(SIDE, SIDE, true, |x, y| {
        // On a ring in four directions it would repeat without a seam; mirroring does for stone.
        let fold = |i: u32| (1.0 - (2.0 * i as f32 / SIDE as f32 - 1.0).abs()) * fine;
        let n = rough_noise(Vec3::new(fold(x), fold(y), 0.5), seed);
        let grit = scramble(x + SIDE * y, seed) - 0.5;
        bytes(dark.lerp(light, 0.5 + 0.6 * n + 0.12 * grit))
    })
}

/// A colour-field painting: bars that breathe into each other.
pub(super) fn fields(ground: Vec3, bars: [(f32, f32, Vec3); 3]) -> Picture {
    const SIDE: u32 = 256;
    Picture::draw(SIDE, SIDE, true, |x, y| {
        let p = Vec2::new(x as f32, y as f32) / SIDE as f32;
        let brush = 0.012 * noise(Vec3::new(p.x * 30.0, p.y * 120.0, 1.0), 4);
        let mut color = ground;
        for (from, to, tone) in bars {
            let inside = (p.y - from + brush)
                .min(to - p.y + brush)
                .min(p.x - 0.07 + brush)
                .min(0.93 - p.x + brush);
            color = color.lerp(tone, (inside / 0.02).clamp(0.0, 1.0));
        }
        bytes(color * (0.96 + 0.08 * noise(Vec3::new(p.x * 8.0, p.y * 160.0, 2.0), 9)))
    })
}

/// Circles and lines on paper.
pub(super) fn circles(paper: Vec3, inks: [Vec3; 3], seed: u32) -> Picture {
    const SIDE: u32 = 256;
    Picture::draw(SIDE, SIDE, true, |x, y| {
        let p = Vec2::new(x as f32, y as f32) / SIDE as f32;
        let mut color = paper * (0.97 + 0.05 * noise(Vec3::new(p.x * 40.0, p.y * 40.0, 0.0), seed));
        for i in 0..9 {
            let draw = |what: u32| scramble(i, seed + what);
            let middle = Vec2::new(0.15 + 0.7 * draw(0), 0.15 + 0.7 * draw(1));
            let radius = 0.03 + 0.22 * draw(2) * draw(2);
            let away = p.distance(middle);
            let ink = inks[(i % 3) as usize];
            if i % 2 == 0 && away < radius {
                color = color.lerp(ink, 0.85);
            } else if (away - radius).abs() < 0.006 {
                color = ink;
            }
            let line = (p - middle).perp_dot(Vec2::from_angle(draw(3) * 3.2));
            if i < 4 && line.abs() < 0.003 {
                color = inks[2] * 0.4;
            }
        }
        bytes(color)
    })
}

/// Fine stripes across u, for awnings and cushions.
pub(super) fn stripes(a: Vec3, b: Vec3, count: u32) -> Picture {
    const SIDE: u32 = 256;
    Picture::draw(SIDE, SIDE, true, |x, y| {
        let bar = (x * count * 2 / SIDE) % 2 == 0;
        let weave = 0.95 + 0.08 * scramble(x + SIDE * y, 8);
        bytes(if bar { a } else { b } * weave)
    })
}
