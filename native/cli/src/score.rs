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

#[cfg(test)]
mod tests {
    use super::*;
    use reconstruction_core::Size;

    fn gray(values: &[f32]) -> Picture {
        let size = Size::new(values.len() as u32, 1);
        Picture::from_fn(size, |x, _| [values[x as usize]; 4])
    }

    #[test]
    fn tones_by_hand() {
        assert_eq!(log_tone(0.0), 0.0);
        assert!((log_tone(1.0) - 1.0).abs() < 1e-15);
        // log 5 / log 9
        assert!((log_tone(0.5) - 0.732_486_760_5).abs() < 1e-9);
        assert_eq!((log_tone(-1.0), log_tone(f32::NAN)), (0.0, 0.0));
    }

    #[test]
    fn psnr_by_hand() {
        // One of two pixels is off by 1 - 0.7324868: mean square 0.0357817 after halving, 14.4634 dB.
        let error = log_error(&gray(&[0.5, 1.0]), &gray(&[1.0, 1.0]), 1.0);
        assert!((psnr(&error) - 14.4634).abs() < 1e-3, "{}", psnr(&error));
        // Exposure 2 turns the pair into 1 and 2: log 17 / log 9 - 1 = 0.2894544, 13.7790 dB.
        let error = log_error(&gray(&[0.5, 1.0]), &gray(&[1.0, 1.0]), 2.0);
        assert!((psnr(&error) - 13.779).abs() < 1e-3, "{}", psnr(&error));
        let equal = log_error(&gray(&[0.5]), &gray(&[0.5]), 1.0);
        assert_eq!(psnr(&equal), f64::INFINITY);
    }

    #[test]
    fn flicker_is_the_mean_change_of_the_error() {
        let (before, now) = (vec![[0.1, 0.0, -0.1]; 4], vec![[0.1, 0.3, 0.2]; 4]);
        assert!((flicker(&now, &before) - 0.2).abs() < 1e-12);
        assert_eq!(flicker(&now, &now), 0.0);
    }

    #[test]
    fn bright_pixels_are_left_out_of_the_mean() {
        // Mean of the reference 101.9: the last pixel is above 8 times that.
        let mut reference = vec![2.0; 19];
        reference.push(2000.0);
        let mut ours = vec![1.0; 19];
        ours.push(9000.0);
        assert_eq!(mean_ratio(&gray(&ours), &gray(&reference)), 0.5);
    }
}
