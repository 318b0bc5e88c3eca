//! Reference of `shaders/network/resolve.comp`.

use super::super::color::{from_luma_chroma, luma, to_luma_chroma};
use super::super::image::Image;
use super::super::kernel::{kernel, wide_kernel};
use super::super::picture::{as_halves, store_pixel};
use super::super::reprojection::{history_at, history_color};
use super::super::samples::{unpack_pair, unpack_stats, Stats};
use reconstruction_core::convention::{Alpha, DebugView};
use reconstruction_core::exact::{reciprocal, unpack_halves};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{
    CLAMP_FLOOR, INV_LUMA_COMPRESSION, INV_WEIGHT_STEPS, LARGEST, SMALLEST, WEIGHT_MOST, WIDE_SHARE,
};

/// What a column or row of the output takes from this frame's samples.
#[derive(Clone, Copy)]
struct Axis {
    /// The three nearest samples; -1 beyond the image.
    taps: [i32; 3],
    /// Their distances in units of the kernel.
    distances: [f32; 3],
    /// Their wide weights.
    wide: [f32; 3],
}

fn axis(params: &FrameParams, at: i32, axis: usize) -> Axis {
    let last = params.render_size[axis] as i32 - 1;
    let place = (at as f32 + 0.5) * params.render_per_output[axis] + params.jitter_px[axis];
    let nearest = (place.floor() as i32).max(0).min(last);
    let taps = [-1, 0, 1].map(|i| nearest + i);
    let offsets = taps.map(|tap| tap as f32 + 0.5 - place);
    Axis {
        taps: taps.map(|tap| if tap < 0 || tap > last { -1 } else { tap }),
        distances: offsets.map(|d| d * params.kernel_per_render[axis]),
        wide: offsets.map(|d| wide_kernel(d * d)),
    }
}

fn decision_at(params: &FrameParams, x: i32, y: i32) -> usize {
    let tokens = (params.render_size[0] as i32 + 1) >> 1;
    (4 * ((y >> 1) * tokens + (x >> 1)) + 2 * (y & 1) + (x & 1)) as usize
}

/// What history adds to a pixel.
#[derive(Clone, Copy, Default)]
struct History {
    color: [f32; 3],
    compression: f32,
    weight: f32,
    is_corrected: f32,
    fetched: [f32; 3],
    alpha: f32,
}

fn history(
    params: &FrameParams,
    position: [f32; 2],
    exposure: f32,
    stats: &Stats,
    keep: f32,
    width: f32,
    prev_history: &[u32],
    prev_alpha: &[u32],
) -> History {
    let mut h = History::default();
    let size = params.output_size.map(|n| n as i32);
    let nearest = position.map(|p| p.floor() as i32);
    let is_inside = (nearest[0] as u32) < size[0] as u32 && (nearest[1] as u32) < size[1] as u32;
    if stats.history == 0.0 || !is_inside {
        return h;
    }
    let texel = nearest[1] * size[0] + nearest[0];
    let color = history_color(prev_history, texel);
    h.fetched = history_at(position, size, color, prev_history)
        .map(|channel| (channel * params.history_scale).min(LARGEST));
    let mut yc = to_luma_chroma(h.fetched);
    let mut compression = reciprocal(1.0 + yc[0] * exposure * INV_LUMA_COMPRESSION);
    let mut kept = h.fetched.map(|channel| channel * compression);
    yc = yc.map(|channel| channel * compression);
    let floor = stats.mean[0] * CLAMP_FLOOR;
    let extent = stats.deviation.map(|deviation| deviation * width + floor);
    if (0..3).any(|k| (yc[k] - stats.mean[k]).abs() > extent[k]) {
        for k in 0..3 {
            yc[k] = yc[k]
                .max(stats.mean[k] - extent[k])
                .min(stats.mean[k] + extent[k]);
        }
        kept = from_luma_chroma(yc).map(|channel| channel.max(0.0));
        compression = (1.0 - luma(kept) * exposure * INV_LUMA_COMPRESSION).max(SMALLEST);
        h.is_corrected = 1.0;
    }
    let steps = prev_history[2 * texel as usize + 1] >> 19;
    h.weight = (steps as f32 * INV_WEIGHT_STEPS).min(WEIGHT_MOST) * keep;
    h.color = kept.map(|channel| channel * h.weight);
    h.compression = compression * h.weight;
    if params.alpha_mode == Alpha::Reconstruct.code() {
        h.alpha = unpack_halves(prev_alpha[texel as usize])[0] * h.compression;
    }
    h
}

/// All invocations of the pass.
pub fn resolve(
    params: &FrameParams,
    exposure_value: &[u32],
    sample_color: &[u32],
    sample_motion: &[u32],
    sample_stats: &[u32],
    decisions: &[u32],
    prev_history: &[u32],
    next_history: &mut [u32],
    prev_alpha: &[u32],
    next_alpha: &mut [u32],
    output_image: &mut Image,
    mut debug_image: Option<&mut Image>,
) {
    let exposure = f32::from_bits(exposure_value[0]);
    let size = params.output_size.map(|n| n as i32);
    let width = params.render_size[0] as i32;
    let columns: Vec<Axis> = (0..size[0]).map(|x| axis(params, x, 0)).collect();
    let rows: Vec<Axis> = (0..size[1]).map(|y| axis(params, y, 1)).collect();
    for y in 0..size[1] {
        for x in 0..size[0] {
            let (column, row) = (columns[x as usize], rows[y as usize]);
            let at_nearest = (row.taps[1] * width + column.taps[1]) as usize;
            let motion = unpack_halves(sample_motion[at_nearest]);
            let stats = unpack_stats(&sample_stats[4 * at_nearest..4 * at_nearest + 4]);
            let decided = 4 * decision_at(params, column.taps[1], row.taps[1]);
            let [a, b] = unpack_halves(decisions[decided]);
            let shape = [a, b, unpack_halves(decisions[decided + 1])[0]];
            let [keep, clamp_width] = unpack_halves(decisions[decided + 2]);
            let position = [
                x as f32 + 0.5 + motion[0] * params.output_per_render[0],
                y as f32 + 0.5 + motion[1] * params.output_per_render[1],
            ];
            let h = history(
                params,
                position,
                exposure,
                &stats,
                keep,
                clamp_width,
                prev_history,
                prev_alpha,
            );

            let mut total = [h.color[0], h.color[1], h.color[2], h.compression];
            let mut alpha = h.alpha;
            let mut samples_weight = 0.0f32;
            for j in 0..3 {
                let dy = row.distances[j];
                let along_y = shape[2] * dy * dy;
                let twice_y = shape[1] * dy * 2.0;
                let wide_y = row.wide[j] * WIDE_SHARE;
                for i in 0..3 {
                    if column.taps[i] < 0 || row.taps[j] < 0 {
                        continue;
                    }
                    let at = (row.taps[j] * width + column.taps[i]) as usize;
                    let words = &sample_color[2 * at..2 * at + 2];
                    // A pixel that was not finite has weight 0 in the upper half of its second word.
                    if words[1] < 0x10000 {
                        continue;
                    }
                    let dx = column.distances[i];
                    let squared = shape[0] * dx * dx + twice_y * dx + along_y;
                    let decided = 4 * decision_at(params, column.taps[i], row.taps[j]);
                    let weight = unpack_halves(decisions[decided + 1])[1]
                        * (kernel(squared) + column.wide[i] * wide_y);
                    samples_weight += weight;
                    let s = unpack_pair(words);
                    let w = weight * s[3];
                    for k in 0..3 {
                        total[k] += s[k] * w;
                    }
                    total[3] += w;
                    if params.alpha_mode == Alpha::Reconstruct.code() {
                        alpha += unpack_halves(sample_stats[4 * at + 3])[0] * w;
                    }
                }
            }
            let total_weight = h.weight + samples_weight;
            store_pixel(
                params,
                [x, y],
                total,
                alpha,
                total_weight,
                0,
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
                        at_nearest,
                        motion,
                        &stats,
                        &h,
                        shape,
                        samples_weight,
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
    at: usize,
    motion: [f32; 2],
    stats: &Stats,
    h: &History,
    shape: [f32; 3],
    own_weight: f32,
    total_weight: f32,
) -> [f32; 3] {
    let view = params.debug_view;
    let mut grey = 0.0f32;
    if view == DebugView::Inputs.code() {
        let s = unpack_pair(&sample_color[2 * at..2 * at + 2]);
        return [s[0], s[1], s[2]];
    }
    if view == DebugView::Motion.code() {
        let [x, y] = motion.map(|m| (0.5 + m * 0.0625).max(0.0).min(1.0));
        return [x, y, 0.5];
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
        grey = own_weight.min(1.0);
    }
    if view == DebugView::KernelWidth.code() {
        let color = [shape[0] * 0.25, shape[2] * 0.25, shape[1] * 0.125 + 0.5];
        return color.map(|channel| channel.min(1.0));
    }
    if view == DebugView::Rejected.code() {
        grey = h.is_corrected;
    }
    if view == DebugView::PhaseCoverage.code() {
        grey = (total_weight * 0.125).min(1.0);
    }
    [grey, grey, grey]
}
