//! Reference resampling in plain f64/f32: the baselines that a reconstruction is compared with.

use crate::image::Picture;
use reconstruction_core::Size;

/// Slope of the bicubic kernel at distance 1: the value that image tools use by default.
const SLOPE: f64 = -0.75;

/// Weights of the four taps around a position with a fraction in 0..1.
fn cubic(t: f64) -> [f64; 4] {
    let inner = |d: f64| ((SLOPE + 2.0) * d - (SLOPE + 3.0)) * d * d + 1.0;
    let outer = |d: f64| SLOPE * (((d - 5.0) * d + 8.0) * d - 4.0);
    [outer(1.0 + t), inner(t), inner(1.0 - t), outer(2.0 - t)]
}

/// First tap and weights of one output coordinate.
fn taps(at: u32, from: u32, to: u32, shift: f32) -> (i64, [f64; 4]) {
    let position = (f64::from(at) + 0.5) * f64::from(from) / f64::from(to) - 0.5 + f64::from(shift);
    let base = position.floor();
    (base as i64 - 1, cubic(position - base))
}

/// Bicubic enlargement to `size`, edges clamped, negative results cut to 0.
///
/// `shift_px` moves the place that is read by that many input pixels: the frame's jitter undoes the displacement
/// of the picture, `[0, 0]` shows it.
pub fn bicubic(picture: &Picture, size: Size, shift_px: [f32; 2]) -> Picture {
    let from = picture.size;
    let columns: Vec<_> = (0..size.width)
        .map(|x| taps(x, from.width, size.width, shift_px[0]))
        .collect();
    // Rows of the input, resampled along x once each; `row - 2` of the input may be clamped several times.
    let wide = Picture::from_fn(Size::new(size.width, from.height), |x, y| {
        let (first, weights) = columns[x as usize];
        weigh(weights, |tap| picture.clamped(first + tap, i64::from(y)))
    });
    let mut out = Picture::from_fn(size, |x, y| {
        let (first, weights) = taps(y, from.height, size.height, shift_px[1]);
        weigh(weights, |tap| wide.clamped(i64::from(x), first + tap))
    });
    for pixel in &mut out.pixels {
        *pixel = pixel.map(|v| v.max(0.0));
    }
    out
}

fn weigh(weights: [f64; 4], tap: impl Fn(i64) -> [f32; 4]) -> [f32; 4] {
    let mut sum = [0.0f64; 4];
    for (i, weight) in weights.iter().enumerate() {
        let color = tap(i as i64);
        for (s, c) in sum.iter_mut().zip(color) {
            *s += weight * f64::from(c);
        }
    }
    sum.map(|v| v as f32)
}

/// Mean over blocks: a picture reduced by a whole factor on each axis; nothing when the factor is not whole.
pub fn box_mean(picture: &Picture, size: Size) -> Option<Picture> {
    let from = picture.size;
    if from.width % size.width != 0 || from.height % size.height != 0 {
        return None;
    }
    let (fx, fy) = (from.width / size.width, from.height / size.height);
    let scale = 1.0 / f64::from(fx * fy);
    Some(Picture::from_fn(size, |x, y| {
        let mut sum = [0.0f64; 4];
        for dy in 0..fy {
            for dx in 0..fx {
                let color = picture.clamped(i64::from(x * fx + dx), i64::from(y * fy + dy));
                for (s, c) in sum.iter_mut().zip(color) {
                    *s += f64::from(c);
                }
            }
        }
        sum.map(|v| (v * scale) as f32)
    }))
}

/// Running mean of pictures: what plain accumulation of a still scene gives.
#[derive(Debug, Default)]
pub struct RunningMean {
    count: u32,
    sum: Vec<[f64; 4]>,
}

impl RunningMean {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.count = 0;
        self.sum.clear();
    }

    /// Adds a picture and gives the mean so far.
    pub fn add(&mut self, picture: &Picture) -> Picture {
        self.sum.resize(picture.pixels.len(), [0.0; 4]);
        self.count += 1;
        let scale = 1.0 / f64::from(self.count);
        let pixels = self
            .sum
            .iter_mut()
            .zip(&picture.pixels)
            .map(|(sum, pixel)| {
                for (s, &p) in sum.iter_mut().zip(pixel) {
                    *s += f64::from(p);
                }
                sum.map(|v| (v * scale) as f32)
            })
            .collect();
        Picture {
            size: picture.size,
            pixels,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(values: &[f32]) -> Picture {
        let size = Size::new(values.len() as u32, 1);
        Picture::from_fn(size, |x, _| [values[x as usize], 0.0, 0.0, 1.0])
    }

    fn reds(picture: &Picture) -> Vec<f32> {
        picture.pixels.iter().map(|p| p[0]).collect()
    }

    #[test]
    fn weights_by_hand() {
        // a = -0.75 at t = 0.25: distances 1.25, 0.25, 0.75, 1.75.
        let expected = [-0.105_468_75, 0.878_906_25, 0.261_718_75, -0.035_156_25];
        for (ours, theirs) in cubic(0.25).iter().zip(expected) {
            assert!((ours - theirs).abs() < 1e-12, "{ours} {theirs}");
        }
        assert_eq!(cubic(0.0), [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn an_impulse_doubled() {
        let enlarged = bicubic(&row(&[0.0, 0.0, 1.0, 0.0, 0.0]), Size::new(10, 1), [0.0; 2]);
        // Output pixels lie a quarter pixel beside input pixels; negative lobes are cut to 0.
        let expected = [
            0.0,
            0.0,
            0.0,
            0.261_718_75,
            0.878_906_25,
            0.878_906_25,
            0.261_718_75,
            0.0,
            0.0,
            0.0,
        ];
        assert_eq!(reds(&enlarged), expected);
    }

    #[test]
    fn the_shift_undoes_the_jitter() {
        let (jitter, width) = (0.25f32, 16);
        let ramp: Vec<f32> = (0..width).map(|p| p as f32 + 0.5 - jitter).collect();
        let error = |shift| -> f32 {
            let enlarged = bicubic(&row(&ramp), Size::new(2 * width, 1), [shift, 0.0]);
            let inside = reds(&enlarged).into_iter().enumerate().skip(4).take(24);
            inside
                .map(|(o, v)| (v - (o as f32 + 0.5) / 2.0).abs())
                .fold(0.0, f32::max)
        };
        assert!(error(jitter) < 0.1 && error(0.0) > 0.2 && error(-jitter) > 0.4);
    }

    #[test]
    fn box_means_by_hand() {
        let picture = Picture::from_fn(Size::new(4, 2), |x, y| [(x + 4 * y) as f32; 4]);
        let mean = box_mean(&picture, Size::new(2, 1)).unwrap();
        assert_eq!(reds(&mean), [2.5, 4.5]);
        assert_eq!(box_mean(&picture, Size::new(3, 1)), None);
    }

    #[test]
    fn running_means_by_hand() {
        let mut mean = RunningMean::default();
        assert_eq!(reds(&mean.add(&row(&[1.0, 2.0]))), [1.0, 2.0]);
        assert_eq!(reds(&mean.add(&row(&[3.0, 0.0]))), [2.0, 1.0]);
        mean.clear();
        assert_eq!(reds(&mean.add(&row(&[5.0]))), [5.0]);
    }

    proptest! {
        #[test]
        fn weights_sum_to_one(t in 0.0f64..1.0) {
            prop_assert!((cubic(t).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }

        #[test]
        fn a_flat_picture_stays_flat(
            value in 0.0f32..60000.0, width in 1u32..20, height in 1u32..20, x in -0.5f32..0.5, y in -0.5f32..0.5
        ) {
            let flat = Picture::filled(Size::new(7, 5), [value; 4]);
            let enlarged = bicubic(&flat, Size::new(width, height), [x, y]);
            for sample in enlarged.pixels.iter().flatten() {
                prop_assert!((sample - value).abs() <= value * 1e-6);
            }
        }
    }
}
