//! Reference of `shaders/frame/output.comp`.

use super::color::{from_luma_chroma, luma, to_luma_chroma};
use super::image::Image;
use super::kernel::{kernel, wide_kernel};
use super::picture::{as_halves, store_pixel};
use super::reprojection::{history_at, history_color};
use super::samples::{unpack_pair, unpack_stats, Stats};
use reconstruction_core::convention::{Alpha, DebugView};
use reconstruction_core::exact::{reciprocal, unpack_halves};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{
    CLAMP_FLOOR, CLAMP_MOVING, CLAMP_STILL_EXTRA, INV_LUMA_COMPRESSION, INV_MOVING_PX,
    INV_WEIGHT_SHARP, INV_WEIGHT_STEPS, LARGEST, SMALLEST, WEIGHT_FIRST, WEIGHT_PROTECTED,
    WEIGHT_REJECTED, WEIGHT_SAMPLES_MIN, WEIGHT_STEADY_EXTRA, WEIGHT_STILL_EXTRA,
};

/// What a column or row of the output takes from this frame's samples.
#[derive(Clone, Copy)]
struct Axis {
    /// The nearest sample, the two nearest from low to high.
    taps: [i32; 3],
    /// Sharp weights of the two, wide weights of the two.
    weights: [f32; 4],
}

fn axis(params: &FrameParams, at: i32, axis: usize) -> Axis {
    let last = params.render_size[axis] as i32 - 1;
    let place = (at as f32 + 0.5) * params.render_per_output[axis] + params.jitter_px[axis];
    let nearest = (place.floor() as i32).clamp(0, last);
    let offset = nearest as f32 + 0.5 - place;
    let low = if offset > 0.0 { -1 } else { 0 };
    let d = [offset + low as f32, offset + (low + 1) as f32];
    let d_kernel = d.map(|d| d * params.kernel_per_render[axis]);
    Axis {
        taps: [
            nearest,
            (nearest + low).clamp(0, last),
            (nearest + low + 1).clamp(0, last),
        ],
        weights: [
            kernel(d_kernel[0] * d_kernel[0]),
            kernel(d_kernel[1] * d_kernel[1]),
            wide_kernel(d[0] * d[0]),
            wide_kernel(d[1] * d[1]),
        ],
    }
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
    let nearest = [position[0].floor() as i32, position[1].floor() as i32];
    let is_inside = (nearest[0] as u32) < size[0] as u32 && (nearest[1] as u32) < size[1] as u32;
    if stats.history == 0.0 || !is_inside {
        return h;
    }
    let texel = nearest[1] * size[0] + nearest[0];
    let state = prev_history[2 * texel as usize + 1] >> 16;
    let color = history_color(prev_history, texel);
    h.fetched = history_at(position, size, color, prev_history);
    for k in 0..3 {
        h.fetched[k] = (h.fetched[k] * params.history_scale).min(LARGEST);
    }
    let mut yc = to_luma_chroma(h.fetched);
    let mut compression = reciprocal(1.0 + yc[0] * exposure * INV_LUMA_COMPRESSION);
    let mut kept = h.fetched.map(|channel| channel * compression);
    yc = yc.map(|channel| channel * compression);
    let speed = motion[0].abs().max(motion[1].abs());
    let steady = stats.history - 1.0;
    let still = (1.0 - speed * INV_MOVING_PX).max(0.0) * steady;
    let width = CLAMP_MOVING + still * CLAMP_STILL_EXTRA;
    let floor = stats.mean[0] * CLAMP_FLOOR;
    let mut is_outside = false;
    for k in 0..3 {
        let extent = stats.deviation[k] * width + floor;
        is_outside = is_outside || (yc[k] - stats.mean[k]).abs() > extent;
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
        compression = (1.0 - luma(kept) * exposure * INV_LUMA_COMPRESSION).max(SMALLEST);
        h.weight = h.weight.min(WEIGHT_REJECTED * steady);
        h.is_corrected = 1.0;
    }
    h.color = [kept[0] * h.weight, kept[1] * h.weight, kept[2] * h.weight];
    h.compression = compression * h.weight;
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
    let render_width = params.render_size[0] as i32;
    let columns: Vec<Axis> = (0..size[0]).map(|x| axis(params, x, 0)).collect();
    let rows: Vec<Axis> = (0..size[1]).map(|y| axis(params, y, 1)).collect();
    let mut debug_image = debug_image;
    for y in 0..size[1] {
        for x in 0..size[0] {
            let column = columns[x as usize];
            let row = rows[y as usize];

            // The nearest sample tells the motion, and what its neighbourhood looks like.
            let sample = (row.taps[0] * render_width + column.taps[0]) as usize;
            let motion = unpack_halves(sample_motion[sample]);
            let stats = unpack_stats(&sample_stats[4 * sample..4 * sample + 4]);
            let position = [
                x as f32 + 0.5 + motion[0] * params.output_per_render[0],
                y as f32 + 0.5 + motion[1] * params.output_per_render[1],
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
            let at: [usize; 4] = std::array::from_fn(|i| {
                (row.taps[1 + i / 2] * render_width + column.taps[1 + i % 2]) as usize
            });
            let (wx, wy) = (column.weights, row.weights);
            let mut sharp_weight = (wx[0] + wx[1]) * (wy[0] + wy[1]);
            let mut wide_weight = (wx[2] + wx[3]) * (wy[2] + wy[3]);
            // A pixel that was not finite has weight 0 in the upper half of its second word.
            if at.iter().any(|at| sample_color[2 * at + 1] < 0x10000) {
                sharp_weight = 0.0;
                wide_weight = 0.0;
                for i in 0..4 {
                    if sample_color[2 * at[i] + 1] >= 0x10000 {
                        sharp_weight += wx[i & 1] * wy[i >> 1];
                        wide_weight += wx[2 + (i & 1)] * wy[2 + (i >> 1)];
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
            let sharp_rows = [wy[0] * trust, wy[1] * trust];
            let mut shares: [f32; 4] = std::array::from_fn(|i| wx[i % 2] * sharp_rows[i / 2]);
            if wide_share != 0.0 {
                let wide_rows = [wy[2] * wide_share, wy[3] * wide_share];
                for i in 0..4 {
                    shares[i] += wx[2 + i % 2] * wide_rows[i / 2];
                }
            }
            for i in 0..4 {
                let s = unpack_pair(&sample_color[2 * at[i]..2 * at[i] + 2]);
                let w = shares[i] * s[3];
                for k in 0..3 {
                    total[k] += s[k] * w;
                }
                total[3] += w;
                if params.alpha_mode == Alpha::Reconstruct.code() {
                    alpha += unpack_halves(sample_stats[4 * at[i] + 3])[0] * w;
                }
            }
            store_pixel(
                params,
                [x, y],
                total,
                alpha,
                total_weight,
                h.misses,
                stats.alpha,
                next_history,
                next_alpha,
                output_image,
            );

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
                    let [r, g, b] = as_halves(color);
                    debug.store(x, y, [r, g, b, 1.0]);
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
