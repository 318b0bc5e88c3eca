//! Reference of `shaders/frame/exposure.comp`.

use super::color::{color_at_door, luma};
use super::image::Image;
use reconstruction_core::convention::ExposureKind;
use reconstruction_core::exact::{door, exp2, log2_parts};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{AUTO_EXPOSURE_KEY, SMALLEST};

/// Grid of pixels whose luma is measured, on each axis.
pub const GRID: [u32; 2] = [64, 32];

/// All invocations of the pass.
pub fn exposure(
    params: &FrameParams,
    color_image: &Image,
    exposure_image: &Image,
    exposure_sums: &mut [u32],
    exposure_value: &mut [u32],
) {
    let size = params.render_size;
    for y in 0..GRID[1] {
        for x in 0..GRID[0] {
            let pixel = [
                (2 * x + 1) * size[0] / (2 * GRID[0]),
                (2 * y + 1) * size[1] / (2 * GRID[1]),
            ];
            let stored = color_image.fetch(pixel[0] as i32, pixel[1] as i32);
            let (c, finite) = color_at_door(stored, params);
            let l = luma([c[0], c[1], c[2]]);
            if finite && l > 0.0 {
                let (whole, rest) = log2_parts(l);
                let term = (whole + 16) * 1024 + (rest * 1024.0).round_ties_even() as i32;
                exposure_sums[0] = exposure_sums[0].wrapping_add(term as u32);
                exposure_sums[1] += 1;
            }
        }
    }
    let mut value = params.exposure_scale;
    if params.exposure_kind == ExposureKind::Texture.code() {
        let texel = exposure_image.fetch(0, 0)[0];
        value = door(texel, 1.0);
        if value <= 0.0 {
            value = 1.0;
        }
    }
    if params.exposure_kind == ExposureKind::Auto.code() && exposure_sums[1] > 0 {
        let mean = exposure_sums[0] / exposure_sums[1];
        value = AUTO_EXPOSURE_KEY * exp2((16384 - mean as i32) as f32 * 0.000_976_562_5);
    }
    value = value.max(SMALLEST).min(16384.0);
    exposure_value[0] = value.to_bits();
    exposure_sums.fill(0);
}
