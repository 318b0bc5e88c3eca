//! Reference of `shaders/frame/gather.comp`.

use super::color::{color_at_door, luma, to_luma_chroma};
use super::image::Image;
use super::samples::{pack_stats, Stats};
use reconstruction_core::convention::Depth;
use reconstruction_core::exact::{
    door, is_finite, pack_halves, reciprocal, square_root, unpack_halves,
};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{
    CHANGE_FLOOR, CHANGE_LIMIT, DISOCCLUSION_TOLERANCE, FARTHEST, INV_LUMA_COMPRESSION, LARGEST,
    LONGEST_MOTION_PX, SMALLEST,
};

/// A pixel of the workgroup's tile.
#[derive(Clone, Copy, Default)]
struct Tile {
    /// Weighted colour in luma/chroma.
    luma_chroma: [f32; 3],
    /// 1 where the pixel was finite.
    is_present: f32,
    /// As [`nearness_at_door`] gives it.
    nearness: f32,
    /// Halves of the linear colour and of the weight.
    packed: [u32; 2],
    alpha: f32,
}

/// Depth that grows towards the camera for projected kinds, and minus the distance for the linear kind.
fn nearness_at_door(stored: f32, params: &FrameParams) -> f32 {
    if params.depth_kind == Depth::ViewLinear.code() {
        -door(stored, FARTHEST).max(0.0).min(FARTHEST)
    } else {
        let mut z = stored;
        if params.depth_kind == Depth::Hardware.code() {
            z = 1.0 - z;
        }
        door(z, 0.0).max(0.0).min(1.0)
    }
}

fn load(
    pixel: [i32; 2],
    exposure: f32,
    params: &FrameParams,
    color: &Image,
    depth: &Image,
) -> Tile {
    let (c, finite) = color_at_door(color.fetch(pixel[0], pixel[1]), params);
    let rg = pack_halves(c[0], c[1]);
    let b = pack_halves(c[2], 0.0);
    let (rg_stored, b_stored) = (unpack_halves(rg), unpack_halves(b));
    let stored = [rg_stored[0], rg_stored[1], b_stored[0]];
    let mut tile = Tile {
        nearness: nearness_at_door(depth.fetch(pixel[0], pixel[1])[0], params),
        alpha: c[3],
        packed: [0, 0],
        ..Tile::default()
    };
    if finite {
        let exact = reciprocal(1.0 + luma(stored) * exposure * INV_LUMA_COMPRESSION);
        let bb = pack_halves(c[2], exact.max(SMALLEST));
        let weight = unpack_halves(bb)[1];
        tile.packed = [rg, bb];
        tile.is_present = 1.0;
        tile.luma_chroma =
            to_luma_chroma([stored[0] * weight, stored[1] * weight, stored[2] * weight]);
    }
    tile
}

/// All invocations of the pass.
pub fn gather(
    params: &FrameParams,
    color_image: &Image,
    depth_image: &Image,
    motion_image: &Image,
    exposure_value: &[u32],
    prev_surface: &[u32],
    sample_color: &mut [u32],
    sample_motion: &mut [u32],
    sample_stats: &mut [u32],
    next_surface: &mut [u32],
) {
    let exposure = f32::from_bits(exposure_value[0]);
    let size = params.render_size.map(|n| n as i32);
    let tiles: Vec<Tile> = (0..size[0] * size[1])
        .map(|i| {
            let pixel = [i % size[0], i / size[0]];
            load(pixel, exposure, params, color_image, depth_image)
        })
        .collect();
    for y in 0..size[1] {
        for x in 0..size[0] {
            let index = (y * size[0] + x) as usize;
            let centre = tiles[index];
            let mut nearest = [x, y];
            let mut nearness = centre.nearness;
            let mut count = 0.0f32;
            let mut sum = [0.0f32; 3];
            let mut squares = [0.0f32; 3];
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let at = [
                        (x + dx).clamp(0, size[0] - 1),
                        (y + dy).clamp(0, size[1] - 1),
                    ];
                    let tile = tiles[(at[1] * size[0] + at[0]) as usize];
                    if tile.nearness > nearness {
                        nearest = at;
                        nearness = tile.nearness;
                    }
                    count += tile.is_present;
                    for i in 0..3 {
                        sum[i] += tile.luma_chroma[i];
                        squares[i] += tile.luma_chroma[i] * tile.luma_chroma[i];
                    }
                }
            }
            let share = reciprocal(count.max(1.0));
            let mut stats = Stats {
                mean: [0.0; 3],
                deviation: [0.0; 3],
                alpha: centre.alpha,
                history: 0.0,
            };
            for i in 0..3 {
                stats.mean[i] = sum[i] * share;
                let variance = squares[i] * share - stats.mean[i] * stats.mean[i];
                // 2^-30: the square of half the smallest stored deviation.
                if variance > 9.313_226e-10 {
                    stats.deviation[i] = square_root(variance).min(LARGEST);
                }
            }
            // Not one finite pixel here: nothing speaks against the history.
            if count == 0.0 {
                stats.deviation = [LARGEST; 3];
            }

            let stored = motion_image.fetch(nearest[0], nearest[1]);
            let is_motion_finite = is_finite(stored[0]) && is_finite(stored[1]);
            let mut motion = [0.0f32; 2];
            if is_motion_finite {
                for i in 0..2 {
                    motion[i] = door(stored[i] * params.motion_scale[i], 0.0);
                    motion[i] = motion[i].max(-LONGEST_MOTION_PX).min(LONGEST_MOTION_PX);
                }
            }

            // Where this surface was sampled in the previous frame's pixel grid.
            let mut from = [0i32; 2];
            let mut aside = [0.0f32; 2];
            for i in 0..2 {
                let pixel = [x, y][i] as f32 + 0.5;
                let position =
                    pixel - params.jitter_px[i] + motion[i] + params.history_jitter_px[i];
                let whole = position.floor();
                from[i] = whole as i32;
                aside[i] = whole + 0.5 - position;
            }
            let mut low = f32::from_bits(0x7f7f_ffff);
            let mut high = 0.0f32;
            let mut prev_mean = 0.0f32;
            let mut prev_deviation = 0.0f32;
            for dy in -1..=1 {
                let wy = (1.0 - (aside[1] + dy as f32).abs()).max(0.0);
                for dx in -1..=1 {
                    let wx = (1.0 - (aside[0] + dx as f32).abs()).max(0.0);
                    let at_x = (from[0] + dx).clamp(0, size[0] - 1);
                    let at_y = (from[1] + dy).clamp(0, size[1] - 1);
                    let at = 2 * (at_y * size[0] + at_x) as usize;
                    let depth = f32::from_bits(prev_surface[at]);
                    let light = unpack_halves(prev_surface[at + 1]);
                    low = low.min(depth);
                    high = high.max(depth);
                    prev_mean += light[0] * (wx * wy);
                    prev_deviation = prev_deviation.max(light[1]);
                }
            }
            let nearest_depth = nearness.abs();
            let is_seen = nearest_depth >= low - low * DISOCCLUSION_TOLERANCE
                && nearest_depth <= high + high * DISOCCLUSION_TOLERANCE;
            if is_seen && is_motion_finite && params.is_reset == 0 {
                let change = (stats.mean[0] - prev_mean * params.history_scale).abs();
                let usual = stats.deviation[0].max(prev_deviation * params.history_scale)
                    + stats.mean[0] * CHANGE_FLOOR;
                let mut steady = 1.0f32;
                if change > usual * (CHANGE_LIMIT - 1.0) {
                    steady = (CHANGE_LIMIT - change * reciprocal(usual.max(SMALLEST))).max(0.0);
                }
                stats.history = 1.0 + steady.min(1.0);
            }

            sample_color[2 * index..2 * index + 2].copy_from_slice(&centre.packed);
            sample_motion[index] = pack_halves(motion[0], motion[1]);
            sample_stats[4 * index..4 * index + 4].copy_from_slice(&pack_stats(&stats));
            next_surface[2 * index] = centre.nearness.abs().to_bits();
            next_surface[2 * index + 1] = pack_halves(stats.mean[0], stats.deviation[0]);
        }
    }
}
