//! Tone mapping of pictures that people look at.

/// The text chunk of every PNG that names its tone mapping, as in the pictures of `./run`.
pub const KEY: &str = "Tone mapping";

/// What it says.
pub const NAME: &str = "x/(1+x), then sRGB";

/// One exposed linear component as 8 bits: x / (1 + x), then the sRGB curve. Negative and NaN give 0.
pub fn display_u8(x: f32) -> u8 {
    // A comparison sends NaN to 0; infinity must not divide itself.
    let x = if x > 0.0 {
        f64::from(x.min(f32::MAX))
    } else {
        0.0
    };
    srgb_u8(x / (1.0 + x))
}

/// One linear component of 0..1 as 8 bits on the sRGB curve; what lies outside is clamped, NaN gives 0.
pub fn srgb_u8(linear: f64) -> u8 {
    let mapped = if linear > 0.0 { linear.min(1.0) } else { 0.0 };
    let encoded = if mapped <= 0.003_130_8 {
        12.92 * mapped
    } else {
        1.055 * mapped.powf(1.0 / 2.4) - 0.055
    };
    (encoded * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::display_u8;

    #[test]
    fn hand_computed_values() {
        // 1 -> 0.5 -> 0.7354 -> 187.5; 0.25 -> 0.2 -> 0.4845 -> 123.5
        assert_eq!(display_u8(1.0), 188);
        assert_eq!(display_u8(0.25), 124);
        let ends = [-1.0, f32::NAN, 0.0, 65504.0, f32::INFINITY];
        assert_eq!(ends.map(display_u8), [0, 0, 0, 255, 255]);
    }
}
