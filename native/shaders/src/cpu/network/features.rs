//! Reference of `shaders/network/features.comp`.

use super::super::color::to_luma_chroma;
use super::super::history_bilinear::history_bilinear;
use super::super::samples::{unpack_pair, unpack_stats};
use reconstruction_core::exact::{log2, reciprocal, unpack_halves};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::{FARTHEST, SMALLEST};

/// The words of a token.
#[derive(Default)]
struct Words([u32; 16]);

impl Words {
    fn put(&mut self, channel: usize, value: f32, scale: f32) {
        let q = (value * scale).round_ties_even().max(-127.0).min(127.0) as i32;
        self.0[channel >> 2] |= (q as u32 & 0xff) << ((channel & 3) * 8);
    }
}

fn log_luma_chroma(color: [f32; 3], exposure: f32) -> [f32; 3] {
    let gain = exposure * 8.0;
    to_luma_chroma(color.map(|c| log2(1.0 + c * gain)))
}

/// All invocations of the pass.
pub fn features(
    params: &FrameParams,
    exposure_value: &[u32],
    sample_color: &[u32],
    sample_motion: &[u32],
    sample_stats: &[u32],
    next_surface: &[u32],
    prev_history: &[u32],
    prev_recurrent: &[u32],
    features: &mut [u32],
) {
    let size = params.render_size.map(|n| n as i32);
    let grid = size.map(|n| (n + 1) >> 1);
    let exposure = f32::from_bits(exposure_value[0]);
    for y in 0..grid[1] {
        for x in 0..grid[0] {
            let mut words = Words::default();
            let mut depths = [0.0f32; 4];
            let mut nearest_depth = FARTHEST;
            let mut motion = [0.0f32; 2];
            let mut length_px = -1.0f32;
            let mut has_history = false;
            for i in 0..4 {
                let pixel = [
                    (2 * x + (i & 1)).min(size[0] - 1),
                    (2 * y + (i >> 1)).min(size[1] - 1),
                ];
                let i = i as usize;
                let at = (pixel[1] * size[0] + pixel[0]) as usize;
                let stats = unpack_stats(&sample_stats[4 * at..4 * at + 4]);
                let own_motion = unpack_halves(sample_motion[at]);
                let sample = unpack_pair(&sample_color[2 * at..2 * at + 2]);
                let color = log_luma_chroma([sample[0], sample[1], sample[2]], exposure);
                let first = 12 * i;
                words.put(first, color[0], 16.0);
                words.put(first + 1, color[1], 32.0);
                words.put(first + 2, color[2], 32.0);
                let position = [0, 1].map(|a| {
                    (pixel[a] as f32 + 0.5 - params.jitter_px[a] + own_motion[a])
                        * params.output_per_render[a]
                });
                if stats.history > 0.0 {
                    if let Some((kept, weight)) = history_bilinear(params, prev_history, position) {
                        let kept = log_luma_chroma(kept, exposure * params.history_scale);
                        words.put(first + 3, kept[0], 16.0);
                        words.put(first + 4, kept[1], 32.0);
                        words.put(first + 5, kept[2], 32.0);
                        words.put(first + 6, color[0] - kept[0], 48.0);
                        words.put(first + 8, log2(1.0 + weight), 20.0);
                    }
                }
                words.put(first + 7, stats.history, 63.0);
                let deviation = log2(1.0 + stats.deviation[0] * (exposure * 64.0));
                words.put(first + 9, deviation, 16.0);
                let mean = log2(1.0 + stats.mean[0] * (exposure * 8.0));
                words.put(first + 11, color[0] - mean, 32.0);
                depths[i] = f32::from_bits(next_surface[2 * at]).max(SMALLEST);
                nearest_depth = nearest_depth.min(depths[i]);
                let own_length = own_motion[0].abs().max(own_motion[1].abs());
                if own_length > length_px {
                    length_px = own_length;
                    motion = own_motion;
                }
                has_history = has_history || stats.history > 0.0;
            }
            let nearest_log = log2(nearest_depth);
            for i in 0..4 {
                words.put(12 * i + 10, log2(depths[i]) - nearest_log, 32.0);
            }

            words.put(48, log2(1.0 + length_px), 24.0);
            let unit = reciprocal(length_px.max(1.0));
            words.put(49, motion[0] * unit, 127.0);
            words.put(50, motion[1] * unit, 127.0);
            words.put(51, params.jitter_px[0], 254.0);
            words.put(52, params.jitter_px[1], 254.0);
            words.put(53, log2(params.output_per_render[0]), 80.0);
            words.put(54, log2(params.output_per_render[1]), 80.0);
            words.put(55, 1.0, 127.0);

            // What the network left at this place of the surface.
            let from = [
                (((2 * x + 1) as f32 + motion[0]) * 0.5).floor() as i32,
                (((2 * y + 1) as f32 + motion[1]) * 0.5).floor() as i32,
            ];
            let is_inside = from[0] >= 0 && from[1] >= 0 && from[0] < grid[0] && from[1] < grid[1];
            if has_history && is_inside {
                let left = 2 * (from[1] * grid[0] + from[0]) as usize;
                words.0[14] = prev_recurrent[left];
                words.0[15] = prev_recurrent[left + 1];
            }
            let index = 16 * (y * grid[0] + x) as usize;
            features[index..index + 16].copy_from_slice(&words.0);
        }
    }
}
