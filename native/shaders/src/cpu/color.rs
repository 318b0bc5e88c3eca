//! Colour at the door and in luma/chroma; mirrors `shaders/inc/color.glsl`.

use reconstruction_core::convention::ColorEncoding;
use reconstruction_core::exact::{door, exp2, is_finite, log2, positive_door};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::SMALLEST;

/// Luma of the luma/chroma space: (r + 2 g + b) / 4.
pub fn luma(c: [f32; 3]) -> f32 {
    (c[0] + c[2]) * 0.25 + c[1] * 0.5
}

/// YCoCg, whose luma is [`luma`]; exactly invertible up to rounding.
pub fn to_luma_chroma(c: [f32; 3]) -> [f32; 3] {
    [
        luma(c),
        (c[0] - c[2]) * 0.5,
        c[1] * 0.5 - (c[0] + c[2]) * 0.25,
    ]
}

/// The inverse of [`to_luma_chroma`].
pub fn from_luma_chroma(y: [f32; 3]) -> [f32; 3] {
    let rest = y[0] - y[2];
    [rest + y[1], y[0] + y[2], rest - y[1]]
}

/// A stored colour as linear light in [0, 65504], alpha in [0, 1], and whether every channel of the light was finite:
/// otherwise it means nothing.
pub fn color_at_door(stored: [f32; 4], params: &FrameParams) -> ([f32; 4], bool) {
    let finite = is_finite(stored[0]) && is_finite(stored[1]) && is_finite(stored[2]);
    let mut c = stored;
    if params.is_color_unorm8 != 0 {
        // The exact 8-bit value, whatever the driver's division by 255 gave.
        for channel in &mut c {
            *channel = (*channel * 255.0).round_ties_even() * 0.003_921_569;
        }
    }
    c[3] = door(c[3], 0.0).max(0.0).min(1.0);
    for channel in &mut c[..3] {
        *channel = positive_door(*channel);
    }
    if params.color_encoding == ColorEncoding::SrgbLdr.code() {
        for channel in &mut c[..3] {
            *channel = door(srgb_to_linear(*channel), 0.0);
        }
    }
    (c, finite)
}

/// IEC 61966-2-1 decoding of a value in [0, 1].
pub fn srgb_to_linear(v: f32) -> f32 {
    if v <= 0.040_45 {
        v * 0.077_399_38
    } else {
        exp2(log2((v + 0.055) * 0.947_867_3) * 2.4)
    }
}

/// IEC 61966-2-1 encoding of a value in [0, 65504].
pub fn linear_to_srgb(v: f32) -> f32 {
    if v <= 0.003_130_8 {
        v * 12.92
    } else {
        exp2(log2(v.max(SMALLEST)) * 0.416_666_66) * 1.055 - 0.055
    }
}

/// Linear light in the encoding of the output.
pub fn encode(c: [f32; 3], params: &FrameParams) -> [f32; 3] {
    if params.color_encoding == ColorEncoding::SrgbLdr.code() {
        c.map(linear_to_srgb)
    } else {
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_codes_survive_a_round_trip() {
        for code in 0..256 {
            let v = code as f32 / 255.0;
            let back = linear_to_srgb(srgb_to_linear(v)) * 255.0;
            assert!((back - code as f32).abs() < 0.01, "{code}: {back}");
        }
        assert!((srgb_to_linear(0.5) - 0.214_041_14).abs() < 1e-6);
    }

    #[test]
    fn luma_chroma_inverts() {
        let c = [0.25, 0.5, 8.0];
        assert_eq!(from_luma_chroma(to_luma_chroma(c)), c);
        assert_eq!(luma([1.0, 1.0, 1.0]), 1.0);
    }
}
