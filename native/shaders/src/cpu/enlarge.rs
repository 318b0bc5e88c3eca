//! Reference of `shaders/frame/enlarge.comp`.

use super::color::{color_at_door, encode};
use super::cubic::cubic_weights;
use super::image::Image;
use reconstruction_core::convention::Alpha;
use reconstruction_core::exact::{pack_halves, unpack_halves};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::LARGEST;

/// All invocations of the pass.
pub fn enlarge(params: &FrameParams, color_image: &Image, output_image: &mut Image) {
    let size = params.output_size.map(|n| n as i32);
    let render_size = params.render_size.map(|n| n as i32);
    for y in 0..size[1] {
        for x in 0..size[0] {
            let corner = [
                (x as f32 + 0.5) * params.render_per_output[0] - 0.5,
                (y as f32 + 0.5) * params.render_per_output[1] - 0.5,
            ];
            let whole = [corner[0].floor(), corner[1].floor()];
            let first = [whole[0] as i32, whole[1] as i32];
            let wx = cubic_weights(corner[0] - whole[0]);
            let wy = cubic_weights(corner[1] - whole[1]);
            let mut sum = [0.0f32; 4];
            for j in 0..4 {
                let at_y = (first[1] + j - 1).clamp(0, render_size[1] - 1);
                let mut row = [0.0f32; 4];
                for i in 0..4 {
                    let at_x = (first[0] + i - 1).clamp(0, render_size[0] - 1);
                    let (mut texel, finite) = color_at_door(color_image.fetch(at_x, at_y), params);
                    if !finite {
                        texel[..3].fill(0.0);
                    }
                    for k in 0..4 {
                        row[k] += texel[k] * wx[i as usize];
                    }
                }
                for k in 0..4 {
                    sum[k] += row[k] * wy[j as usize];
                }
            }
            let encoded = encode(
                [
                    sum[0].max(0.0).min(LARGEST),
                    sum[1].max(0.0).min(LARGEST),
                    sum[2].max(0.0).min(LARGEST),
                ],
                params,
            );
            let mut alpha = 1.0f32;
            if params.alpha_mode != Alpha::Ignore.code() {
                alpha = sum[3].max(0.0).min(1.0);
            }
            let (rg, ba) = (
                unpack_halves(pack_halves(encoded[0], encoded[1])),
                unpack_halves(pack_halves(encoded[2], alpha)),
            );
            output_image.store(x, y, [rg[0], rg[1], ba[0], ba[1]]);
        }
    }
}
