//! Values of a token to int8, by their own sum of squares: `shaders/inc/network/norm.glsl`.

use reconstruction_core::exact::inverse_square_root;
use reconstruction_core::network::LayerParams;

/// int8 of rms 32, or of length 127.
pub fn normed(params: &LayerParams, wide: &[i32]) -> Vec<i32> {
    let mut total = 0u32;
    for x in wide {
        let part = x.unsigned_abs() >> params.norm_shift;
        total += part * part;
    }
    let mut factor = 0.0f32;
    if total > 0 {
        factor = inverse_square_root(total as f32) * params.norm_factor;
    }
    wide.iter()
        .map(|&x| (x as f32 * factor).round_ties_even().max(-127.0).min(127.0) as i32)
        .collect()
}
