//! Something that reconstructs a sequence: the CPU references, or the engine on a device.

use crate::cpu_executor::CpuExecutor;
use crate::error::Result;
use crate::gpu_executor::{open_host, GpuExecutor};
use crate::image::Picture;
use reconstruction_core::convention::{Alpha, Depth};
use reconstruction_core::network::Model as Network;
use reconstruction_core::plan::Range;
use reconstruction_core::Sizes;
use std::sync::Arc;

/// What stays the same over a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Render size and output size.
    pub sizes: Sizes,
    /// What the depth holds.
    pub depth: Depth,
    /// What becomes of alpha.
    pub alpha: Alpha,
    /// Whether a device gets colour as RGBA16F; as RGBA32F otherwise.
    pub is_color_half: bool,
    /// The network that decides; the analytic model where there is none.
    pub network: Option<Arc<Network>>,
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

/// Reconstructs frames one after another.
pub trait Executor {
    /// What it runs on, for people.
    fn device(&self) -> String;

    /// Begins another sequence on the same device, which keeps what it has compiled.
    ///
    /// # Errors
    /// When the device cannot do it.
    fn restart(&mut self, settings: Settings) -> Result<()>;

    /// Reconstructs the next frame; the picture has the output size and holds half floats.
    ///
    /// # Errors
    /// When the device fails, or the frame is declined.
    fn evaluate(&mut self, input: &Input) -> Result<Picture>;

    /// The words of a range of the arena after the last frame.
    ///
    /// # Errors
    /// When the device fails.
    fn range(&mut self, range: Range) -> Result<Vec<u32>>;
}

/// The name that selects the CPU references.
pub const CPU: &str = "cpu";

/// An executor on the CPU references, on the device whose name contains `device`, or on the best device.
///
/// # Errors
/// When there is no such device, or it cannot do it.
pub fn open(device: Option<&str>, settings: Settings) -> Result<Box<dyn Executor>> {
    match device {
        Some(CPU) => Ok(Box::new(CpuExecutor::new(settings))),
        name => Ok(Box::new(GpuExecutor::new(open_host(name)?, settings)?)),
    }
}
