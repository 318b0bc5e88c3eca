//! What the last layer's sums mean: `shaders/inc/network/heads.glsl`.

use super::pack_bytes;
use reconstruction_core::exact::{exp2, pack_halves};
use reconstruction_core::network::LayerParams;

/// Parameters of a pixel in halves: kernel A, B, C, weight of the sample, share of history kept, clamp width.
pub fn pixel(p: [f32; 6]) -> [u32; 4] {
    let a = (p[0] + p[1]).max(-6.0).min(2.0);
    let c = (p[0] - p[1]).max(-6.0).min(2.0);
    let b = exp2((a + c) * 0.5) * p[2].max(-0.9).min(0.9);
    let sample = exp2(p[3].max(-4.0).min(2.0));
    let u = (0.5 + p[4] * 0.125).max(0.0).min(1.0);
    let keep = u * u * (3.0 - 2.0 * u);
    let clamp = exp2(p[5].max(-3.0).min(4.0));
    [
        pack_halves(exp2(a), b),
        pack_halves(exp2(c), sample),
        pack_halves(keep, clamp),
        0,
    ]
}

/// Sums of the 32 outputs of a token to its four pixels and eight recurrent features.
pub fn heads(
    params: &LayerParams,
    token: usize,
    sums: &[i32],
    multipliers: &[f32],
    parameters_out: &mut [u32],
    recurrent_out: &mut [u32],
) {
    let value = |i: usize| (sums[i] as f32 * multipliers[i]).max(-16.0).min(16.0);
    for i in 0..4 {
        let at = 4 * (4 * token + i);
        let words = pixel(std::array::from_fn(|j| value(6 * i + j)));
        parameters_out[at..at + 4].copy_from_slice(&words);
    }
    debug_assert_eq!(params.output_channels, 32);
    for i in 0..2 {
        let step = |j: usize| {
            let rounded = (value(24 + 4 * i + j) * 32.0).round_ties_even();
            rounded.max(-127.0).min(127.0) as i32
        };
        recurrent_out[2 * token + i] = pack_bytes([step(0), step(1), step(2), step(3)]);
    }
}
