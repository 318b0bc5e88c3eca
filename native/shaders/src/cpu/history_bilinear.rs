//! Previous colour between four texels; mirrors `shaders/inc/history_bilinear.glsl`.

use super::reprojection::history_color;
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::INV_WEIGHT_STEPS;

fn texel_of_history(prev_history: &[u32], texel: [i32; 2], size: [i32; 2]) -> [f32; 3] {
    let x = texel[0].max(0).min(size[0] - 1);
    let y = texel[1].max(0).min(size[1] - 1);
    history_color(prev_history, y * size[0] + x)
}

/// Colour at a place in output pixels, and the accumulated weight of the nearest texel; nothing outside.
pub fn history_bilinear(
    params: &FrameParams,
    prev_history: &[u32],
    position: [f32; 2],
) -> Option<([f32; 3], f32)> {
    let size = params.output_size.map(|n| n as i32);
    let nearest = position.map(|p| p.floor() as i32);
    if nearest[0] as u32 >= size[0] as u32 || nearest[1] as u32 >= size[1] as u32 {
        return None;
    }
    let corner = [position[0] - 0.5, position[1] - 0.5];
    let whole = [corner[0].floor(), corner[1].floor()];
    let t = [corner[0] - whole[0], corner[1] - whole[1]];
    let first = [whole[0] as i32, whole[1] as i32];
    let texel = |x: i32, y: i32| texel_of_history(prev_history, [first[0] + x, first[1] + y], size);
    let row = |y: i32| {
        let (a, b) = (texel(0, y), texel(1, y));
        [0, 1, 2].map(|k| a[k] * (1.0 - t[0]) + b[k] * t[0])
    };
    let (low, high) = (row(0), row(1));
    let color = [0, 1, 2].map(|k| low[k] * (1.0 - t[1]) + high[k] * t[1]);
    let state = prev_history[2 * (nearest[1] * size[0] + nearest[0]) as usize + 1];
    Some((color, (state >> 19) as f32 * INV_WEIGHT_STEPS))
}
