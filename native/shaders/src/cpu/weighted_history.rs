//! History of a pixel: fetched, held within the neighbourhood, weighted; mirrors `shaders/inc/weighted_history.glsl`.

use super::color::{from_luma_chroma, luma, to_luma_chroma};
use super::reprojection::{history_at, history_color};
use super::samples::Stats;
use reconstruction_core::convention::Alpha;
use reconstruction_core::exact::{reciprocal, unpack_halves};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{
    CLAMP_FLOOR, INV_LUMA_COMPRESSION, INV_WEIGHT_STEPS, LARGEST, SMALLEST,
};

/// What history adds to a pixel.
#[derive(Clone, Copy, Default)]
pub struct History {
    /// Weighted colour times its weight.
    pub color: [f32; 3],
    /// Compression weight times weight.
    pub compression: f32,
    /// Accumulated weight.
    pub weight: f32,
    /// Frames outside the clamp.
    pub misses: u32,
    /// 1 where the clamp corrected it.
    pub is_corrected: f32,
    /// The history as fetched, for the debug view.
    pub fetched: [f32; 3],
    /// Alpha times compression weight times weight.
    pub alpha: f32,
}

/// History at its place, before it is weighted.
pub struct Fetched {
    texel: i32,
    /// Weight in 64ths (13 bits) and frames outside the clamp (3 bits).
    pub state: u32,
    color: [f32; 3],
    kept: [f32; 3],
    yc: [f32; 3],
    compression: f32,
}

/// `position` in output pixels; nothing where there is no history.
pub fn fetch_history(
    params: &FrameParams,
    position: [f32; 2],
    exposure: f32,
    stats: &Stats,
    prev_history: &[u32],
) -> Option<Fetched> {
    let size = params.output_size.map(|n| n as i32);
    let nearest = [position[0].floor() as i32, position[1].floor() as i32];
    let is_inside = (nearest[0] as u32) < size[0] as u32 && (nearest[1] as u32) < size[1] as u32;
    if stats.history == 0.0 || !is_inside {
        return None;
    }
    let texel = nearest[1] * size[0] + nearest[0];
    let nearest_color = history_color(prev_history, texel);
    let color = history_at(position, size, nearest_color, prev_history)
        .map(|channel| (channel * params.history_scale).min(LARGEST));
    let yc = to_luma_chroma(color);
    let compression = reciprocal(1.0 + yc[0] * exposure * INV_LUMA_COMPRESSION);
    Some(Fetched {
        texel,
        state: prev_history[2 * texel as usize + 1] >> 16,
        color,
        kept: color.map(|channel| channel * compression),
        yc: yc.map(|channel| channel * compression),
        compression,
    })
}

/// Half-size of a clamp of `width` deviations.
pub fn clamp_extent(stats: &Stats, width: f32) -> [f32; 3] {
    let floor = stats.mean[0] * CLAMP_FLOOR;
    stats.deviation.map(|deviation| deviation * width + floor)
}

impl Fetched {
    /// Accumulated weight.
    pub fn stored_weight(&self) -> f32 {
        (self.state >> 3) as f32 * INV_WEIGHT_STEPS
    }

    /// Whether the colour leaves the clamp.
    pub fn is_outside(&self, stats: &Stats, extent: [f32; 3]) -> bool {
        (0..3).any(|k| (self.yc[k] - stats.mean[k]).abs() > extent[k])
    }

    /// Corrects the colour to lie within the clamp.
    pub fn hold(&mut self, exposure: f32, stats: &Stats, extent: [f32; 3]) {
        for k in 0..3 {
            self.yc[k] = self.yc[k]
                .max(stats.mean[k] - extent[k])
                .min(stats.mean[k] + extent[k]);
        }
        self.kept = from_luma_chroma(self.yc).map(|channel| channel.max(0.0));
        self.compression = (1.0 - luma(self.kept) * exposure * INV_LUMA_COMPRESSION).max(SMALLEST);
    }

    /// What it adds with a weight.
    pub fn weighted(
        &self,
        params: &FrameParams,
        weight: f32,
        misses: u32,
        is_corrected: f32,
        prev_alpha: &[u32],
    ) -> History {
        let compression = self.compression * weight;
        let has_alpha = params.alpha_mode == Alpha::Reconstruct.code();
        History {
            color: self.kept.map(|channel| channel * weight),
            compression,
            weight,
            misses,
            is_corrected,
            fetched: self.color,
            alpha: match has_alpha {
                true => unpack_halves(prev_alpha[self.texel as usize])[0] * compression,
                false => 0.0,
            },
        }
    }
}
