//! Reference of `shaders/network/resolve.comp`.

use super::super::debug_view::{store_debug, Shown};
use super::super::image::Image;
use super::super::kernel::{kernel, wide_kernel};
use super::super::picture::store_pixel;
use super::super::samples::{unpack_pair, unpack_stats, Stats};
use super::super::weighted_history::{clamp_extent, fetch_history, History};
use reconstruction_core::convention::Alpha;
use reconstruction_core::exact::unpack_halves;
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{WEIGHT_MOST, WIDE_SHARE};

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
    let Some(mut f) = fetch_history(params, position, exposure, stats, prev_history) else {
        return History::default();
    };
    let extent = clamp_extent(stats, width);
    let is_beyond = f.is_outside(stats, extent);
    if is_beyond {
        f.hold(exposure, stats, extent);
    }
    let weight = f.stored_weight().min(WEIGHT_MOST) * keep;
    let is_corrected = if is_beyond { 1.0 } else { 0.0 };
    f.weighted(params, weight, 0, is_corrected, prev_alpha)
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
            let width = [shape[0] * 0.25, shape[2] * 0.25, shape[1] * 0.125 + 0.5];
            let shown = Shown {
                sample: &sample_color[2 * at_nearest..2 * at_nearest + 2],
                motion,
                stats: &stats,
                history: &h,
                width: width.map(|channel| channel.min(1.0)),
                own_weight: samples_weight,
                total_weight,
            };
            store_debug(params, [x, y], &shown, debug_image.as_deref_mut());
        }
    }
}
