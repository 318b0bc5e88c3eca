//! Something that reconstructs a sequence: the CPU references, or the engine on a device.

use crate::error::{Error, Result};
use crate::image::Picture;
use reconstruction_core::convention::{Alpha, Depth};
use reconstruction_core::Sizes;

/// What stays the same over a sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Render size and output size.
    pub sizes: Sizes,
    /// What the depth holds.
    pub depth: Depth,
    /// What becomes of alpha.
    pub alpha: Alpha,
    /// Whether a device gets colour as RGBA16F; as RGBA32F otherwise.
    pub is_color_half: bool,
}

/// One frame of a sequence.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The renderer's frame index.
    pub frame_index: i64,
    /// Colour, render size.
    pub color: &'a Picture,
    /// Depth, render size.
    pub depth: &'a [f32],
    /// Previous minus current position in render pixels, render size.
    pub motion: &'a [[f32; 2]],
    /// Displacement of the picture in render pixels.
    pub jitter_px: [f32; 2],
    /// Whether history begins anew.
    pub is_reset: bool,
    /// Exposed colour = colour * exposure; measured where absent.
    pub exposure: Option<f32>,
}

/// GPU time of one pass.
#[derive(Debug, Clone, PartialEq)]
pub struct PassTime {
    /// Name of the pass.
    pub pass: &'static str,
    /// Milliseconds.
    pub ms: f64,
}

/// Reconstructs frames one after another.
pub trait Executor {
    /// What it runs on, for people.
    fn device(&self) -> String;

    /// Reconstructs the next frame; the picture has the output size and holds half floats.
    ///
    /// # Errors
    /// When the device fails, or the frame is declined.
    fn evaluate(&mut self, input: &Input) -> Result<Picture>;

    /// Time per pass of the last frame; empty where it is not measured.
    fn pass_times(&mut self) -> Result<Vec<PassTime>>;

    /// The arena after the last frame, for comparison.
    ///
    /// # Errors
    /// When the device fails.
    fn arena(&mut self) -> Result<Vec<u8>>;
}

/// The name that selects the CPU references.
pub const CPU: &str = "cpu";

/// An executor on the CPU references, on the device whose name contains `device`, or on the best device.
///
/// # Errors
/// When there is no such device, or it cannot do it.
pub fn open(device: Option<&str>, settings: Settings) -> Result<Box<dyn Executor>> {
    let _ = settings;
    match device {
        Some(CPU) => Err(Error::Device(
            "cpu: the references are not connected".into(),
        )),
        _ => Err(Error::Device("device: the engine is not connected".into())),
    }
}
