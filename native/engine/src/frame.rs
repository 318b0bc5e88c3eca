//! One frame, as the host gives it, and what becomes of it.

use crate::image_desc::ImageDesc;
use reconstruction_core::convention::{Bypass, DebugView, ResetReason};
use reconstruction_core::frame_params::{self, Conventions};
use reconstruction_core::host_blocks::LOST;

/// How far the device has come, as only the host can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastFinished {
    /// The device has finished this host frame and all before it; 0 before the first.
    Frame(u64),
    /// The device has finished everything that was recorded.
    Idle,
    /// The device is lost.
    Lost,
}

impl LastFinished {
    /// The value of a number that crossed the boundary.
    pub fn from_code(code: u64) -> Self {
        if code == LOST {
            LastFinished::Lost
        } else {
            LastFinished::Frame(code)
        }
    }
}

/// Where a frame's exposure comes from. Exposed colour = colour * exposure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exposure {
    /// Measured from the picture.
    Auto,
    /// A number, finite and above 0.
    Scalar(f32),
    /// Red of texel (0, 0): R32F, R16F, RGBA16F or RGBA32F.
    Texture(ImageDesc),
    /// Colour is already multiplied by this number, finite and above 0; the output stays multiplied.
    PreExposed(f32),
}

impl Exposure {
    /// The exposure without its texture, as the parameter block wants it.
    pub(crate) fn without_texture(&self) -> frame_params::Exposure {
        match *self {
            Exposure::Auto => frame_params::Exposure::Auto,
            Exposure::Scalar(value) => frame_params::Exposure::Scalar(value),
            Exposure::Texture(_) => frame_params::Exposure::Texture,
            Exposure::PreExposed(value) => frame_params::Exposure::PreExposed(value),
        }
    }
}

/// One frame.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The host's number of the frame: from 1, never goes back.
    pub host_frame: u64,
    /// How far the device has come.
    pub last_finished: LastFinished,
    /// Index among the recorded frames; a step other than 1 resets.
    pub frame_index: i64,
    /// Revision of the scene; a change resets.
    pub revision: i64,
    /// Displacement of the picture in render pixels, +x right, +y down, each within -0.5..=0.5.
    pub jitter_px: [f32; 2],
    /// Where the exposure comes from.
    pub exposure: Exposure,
    /// What the values of the inputs mean; a change resets.
    pub conventions: Conventions,
    /// What the output shows.
    pub bypass: Bypass,
    /// What the debug image shows; not `None` only for a context made with one.
    pub debug_view: DebugView,
    /// Begin history anew, and why, in the caller's words.
    pub reset: Option<&'a str>,
    /// Measure the passes.
    pub wants_timings: bool,
    /// Count what the inputs hold; needs depth and motion.
    pub wants_statistics: bool,
    /// Colour at render size: RGBA16F, RGBA32F, B10G11R11F or RGBA8_UNORM.
    pub color: ImageDesc,
    /// Depth at render size: R32F or the depth aspect of D32F. Without it only a bypassed frame is shown.
    pub depth: Option<ImageDesc>,
    /// Motion at render size: RG16F or RG32F. Without it only a bypassed frame is shown.
    pub motion: Option<ImageDesc>,
}

/// What became of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The picture was reconstructed.
    Reconstructed {
        /// Why history began anew in this frame; [`ResetReason::None`] when it went on.
        reset: ResetReason,
        /// Frames since the last reset, 0 in the frame that resets.
        frames_since_reset: u32,
    },
    /// The input is shown instead, as asked.
    Bypassed,
    /// The frame could not be reconstructed, for this reason; the output keeps its last picture, black before the
    /// first, history is untouched, and the next good frame resets.
    Declined(String),
}
