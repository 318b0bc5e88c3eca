//! The parameter block of every pass under `shaders/frame`, written once per frame.

use crate::convention::{
    motion_scale, Alpha, ColorEncoding, DebugView, Depth, ExposureKind, MotionDirection,
    MotionGrid, MotionUnit, ResetReason,
};
use crate::history::Decision;
use crate::size::Sizes;
use crate::tuning::KERNEL_PER_RENDER_MIN;

crate::block! {
    /// What a frame's passes need to know. Lengths in render pixels unless the name says otherwise.
    pub struct FrameParams {
        /// width and height of colour, depth and motion
        pub render_size: [u32; 2],
        /// width and height of the output
        pub output_size: [u32; 2],
        /// render pixels per output pixel on each axis
        pub render_per_output: [f32; 2],
        /// output pixels per render pixel on each axis
        pub output_per_render: [f32; 2],
        /// units of the sharp kernel per render pixel: output pixels, but never fewer than 1.4143
        pub kernel_per_render: [f32; 2],
        /// displacement of the picture, +x right, +y down
        pub jitter_px: [f32; 2],
        /// the same of the frame that wrote the history
        pub history_jitter_px: [f32; 2],
        /// factor from stored motion to previous-minus-current render pixels
        pub motion_scale: [f32; 2],
        /// 1 when history must not be used
        pub is_reset: u32,
        /// code of the depth convention
        pub depth_kind: u32,
        /// code of the colour encoding
        pub color_encoding: u32,
        /// code of the exposure's source
        pub exposure_kind: u32,
        /// exposed colour = colour * this, where the source is a number
        pub exposure_scale: f32,
        /// factor from the units of the stored history to this frame's
        pub history_scale: f32,
        /// code of the alpha rule
        pub alpha_mode: u32,
        /// frames for which still history outlives the clamp, so that thin features are met again
        pub grace_frames: u32,
        /// code of the debug view
        pub debug_view: u32,
        /// 1 when colour holds 8-bit values
        pub is_color_unorm8: u32,
    }
}

/// What the inputs of a context mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Conventions {
    /// What the depth image holds.
    pub depth: Depth,
    /// Unit of the motion vectors.
    pub motion_unit: MotionUnit,
    /// Which way they point.
    pub motion_direction: MotionDirection,
    /// The grid that pixels count.
    pub motion_grid: MotionGrid,
    /// How colour is encoded.
    pub color_encoding: ColorEncoding,
    /// What becomes of alpha.
    pub alpha: Alpha,
}

impl Default for Conventions {
    fn default() -> Self {
        Conventions {
            depth: Depth::Hardware,
            motion_unit: MotionUnit::Pixels,
            motion_direction: MotionDirection::CurrentToPrevious,
            motion_grid: MotionGrid::Render,
            color_encoding: ColorEncoding::LinearHdr,
            alpha: Alpha::Ignore,
        }
    }
}

impl Conventions {
    /// One number that differs when any convention differs.
    pub fn fingerprint(&self) -> u64 {
        [
            self.depth.code(),
            self.motion_unit.code(),
            self.motion_direction.code(),
            self.motion_grid.code(),
            self.color_encoding.code(),
            self.alpha.code(),
        ]
        .iter()
        .fold(0, |sum, &code| sum * 16 + u64::from(code))
    }
}

/// The exposure of a frame: exposed colour = colour * exposure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exposure {
    /// Measured from the picture.
    Auto,
    /// A number.
    Scalar(f32),
    /// Texel (0, 0) of the exposure texture.
    Texture,
    /// Colour is already multiplied by this number.
    PreExposed(f32),
}

impl Exposure {
    /// The code that crosses the boundary.
    pub const fn kind(self) -> ExposureKind {
        match self {
            Exposure::Auto => ExposureKind::Auto,
            Exposure::Scalar(_) => ExposureKind::Scalar,
            Exposure::Texture => ExposureKind::Texture,
            Exposure::PreExposed(_) => ExposureKind::PreExposed,
        }
    }

    /// Factor from radiance to stored colour: what the host multiplied colour by.
    pub const fn stored_factor(self) -> f32 {
        match self {
            Exposure::PreExposed(factor) => factor,
            _ => 1.0,
        }
    }

    /// The number given, where there is one.
    pub const fn number(self) -> Option<f32> {
        match self {
            Exposure::Scalar(number) | Exposure::PreExposed(number) => Some(number),
            _ => None,
        }
    }
}

/// What changes from frame to frame besides the images.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameState {
    /// Displacement of the picture in render pixels, +x right, +y down.
    pub jitter_px: [f32; 2],
    /// The exposure of this frame.
    pub exposure: Exposure,
    /// Which debug picture is drawn.
    pub debug_view: DebugView,
    /// Whether the colour image holds 8-bit values.
    pub is_color_unorm8: bool,
}

impl FrameParams {
    /// The block of one frame.
    pub fn new(
        sizes: &Sizes,
        conventions: &Conventions,
        state: &FrameState,
        decision: &Decision,
    ) -> Self {
        let (r, o) = (sizes.render, sizes.output);
        let quotient = |a: u32, b: u32| a as f32 / b as f32;
        let exposure_scale = match state.exposure {
            Exposure::Scalar(number) => number,
            _ => 1.0,
        };
        FrameParams {
            render_size: [r.width, r.height],
            output_size: [o.width, o.height],
            render_per_output: [quotient(r.width, o.width), quotient(r.height, o.height)],
            output_per_render: [quotient(o.width, r.width), quotient(o.height, r.height)],
            kernel_per_render: [
                quotient(o.width, r.width).max(KERNEL_PER_RENDER_MIN),
                quotient(o.height, r.height).max(KERNEL_PER_RENDER_MIN),
            ],
            jitter_px: state.jitter_px,
            history_jitter_px: decision.history_jitter_px,
            motion_scale: motion_scale(
                conventions.motion_unit,
                conventions.motion_direction,
                conventions.motion_grid,
                sizes,
            ),
            is_reset: u32::from(decision.reset != ResetReason::None),
            depth_kind: conventions.depth.code(),
            color_encoding: conventions.color_encoding.code(),
            exposure_kind: state.exposure.kind().code(),
            exposure_scale,
            history_scale: state.exposure.stored_factor() / decision.history_factor,
            alpha_mode: conventions.alpha.code(),
            grace_frames: grace_frames(sizes),
            debug_view: state.debug_view.code(),
            is_color_unorm8: u32::from(state.is_color_unorm8),
        }
    }
}

/// Frames after which every place of an output pixel grid was sampled once, roughly: twice the number of output
/// pixels that a render pixel spans beyond its own, 1..=4.
fn grace_frames(sizes: &Sizes) -> u32 {
    let axis = |render: u32, output: u32| (2 * (output - render)).div_ceil(render);
    axis(sizes.render.width, sizes.output.width)
        .max(axis(sizes.render.height, sizes.output.height))
        .clamp(1, 4)
}
