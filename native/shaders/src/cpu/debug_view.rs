//! The debug views; mirrors `shaders/inc/debug_view.glsl`.

use super::image::Image;
use super::picture::as_halves;
use super::samples::{unpack_pair, Stats};
use super::weighted_history::History;
use reconstruction_core::convention::DebugView;
use reconstruction_core::exact::reciprocal;
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::tuning::SMALLEST;

/// What a view shows of a pixel.
pub struct Shown<'a> {
    /// The nearest sample's colour and weight.
    pub sample: &'a [u32],
    /// Its motion.
    pub motion: [f32; 2],
    /// Its neighbourhood.
    pub stats: &'a Stats,
    /// What history adds.
    pub history: &'a History,
    /// What the view of the kernel's width shows.
    pub width: [f32; 3],
    /// Weight of this frame's samples.
    pub own_weight: f32,
    /// Weight of everything.
    pub total_weight: f32,
}

/// Stores the chosen view of a pixel, where one is chosen and there is an image for it.
pub fn store_debug(
    params: &FrameParams,
    pixel: [i32; 2],
    shown: &Shown,
    debug_image: Option<&mut Image>,
) {
    if let Some(image) = debug_image {
        if params.debug_view != DebugView::None.code() {
            let [r, g, b] = as_halves(debug_color(params, shown));
            image.store(pixel[0], pixel[1], [r, g, b, 1.0]);
        }
    }
}

fn debug_color(params: &FrameParams, shown: &Shown) -> [f32; 3] {
    let view = params.debug_view;
    let h = shown.history;
    let mut grey = 0.0f32;
    if view == DebugView::Inputs.code() {
        let s = unpack_pair(shown.sample);
        return [s[0], s[1], s[2]];
    }
    if view == DebugView::Motion.code() {
        let [x, y] = shown.motion.map(|m| (0.5 + m * 0.0625).max(0.0).min(1.0));
        return [x, y, 0.5];
    }
    if view == DebugView::HistoryReprojected.code() {
        return h.fetched;
    }
    if view == DebugView::HistoryValidity.code() {
        grey = shown.stats.history * 0.5;
    }
    if view == DebugView::Trust.code() {
        grey = h.weight * reciprocal(shown.total_weight.max(SMALLEST));
    }
    if view == DebugView::SampleWeight.code() {
        grey = shown.own_weight.min(1.0);
    }
    if view == DebugView::KernelWidth.code() {
        return shown.width;
    }
    if view == DebugView::Rejected.code() {
        grey = h.is_corrected;
    }
    if view == DebugView::PhaseCoverage.code() {
        grey = (shown.total_weight * 0.125).min(1.0);
    }
    [grey, grey, grey]
}
