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
