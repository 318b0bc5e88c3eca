//! Reference of `shaders/frame/output.comp`.

use super::debug_view::{store_debug, Shown};
use super::image::Image;
use super::kernel::{kernel, wide_kernel};
use super::picture::store_pixel;
use super::samples::{unpack_pair, unpack_stats, Stats};
use super::weighted_history::{clamp_extent, fetch_history, History};
use reconstruction_core::convention::Alpha;
use reconstruction_core::exact::{reciprocal, unpack_halves};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{
    CLAMP_MOVING, CLAMP_STILL_EXTRA, INV_MOVING_PX, INV_WEIGHT_SHARP, SMALLEST, WEIGHT_FIRST,
    WEIGHT_PROTECTED, WEIGHT_REJECTED, WEIGHT_SAMPLES_MIN, WEIGHT_STEADY_EXTRA, WEIGHT_STILL_EXTRA,
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

fn history(
    params: &FrameParams,
    position: [f32; 2],
    motion: [f32; 2],
    exposure: f32,
    stats: &Stats,
    prev_history: &[u32],
    prev_alpha: &[u32],
) -> History {
    let Some(mut f) = fetch_history(params, position, exposure, stats, prev_history) else {
        return History::default();
    };
    let speed = motion[0].abs().max(motion[1].abs());
    let steady = stats.history - 1.0;
    let still = (1.0 - speed * INV_MOVING_PX).max(0.0) * steady;
    let extent = clamp_extent(stats, CLAMP_MOVING + still * CLAMP_STILL_EXTRA);
    let is_beyond = f.is_outside(stats, extent);
    let misses = match is_beyond {
        true => ((f.state & 7) + 1).min(7),
        false => 0,
    };
    let still2 = still * still;
    let limit =
        WEIGHT_REJECTED + steady * WEIGHT_STEADY_EXTRA + still2 * still2 * WEIGHT_STILL_EXTRA;
    let weight = f.stored_weight().min(limit);
    let is_protected = still > 0.5 && misses <= params.grace_frames && weight > WEIGHT_PROTECTED;
    if !is_beyond || is_protected {
        return f.weighted(params, weight, misses, 0.0, prev_alpha);
    }
    f.hold(exposure, stats, clamp_extent(stats, CLAMP_MOVING));
    let weight = weight.min(WEIGHT_REJECTED * steady);
    f.weighted(params, weight, misses, 1.0, prev_alpha)
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

            let shown = Shown {
                sample: &sample_color[2 * sample..2 * sample + 2],
                motion,
                stats: &stats,
                history: &h,
                width: [1.0 - (h.weight * INV_WEIGHT_SHARP).min(1.0); 3],
                own_weight: sharp_weight,
                total_weight,
            };
            store_debug(params, [x, y], &shown, debug_image.as_deref_mut());
        }
    }
}
