//! How close a picture is to its reference.
//!
//! Every error is taken after log1p(8 x) / log 9 of the exposed colour: dark and bright parts count alike, and
//! 0..1 stays 0..1.

use crate::image::Picture;

/// log1p(8 x) / log 9; negative and NaN count as 0.
pub fn log_tone(x: f32) -> f64 {
    (8.0 * f64::from(x.max(0.0))).ln_1p() / 9f64.ln()
}

/// The signed error of each pixel's R, G, B after [`log_tone`] of `color * exposure`.
pub fn log_error(picture: &Picture, reference: &Picture, exposure: f32) -> Vec<[f64; 3]> {
    assert_eq!(picture.size, reference.size, "pictures to compare");
    picture
        .pixels
        .iter()
        .zip(&reference.pixels)
        .map(|(a, b)| [0, 1, 2].map(|c| log_tone(a[c] * exposure) - log_tone(b[c] * exposure)))
        .collect()
}

/// PSNR of an error against a peak of 1, in decibels; infinite for equal pictures.
pub fn psnr(error: &[[f64; 3]]) -> f64 {
    let sum: f64 = error.iter().flatten().map(|e| e * e).sum();
    -10.0 * (sum / (3 * error.len()) as f64).log10()
}

/// Mean absolute change of the error from the frame before.
pub fn flicker(error: &[[f64; 3]], prev_error: &[[f64; 3]]) -> f64 {
    let sum: f64 = error
        .iter()
        .flatten()
        .zip(prev_error.iter().flatten())
        .map(|(a, b)| (a - b).abs())
        .sum();
    sum / (3 * error.len()) as f64
}

/// Mean radiance of a picture over that of its reference, over pixels whose reference is below 8 times its mean.
///
/// NaN where the reference is black.
pub fn mean_ratio(picture: &Picture, reference: &Picture) -> f64 {
    let luma = |p: &[f32; 4]| f64::from(p[0]) + f64::from(p[1]) + f64::from(p[2]);
    let mean = reference.pixels.iter().map(luma).sum::<f64>() / reference.pixels.len() as f64;
    let (mut ours, mut theirs) = (0.0, 0.0);
    for (a, b) in picture.pixels.iter().zip(&reference.pixels) {
        if luma(b) < 8.0 * mean {
            ours += luma(a);
            theirs += luma(b);
        }
    }
    ours / theirs
}
