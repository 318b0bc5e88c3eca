//! Arithmetic with one result on every device, mirrored by `shaders/inc/exact.glsl`.

use crate::tuning::{LARGEST, SMALLEST};

/// FNV-1a over 64 bits, for fingerprints of layouts and hashes of frames.
#[derive(Debug, Clone)]
pub struct Fnv64(u64);

impl Fnv64 {
    /// The empty hash.
    pub const fn new() -> Self {
        Fnv64(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The hash of everything written.
    pub const fn finish(&self) -> u64 {
        self.0
    }
}

impl Default for Fnv64 {
    fn default() -> Self {
        Self::new()
    }
}

const INFINITY_BITS: u32 = 0x7f80_0000;

/// A value at the door: `substitute` where it is not finite, +0 where it is smaller than 2^-14.
pub fn door(value: f32, substitute: f32) -> f32 {
    let magnitude = value.to_bits() & 0x7fff_ffff;
    if magnitude >= INFINITY_BITS {
        substitute
    } else if magnitude < SMALLEST.to_bits() {
        0.0
    } else {
        value
    }
}

/// The same for values of which only the positive ones count: 0 below 2^-14, at most 65504, whatever a NaN gives.
pub fn positive_door(value: f32) -> f32 {
    let bits = value.to_bits() as i32;
    if bits < SMALLEST.to_bits() as i32 {
        0.0
    } else {
        f32::from_bits(bits.min(LARGEST.to_bits() as i32) as u32)
    }
}

/// Whether a value is neither infinite nor NaN.
pub fn is_finite(value: f32) -> bool {
    value.to_bits() & 0x7fff_ffff < INFINITY_BITS
}

/// 1 / x for x in [2^-60, 2^60], within 2 units in the last place: an integer first guess and three Newton steps.
pub fn reciprocal(x: f32) -> f32 {
    let mut y = f32::from_bits(0x7ef3_11c3u32.wrapping_sub(x.to_bits()));
    y *= 2.0 - x * y;
    y *= 2.0 - x * y;
    y *= 2.0 - x * y;
    y
}

/// 1 / sqrt(x) for x in [2^-60, 2^60], within 3 units in the last place: an integer first guess and three Newton steps.
pub fn inverse_square_root(x: f32) -> f32 {
    let half = x * 0.5;
    let mut y = f32::from_bits(0x5f37_5a86u32.wrapping_sub(x.to_bits() >> 1));
    y *= 1.5 - half * (y * y);
    y *= 1.5 - half * (y * y);
    y *= 1.5 - half * (y * y);
    y
}

/// The square root of x in [2^-60, 2^60], within 3 units in the last place.
pub fn square_root(x: f32) -> f32 {
    x * inverse_square_root(x)
}

/// The binary logarithm of a positive normal x as a whole number and a rest in [-0.5, 0.5], together within 1e-6.
/// Scaling x by a power of two changes the whole number alone.
pub fn log2_parts(x: f32) -> (i32, f32) {
    let bits = x.to_bits();
    // 0x3f3504f3 is sqrt(1/2): the mantissa is taken from [sqrt(1/2), sqrt(2)).
    let exponent = (bits.wrapping_sub(0x3f35_04f3) as i32) >> 23;
    let u = f32::from_bits(bits.wrapping_sub((exponent << 23) as u32)) - 1.0;
    let mut q = -0.146_203_53f32;
    q = q * u + 0.234_209_85;
    q = q * u - 0.248_821_81;
    q = q * u + 0.287_075_6;
    q = q * u - 0.360_241_98;
    q = q * u + 0.480_924_04;
    q = q * u - 0.721_352_76;
    q = q * u + 1.442_694_9;
    (exponent, u * q)
}

/// The binary logarithm of a positive normal x, within 2e-6.
pub fn log2(x: f32) -> f32 {
    let (whole, rest) = log2_parts(x);
    whole as f32 + rest
}

/// 2^x for x in [-100, 100], within 1e-6 of the value: the whole part shifts the exponent.
pub fn exp2(x: f32) -> f32 {
    let whole = x.floor();
    let f = x - whole;
    let mut q = 0.000_208_291_91f32;
    q = q * f + 0.001_268_935_3;
    q = q * f + 0.009_652_44;
    q = q * f + 0.055_495_936;
    q = q * f + 0.240_227_22;
    q = q * f + std::f32::consts::LN_2;
    f32::from_bits(((1.0 + f * q).to_bits() as i32).wrapping_add((whole as i32) << 23) as u32)
}

/// The half nearest to a finite value, ties to even; +0 below 2^-14, at most 65504 in magnitude.
pub fn to_half(value: f32) -> u32 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    if magnitude < SMALLEST.to_bits() {
        return 0;
    }
    let rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
    let half = ((rounded - 0x3800_0000) >> 13).min(0x7bff);
    half | ((bits >> 16) & 0x8000)
}

/// Two halves in a word, `x` in the low bits.
pub fn pack_halves(x: f32, y: f32) -> u32 {
    to_half(x) | (to_half(y) << 16)
}

/// The two halves of a word; exact, since stored halves are zero or normal.
pub fn unpack_halves(word: u32) -> [f32; 2] {
    let half = |bits: u32| half::f16::from_bits(bits as u16).to_f32();
    [half(word & 0xffff), half(word >> 16)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reciprocal_is_close(x in 1e-9f32..1e9) {
            let wanted = 1.0 / f64::from(x);
            prop_assert!((f64::from(reciprocal(x)) / wanted - 1.0).abs() < 2.5e-7);
        }

        #[test]
        fn square_root_is_close(x in 1e-12f32..1e12) {
            let wanted = f64::from(x).sqrt();
            prop_assert!((f64::from(square_root(x)) / wanted - 1.0).abs() < 4e-7);
        }

        #[test]
        fn inverse_square_root_is_close(x in 1e-12f32..1e12) {
            let wanted = 1.0 / f64::from(x).sqrt();
            prop_assert!((f64::from(inverse_square_root(x)) / wanted - 1.0).abs() < 4e-7);
        }

        #[test]
        fn log2_is_close_and_shifts_exactly(x in 1e-4f32..1e5, k in -10i32..10) {
            prop_assert!((f64::from(log2(x)) - f64::from(x).log2()).abs() < 2e-6);
            let (whole, rest) = log2_parts(x);
            prop_assert_eq!(log2_parts(x * 2f32.powi(k)), (whole + k, rest));
        }

        #[test]
        fn exp2_is_close(x in -60f32..60.0) {
            let wanted = f64::from(x).exp2();
            prop_assert!((f64::from(exp2(x)) / wanted - 1.0).abs() < 1e-6);
        }

        #[test]
        fn halves_round_to_nearest_even(x in prop::num::f32::NORMAL) {
            let magnitude = x.abs();
            let got = unpack_halves(to_half(x))[0];
            if magnitude < SMALLEST {
                prop_assert_eq!(got.to_bits(), 0);
            } else if magnitude > 65504.0 {
                prop_assert_eq!(got, 65504f32.copysign(x));
            } else {
                prop_assert_eq!(got, half::f16::from_f32(x).to_f32());
            }
        }
    }

    #[test]
    fn the_door_lets_no_special_value_in() {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(door(value, 7.0), 7.0);
        }
        for value in [0.0f32, -0.0, 1e-40, -6.1e-5, f32::MIN_POSITIVE] {
            assert_eq!(door(value, 7.0).to_bits(), 0, "{value}");
        }
        assert_eq!(door(SMALLEST, 7.0), SMALLEST);
        assert_eq!(door(-65504.0, 7.0), -65504.0);
    }

    #[test]
    fn powers_of_two_have_whole_logarithms() {
        for k in -16..17 {
            assert_eq!(log2(2f32.powi(k)), k as f32);
            assert_eq!(exp2(k as f32), 2f32.powi(k));
        }
    }
}
