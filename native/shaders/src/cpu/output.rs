//! Reference of `shaders/frame/output.comp`.

use super::color::{encode, from_luma_chroma, luma, to_luma_chroma};
use super::image::Image;
use super::samples::{unpack_pair, unpack_stats, Stats};
use reconstruction_core::convention::{Alpha, DebugView};
use reconstruction_core::exact::{pack_halves, reciprocal, to_half, unpack_halves};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{
    CLAMP_FLOOR, CLAMP_MOVING, CLAMP_STILL_EXTRA, INV_LUMA_COMPRESSION, INV_MOVING_PX,
    INV_WEIGHT_SHARP, INV_WEIGHT_STEPS, KERNEL_FALLOFF, LARGEST, SMALLEST, WEIGHT_FIRST,
    WEIGHT_PROTECTED, WEIGHT_REJECTED, WEIGHT_SAMPLES_MIN, WEIGHT_STEADY_EXTRA, WEIGHT_STEPS,
    WEIGHT_STILL_EXTRA,
};

/// Catmull-Rom weights of the four texels around a position `t` behind the second.
pub(super) fn cubic_weights(t: f32) -> [f32; 4] {
    let t2 = t * t;
    let t3 = t2 * t;
    [
        t2 - (t + t3) * 0.5,
        1.0 - t2 * 2.5 + t3 * 1.5,
        t * 0.5 + t2 * 2.0 - t3 * 1.5,
        (t3 - t2) * 0.5,
    ]
}

/// Weight of a sample on one axis at a squared distance: (1 - d^2 / 2)^4, zero from sqrt 2 on.
fn kernel(squared: f32) -> f32 {
    let mut q = (1.0 - squared * KERNEL_FALLOFF).max(0.0);
    q = q * q;
    q * q
}

/// The same by render pixels, where the sharp kernel leaves gaps: (1 - d^2)^2, zero from 1 on.
fn wide_kernel(squared: f32) -> f32 {
    let q = (1.0 - squared).max(0.0);
    q * q
}

/// History at a place of the output grid, bicubic, kept between the four nearest texels.
fn history_at(position: [f32; 2], size: [i32; 2], prev_history: &[u32]) -> [f32; 3] {
    let corner = [position[0] - 0.5, position[1] - 0.5];
    let whole = [corner[0].floor(), corner[1].floor()];
    let first = [whole[0] as i32, whole[1] as i32];
    let wx = cubic_weights(corner[0] - whole[0]);
    let wy = cubic_weights(corner[1] - whole[1]);
    let mut sum = [0.0f32; 3];
    let mut low = [LARGEST; 3];
    let mut high = [0.0f32; 3];
    for j in 0..4 {
        let y = (first[1] + j - 1).clamp(0, size[1] - 1);
        let mut row = [0.0f32; 3];
        for i in 0..4 {
            let x = (first[0] + i - 1).clamp(0, size[0] - 1);
            let at = 2 * (y * size[0] + x) as usize;
            let texel = unpack_pair(&prev_history[at..at + 2]);
            for k in 0..3 {
                row[k] += texel[k] * wx[i as usize];
            }
            if (i == 1 || i == 2) && (j == 1 || j == 2) {
                for k in 0..3 {
                    low[k] = low[k].min(texel[k]);
                    high[k] = high[k].max(texel[k]);
                }
            }
        }
        for k in 0..3 {
            sum[k] += row[k] * wy[j as usize];
        }
    }
    for k in 0..3 {
        sum[k] = sum[k].max(low[k]).min(high[k]);
    }
    sum
}

/// What history adds to a pixel.
#[derive(Clone, Copy, Default)]
struct History {
    /// Weighted colour times its weight.
    color: [f32; 3],
    /// Compression weight times weight.
    compression: f32,
    /// Accumulated weight.
    weight: f32,
    /// Frames outside the clamp.
    misses: u32,
    /// 1 where the clamp corrected it.
    is_corrected: f32,
    /// The history as fetched, for the debug view.
    fetched: [f32; 3],
    /// Alpha times compression weight times weight.
    alpha: f32,
}

fn history(
    params: &FrameParams,
    position: [f32; 2],
    motion: [f32; 2],
    exposure: f32,
    stats: &Stats,
    prev_history: &[u32],
    prev_alpha: &[u32],
) -> History {
    let mut h = History::default();
    let size = params.output_size.map(|n| n as i32);
    let is_inside = position[0] >= 0.0
        && position[1] >= 0.0
        && position[0] < size[0] as f32
        && position[1] < size[1] as f32;
    if stats.history == 0.0 || !is_inside {
        return h;
    }
    let texel = (position[1].floor() as i32).min(size[1] - 1) * size[0]
        + (position[0].floor() as i32).min(size[0] - 1);
    let state = prev_history[2 * texel as usize + 1] >> 16;
    h.fetched = history_at(position, size, prev_history);
    for k in 0..3 {
        h.fetched[k] = (h.fetched[k] * params.history_scale).min(LARGEST);
    }
    let compression = reciprocal(1.0 + luma(h.fetched) * exposure * INV_LUMA_COMPRESSION);
    let weighted = [
        h.fetched[0] * compression,
        h.fetched[1] * compression,
        h.fetched[2] * compression,
    ];
    let mut yc = to_luma_chroma(weighted);
    let speed = motion[0].abs().max(motion[1].abs());
    let steady = stats.history - 1.0;
    let still = (1.0 - speed * INV_MOVING_PX).max(0.0) * steady;
    let width = CLAMP_MOVING + still * CLAMP_STILL_EXTRA;
    let floor = stats.mean[0] * CLAMP_FLOOR;
    let mut clamped = [0.0f32; 3];
    let mut is_outside = false;
    for k in 0..3 {
        let extent = stats.deviation[k] * width + floor;
        clamped[k] = yc[k]
            .max(stats.mean[k] - extent)
            .min(stats.mean[k] + extent);
        is_outside = is_outside || clamped[k] != yc[k];
    }
    h.misses = if is_outside {
        ((state & 7) + 1).min(7)
    } else {
        0
    };
    let still2 = still * still;
    let limit =
        WEIGHT_REJECTED + steady * WEIGHT_STEADY_EXTRA + still2 * still2 * WEIGHT_STILL_EXTRA;
    h.weight = ((state >> 3) as f32 * INV_WEIGHT_STEPS).min(limit);
    let is_protected =
        still > 0.5 && h.misses <= params.grace_frames && h.weight > WEIGHT_PROTECTED;
    let mut kept_compression = compression;
    let mut kept = weighted;
    if is_outside && !is_protected {
        for k in 0..3 {
            let extent = stats.deviation[k] * CLAMP_MOVING + floor;
            yc[k] = yc[k]
                .max(stats.mean[k] - extent)
                .min(stats.mean[k] + extent);
        }
        kept = from_luma_chroma(yc);
        for channel in &mut kept {
            *channel = channel.max(0.0);
        }
        kept_compression = (1.0 - luma(kept) * exposure * INV_LUMA_COMPRESSION).max(SMALLEST);
        h.weight = h.weight.min(WEIGHT_REJECTED * steady);
        h.is_corrected = 1.0;
    }
    h.color = [kept[0] * h.weight, kept[1] * h.weight, kept[2] * h.weight];
    h.compression = kept_compression * h.weight;
    if params.alpha_mode == Alpha::Reconstruct.code() {
        h.alpha = unpack_halves(prev_alpha[texel as usize])[0] * h.compression;
    }
    h
}

/// All invocations of the pass.
pub fn output(
    params: &FrameParams,
    exposure_value: &[u32],
    sample_color: &[u32],
    sample_motion: &[u32],
    sample_stats: &[u32],
    prev_history: &[u32],
    next_history: &mut [u32],
    prev_alpha: &[u32],
    next_alpha: &mut [u32],
    output_image: &mut Image,
    debug_image: Option<&mut Image>,
) {
    let exposure = f32::from_bits(exposure_value[0]);
    let size = params.output_size.map(|n| n as i32);
    let render_size = params.render_size.map(|n| n as i32);
    let mut debug_image = debug_image;
    for y in 0..size[1] {
        for x in 0..size[0] {
            let index = (y * size[0] + x) as usize;
            let centre = [x as f32 + 0.5, y as f32 + 0.5];
            // The pixel's place in the grid of this frame's samples, and the nearest sample.
            let mut place = [0.0f32; 2];
            let mut nearest = [0i32; 2];
            let mut offset = [0.0f32; 2];
            for k in 0..2 {
                place[k] = centre[k] * params.render_per_output[k] + params.jitter_px[k];
                nearest[k] = (place[k].floor() as i32).clamp(0, render_size[k] - 1);
                offset[k] = nearest[k] as f32 + 0.5 - place[k];
            }
            let sample = (nearest[1] * render_size[0] + nearest[0]) as usize;
            let motion = unpack_halves(sample_motion[sample]);
            let stats = unpack_stats(&sample_stats[4 * sample..4 * sample + 4]);
            let position = [
                centre[0] + motion[0] * params.output_per_render[0],
                centre[1] + motion[1] * params.output_per_render[1],
            ];
            let h = history(
                params,
                position,
                motion,
                exposure,
                &stats,
                prev_history,
                prev_alpha,
            );

            // The two nearest samples on each axis, by a kernel of output pixels (sharp) and one of render pixels
            // (wide).
            let mut columns = [0i32; 2];
            let mut rows = [0i32; 2];
            let mut sharp = [[0.0f32; 2]; 2];
            let mut wide = [[0.0f32; 2]; 2];
            for i in 0..2 {
                let mut d = [0.0f32; 2];
                for k in 0..2 {
                    let first = if offset[k] > 0.0 { -1 } else { 0 };
                    let step = first + i as i32;
                    d[k] = offset[k] + step as f32;
                    let tap = (nearest[k] + step).clamp(0, render_size[k] - 1);
                    if k == 0 {
                        columns[i] = tap;
                    } else {
                        rows[i] = tap * render_size[0];
                    }
                    let d_kernel = d[k] * params.kernel_per_render[k];
                    sharp[i][k] = kernel(d_kernel * d_kernel);
                    wide[i][k] = wide_kernel(d[k] * d[k]);
                }
            }
            let mut sharp_weight = 0.0f32;
            let mut wide_weight = 0.0f32;
            for j in 0..2 {
                for i in 0..2 {
                    let at = (rows[j] + columns[i]) as usize;
                    if sample_color[2 * at + 1] >> 16 != 0 {
                        sharp_weight += sharp[i][0] * sharp[j][1];
                        wide_weight += wide[i][0] * wide[j][1];
                    }
                }
            }

            // Little history: the wide kernel fills what the sharp one leaves open.
            let trust = (h.weight * INV_WEIGHT_SHARP).min(1.0);
            let weight = sharp_weight.max(WEIGHT_SAMPLES_MIN);
            let first_weight = weight.max(WEIGHT_FIRST) * (1.0 - trust);
            let mut wide_share = 0.0f32;
            let mut total_weight = h.weight;
            if wide_weight > SMALLEST {
                let fill = (weight - sharp_weight) * trust + first_weight;
                wide_share = fill * reciprocal(wide_weight);
                total_weight += weight * trust + first_weight;
            }
            let mut total = [h.color[0], h.color[1], h.color[2], h.compression];
            let mut alpha = h.alpha;
            for j in 0..2 {
                for i in 0..2 {
                    let at = (rows[j] + columns[i]) as usize;
                    let s = unpack_pair(&sample_color[2 * at..2 * at + 2]);
                    let share =
                        sharp[i][0] * sharp[j][1] * trust + wide[i][0] * wide[j][1] * wide_share;
                    let w = share * s[3];
                    for k in 0..3 {
                        total[k] += s[k] * w;
                    }
                    total[3] += w;
                    if params.alpha_mode == Alpha::Reconstruct.code() {
                        alpha += unpack_halves(sample_stats[4 * at + 3])[0] * w;
                    }
                }
            }
            let mut linear = [0.0f32; 3];
            let mut opacity = 1.0f32;
            if total[3] > 0.0 {
                let share = reciprocal(total[3]);
                for k in 0..3 {
                    linear[k] = (total[k] * share).max(0.0).min(LARGEST);
                }
                opacity = (alpha * share).max(0.0).min(1.0);
            }
            let steps = (total_weight * WEIGHT_STEPS).min(8191.0).round_ties_even() as u32;
            let rg = pack_halves(linear[0], linear[1]);
            let b = to_half(linear[2]);
            next_history[2 * index] = rg;
            next_history[2 * index + 1] = b | (((steps << 3) | h.misses) << 16);

            let (rg_stored, b_stored) = (unpack_halves(rg), unpack_halves(b));
            let mut shown = [rg_stored[0], rg_stored[1], b_stored[0], 1.0];
            if params.alpha_mode == Alpha::Reconstruct.code() {
                let stored = to_half(opacity);
                next_alpha[index] = stored;
                shown[3] = unpack_halves(stored)[0];
            }
            if params.alpha_mode == Alpha::CopyNearest.code() {
                shown[3] = stats.alpha;
            }
            let encoded = encode([shown[0], shown[1], shown[2]], params);
            let (rg_out, b_out) = (
                unpack_halves(pack_halves(encoded[0], encoded[1])),
                unpack_halves(pack_halves(encoded[2], 0.0)),
            );
            output_image.store(x, y, [rg_out[0], rg_out[1], b_out[0], shown[3]]);

            if let Some(debug) = debug_image.as_deref_mut() {
                if params.debug_view != DebugView::None.code() {
                    let color = debug_color(
                        params,
                        sample_color,
                        sample,
                        motion,
                        &stats,
                        &h,
                        sharp_weight,
                        total_weight,
                    );
                    let (rg, b) = (
                        unpack_halves(pack_halves(color[0], color[1])),
                        unpack_halves(pack_halves(color[2], 0.0)),
                    );
                    debug.store(x, y, [rg[0], rg[1], b[0], 1.0]);
                }
            }
        }
    }
}

fn debug_color(
    params: &FrameParams,
    sample_color: &[u32],
    sample: usize,
    motion: [f32; 2],
    stats: &Stats,
    h: &History,
    sharp_weight: f32,
    total_weight: f32,
) -> [f32; 3] {
    let view = params.debug_view;
    let mut grey = 0.0f32;
    if view == DebugView::Inputs.code() {
        let s = unpack_pair(&sample_color[2 * sample..2 * sample + 2]);
        return [s[0], s[1], s[2]];
    }
    if view == DebugView::Motion.code() {
        return [
            (0.5 + motion[0] * 0.0625).max(0.0).min(1.0),
            (0.5 + motion[1] * 0.0625).max(0.0).min(1.0),
            0.5,
        ];
    }
    if view == DebugView::HistoryReprojected.code() {
        return h.fetched;
    }
    if view == DebugView::HistoryValidity.code() {
        grey = stats.history * 0.5;
    }
    if view == DebugView::Trust.code() {
        grey = h.weight * reciprocal(total_weight.max(SMALLEST));
    }
    if view == DebugView::SampleWeight.code() {
        grey = sharp_weight.min(1.0);
    }
    if view == DebugView::KernelWidth.code() {
        grey = 1.0 - (h.weight * INV_WEIGHT_SHARP).min(1.0);
    }
    if view == DebugView::Rejected.code() {
        grey = h.is_corrected;
    }
    if view == DebugView::PhaseCoverage.code() {
        grey = (total_weight * 0.125).min(1.0);
    }
    [grey, grey, grey]
}
