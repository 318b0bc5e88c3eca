//! Previous colour at a place of the output grid; mirrors `shaders/inc/reprojection.glsl`.

use super::cubic::cubic_weights;
use super::samples::unpack_pair;

/// Colour of a texel.
pub fn history_color(prev_history: &[u32], texel: i32) -> [f32; 3] {
    let at = 2 * texel as usize;
    let color = unpack_pair(&prev_history[at..at + 2]);
    [color[0], color[1], color[2]]
}

/// A row of the filter; `low` falls to the least of its two inner texels where there is one to keep.
fn cubic_row(prev_history: &[u32], at: i32, w: [f32; 4], low: Option<&mut [f32; 3]>) -> [f32; 3] {
    if let Some(low) = low {
        for i in 1..3 {
            let color = history_color(prev_history, at + i);
            for k in 0..3 {
                low[k] = low[k].min(color[k]);
            }
        }
    }
    let mut row = history_color(prev_history, at).map(|channel| channel * w[0]);
    for i in 1..4 {
        let color = history_color(prev_history, at + i);
        for k in 0..3 {
            row[k] += color[k] * w[i as usize];
        }
    }
    row
}

/// Bicubic, but no darker than the four nearest texels: beside a light the negative weights would draw black dots. On a
/// texel, where the weights are 0, 1, 0, 0, and where the filter would leave the image, it is the texel.
pub fn history_at(
    position: [f32; 2],
    size: [i32; 2],
    texel: [f32; 3],
    prev_history: &[u32],
) -> [f32; 3] {
    let corner = [position[0] - 0.5, position[1] - 0.5];
    let whole = [corner[0].floor(), corner[1].floor()];
    let t = [corner[0] - whole[0], corner[1] - whole[1]];
    let first = [whole[0] as i32 - 1, whole[1] as i32 - 1];
    let is_inner =
        first[0] >= 0 && first[1] >= 0 && first[0] + 3 < size[0] && first[1] + 3 < size[1];
    if (t[0] == 0.0 && t[1] == 0.0) || !is_inner {
        return texel;
    }
    let wx = cubic_weights(t[0]);
    let wy = cubic_weights(t[1]);
    let at = first[1] * size[0] + first[0];
    let mut low = texel;
    let mut sum = cubic_row(prev_history, at, wx, None).map(|channel| channel * wy[0]);
    for j in 1..4 {
        let inner = if j < 3 { Some(&mut low) } else { None };
        let row = cubic_row(prev_history, at + j * size[0], wx, inner);
        for k in 0..3 {
            sum[k] += row[k] * wy[j as usize];
        }
    }
    [0, 1, 2].map(|k| sum[k].max(low[k]))
}
