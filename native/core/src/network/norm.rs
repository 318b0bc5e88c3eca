//! The norm of a token: int8 of rms 32 from a wide residual.

/// Root mean square of a normed token.
pub const NORM_RMS: f32 = 32.0;

/// Right shift of the magnitudes before they are squared, so that the sum of squares fits 32 bits.
pub const fn norm_shift(channels: u32) -> u32 {
    if channels <= 64 {
        2
    } else {
        3
    }
}

/// 32 sqrt(channels) / 2^shift, rounded once: square roots of a library differ between machines, literals do not.
pub fn norm_factor(channels: u32) -> f32 {
    let root: f64 = match channels {
        32 => 5.656_854_249_492_381,
        64 => 8.0,
        96 => 9.797_958_971_132_712,
        128 => 11.313_708_498_984_76,
        160 => 12.649_110_640_673_518,
        192 => 13.856_406_460_551_018,
        224 => 14.966_629_547_095_765,
        256 => 16.0,
        _ => panic!("{channels} channels: a multiple of 32 in 32..256"),
    };
    (f64::from(NORM_RMS) * root / f64::from(1u32 << norm_shift(channels))) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_roots_and_sums_of_squares_fit() {
        for channels in (32..=256).step_by(32) {
            let shift = norm_shift(channels);
            let wanted = 32.0 * f64::from(channels).sqrt() / f64::from(1 << shift);
            assert_eq!(norm_factor(channels), wanted as f32);
            let most = u64::from(32767u32 >> shift).pow(2) * u64::from(channels);
            assert!(u32::try_from(most).is_ok(), "{channels}");
        }
    }
}
