//! Reference of `shaders/debug/statistics.comp`.

use super::image::Image;
use reconstruction_core::exact::is_finite;
use reconstruction_core::frame_params::FrameParams;

/// All invocations of the pass.
pub fn statistics(
    params: &FrameParams,
    color_image: &Image,
    depth_image: &Image,
    motion_image: &Image,
    counts: &mut [u32],
) {
    for y in 0..params.render_size[1] as i32 {
        for x in 0..params.render_size[0] as i32 {
            let motion = motion_image.fetch(x, y);
            if is_finite(motion[0]) && is_finite(motion[1]) {
                let px = [
                    motion[0] * params.motion_scale[0],
                    motion[1] * params.motion_scale[1],
                ];
                let longest = px[0].abs().max(px[1].abs());
                if longest > 0.0 {
                    counts[0] += 1;
                    counts[2] = counts[2].max(longest.to_bits());
                }
            } else {
                counts[1] += 1;
            }
            let color = color_image.fetch(x, y);
            if !(is_finite(color[0]) && is_finite(color[1]) && is_finite(color[2])) {
                counts[3] += 1;
            }
            if !is_finite(depth_image.fetch(x, y)[0]) {
                counts[4] += 1;
            }
        }
    }
}
