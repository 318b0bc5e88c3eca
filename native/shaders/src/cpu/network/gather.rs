//! Which tokens feed a sum: `shaders/inc/network/gather.glsl`.

use reconstruction_core::network::LayerParams;

/// Tokens that are read for one that is written.
pub fn taps(variant: &str) -> usize {
    match variant {
        "hidden" | "residual" => 9,
        "merge" => 4,
        _ => 1,
    }
}

/// The index of the token that a tap reads; none outside the grid, where every channel is zero.
pub fn source(variant: &str, params: &LayerParams, tap: usize, token: [i32; 2]) -> Option<usize> {
    let tap = tap as i32;
    let at = match variant {
        "hidden" | "residual" => [token[0] + tap % 3 - 1, token[1] + tap / 3 - 1],
        "merge" => [2 * token[0] + tap % 2, 2 * token[1] + tap / 2],
        "expand" => [token[0] >> 1, token[1] >> 1],
        _ => token,
    };
    let grid = params.input_grid.map(|n| n as i32);
    let is_inside = at[0] >= 0 && at[1] >= 0 && at[0] < grid[0] && at[1] < grid[1];
    is_inside.then_some((at[1] * grid[0] + at[0]) as usize)
}

/// First row of the weights of a token: an expansion has its own for each place in the parent.
pub fn first_row(variant: &str, params: &LayerParams, token: [i32; 2]) -> usize {
    match variant {
        "expand" => {
            let child = 2 * (token[1] & 1) + (token[0] & 1);
            child as usize * params.output_channels as usize
        }
        _ => 0,
    }
}
