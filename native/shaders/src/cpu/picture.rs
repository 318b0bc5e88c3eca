//! What a finished pixel leaves: history, alpha, picture; mirrors `shaders/inc/picture.glsl`.

use super::color::encode;
use super::image::Image;
use reconstruction_core::convention::Alpha;
use reconstruction_core::exact::{pack_halves, reciprocal, to_half, unpack_halves};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{LARGEST, WEIGHT_STEPS};

/// A colour whose channels are exactly representable as halves.
pub fn as_halves(c: [f32; 3]) -> [f32; 3] {
    let (rg, b) = (
        unpack_halves(pack_halves(c[0], c[1])),
        unpack_halves(pack_halves(c[2], 0.0)),
    );
    [rg[0], rg[1], b[0]]
}

/// `total`: weighted colour and compression weights; `alpha`: weighted alike; `weight`: accumulated; `misses`: frames
/// outside the clamp; `nearest_alpha`: of the nearest sample.
pub fn store_pixel(
    params: &FrameParams,
    pixel: [i32; 2],
    total: [f32; 4],
    alpha: f32,
    weight: f32,
    misses: u32,
    nearest_alpha: f32,
    next_history: &mut [u32],
    next_alpha: &mut [u32],
    output_image: &mut Image,
) {
    let mut linear = [0.0f32; 3];
    let mut opacity = 1.0f32;
    if total[3] > 0.0 {
        let share = reciprocal(total[3]);
        for k in 0..3 {
            linear[k] = (total[k] * share).max(0.0).min(LARGEST);
        }
        opacity = (alpha * share).max(0.0).min(1.0);
    }
    let index = (pixel[1] * params.output_size[0] as i32 + pixel[0]) as usize;
    let steps = (weight * WEIGHT_STEPS).min(8191.0).round_ties_even() as u32;
    let rg = pack_halves(linear[0], linear[1]);
    let b = to_half(linear[2]);
    next_history[2 * index] = rg;
    next_history[2 * index + 1] = b | (((steps << 3) | misses) << 16);

    let (rg_stored, b_stored) = (unpack_halves(rg), unpack_halves(b));
    let mut shown = [rg_stored[0], rg_stored[1], b_stored[0], 1.0];
    if params.alpha_mode == Alpha::Reconstruct.code() {
        let stored = to_half(opacity);
        next_alpha[index] = stored;
        shown[3] = unpack_halves(stored)[0];
    }
    if params.alpha_mode == Alpha::CopyNearest.code() {
        shown[3] = nearest_alpha;
    }
    let [r, g, b] = as_halves(encode([shown[0], shown[1], shown[2]], params));
    output_image.store(pixel[0], pixel[1], [r, g, b, shown[3]]);
}
