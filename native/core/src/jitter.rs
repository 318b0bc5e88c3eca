//! The jitter sequence: Halton (2, 3), centred, in render pixels.
//!
//! A jitter `j` displaces the picture by `j` render pixels, +x right, +y down: the sample of pixel `p` lies at
//! `p + 0.5 - j`. It depends on the frame index alone, never on time.

use crate::size::Size;

/// Number of distinct jitters: `ceil(8 * output area / render area)`, at least 32.
pub fn phases(render: Size, output: Size) -> u32 {
    let eight = 8 * output.area();
    (eight.div_ceil(render.area())).max(32) as u32
}

/// The jitter of a frame: entry `1 + frame_index mod phases` of Halton (2, 3), minus one half.
///
/// Each component lies in [-0.5, 0.5). Negative indices count backwards through the sequence.
pub fn halton(frame_index: i64, render: Size, output: Size) -> [f32; 2] {
    let entry = 1 + frame_index.rem_euclid(i64::from(phases(render, output))) as u32;
    [radical_inverse(entry, 2), radical_inverse(entry, 3)]
}

/// Mirror image of the digits of `index` behind the point, minus one half. Numerator and denominator are exact
/// integers, so there is a single rounding.
fn radical_inverse(mut index: u32, base: u32) -> f32 {
    let (mut numerator, mut denominator) = (0u32, 1u32);
    while index > 0 {
        numerator = numerator * base + index % base;
        denominator *= base;
        index /= base;
    }
    // (n - d/2) / d, doubled to stay in integers.
    (f64::from(2 * numerator) - f64::from(denominator)) as f32 / (2 * denominator) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RENDER: Size = Size::new(960, 540);
    const OUTPUT: Size = Size::new(1920, 1080);

    #[test]
    fn first_entries() {
        let first: Vec<[f32; 2]> = (0..4).map(|i| halton(i, RENDER, OUTPUT)).collect();
        assert_eq!(first[0], [0.0, -1.0 / 6.0]);
        assert_eq!(first[1][0], -0.25);
        assert_eq!(first[2][0], 0.25);
        assert_eq!(first[3], [-0.375, -1.0 / 18.0]);
    }

    #[test]
    fn phase_counts() {
        assert_eq!(phases(RENDER, OUTPUT), 32);
        assert_eq!(phases(OUTPUT, OUTPUT), 32);
        assert_eq!(phases(Size::new(640, 360), OUTPUT), 72);
        assert_eq!(phases(Size::new(613, 360), OUTPUT), 76);
    }

    #[test]
    fn huge_indices_stay_exact() {
        let index = i64::from(i32::MAX);
        assert_eq!(
            halton(index, RENDER, OUTPUT),
            halton(index % 32, RENDER, OUTPUT)
        );
    }

    proptest! {
        #[test]
        fn inside_half_a_pixel_and_periodic(index in 0i64..i64::from(i32::MAX)) {
            let j = halton(index, RENDER, OUTPUT);
            prop_assert!(j.iter().all(|c| (-0.5..0.5).contains(c)));
            prop_assert_eq!(j, halton(index + 32, RENDER, OUTPUT));
        }
    }

    #[test]
    fn a_period_is_spread_evenly() {
        // Base 2 over 32 entries: every 32nd of a pixel is visited once.
        let mut xs: Vec<i32> = (0..31)
            .map(|i| (halton(i, RENDER, OUTPUT)[0] * 32.0) as i32)
            .collect();
        xs.sort_unstable();
        xs.dedup();
        assert_eq!(xs.len(), 31);
    }
}
