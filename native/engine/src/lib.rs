//! The engine: reconstructs a host's frames inside the host's own Vulkan command buffers.
//!
//! A [`Device`] is made from the host's raw handles, a [`Context`] for each temporal view. Every frame,
//! [`Context::evaluate`] checks its [`Frame`] and records the passes. The engine never loads the Vulkan library,
//! never creates a device, never submits and never waits; what is still in use is freed when the host's frame
//! counter says that the device has finished with it.
//!
//! # What evaluate disturbs
//! The compute pipeline and the descriptor set 0 of the compute bind point. Graphics state, push constants, dynamic
//! state and the layouts of the inputs stay as they were.

mod capabilities;
mod context;
mod device;
mod error;
mod frame;
mod functions;
mod gpu;
mod handles;
mod image_desc;
mod inspect;
mod matrices;
mod memory;
mod network_memory;
mod pipeline;
mod program;
mod record;
mod resources;
mod ring;
mod step;
mod validate;
mod workbench;

pub use capabilities::{refusals, size_refusals, Capabilities};
pub use context::{Context, ContextSettings, LastReset};
pub use device::{Advice, Device};
pub use error::{Error, Reason, Result};
pub use frame::{Exposure, Frame, LastFinished, Outcome};
pub use handles::HostHandles;
pub use image_desc::ImageDesc;
pub use program::PlanKind;
pub use reconstruction_core::frame_params::Conventions;
pub use ring::{Statistics, Timings};
pub use workbench::Workbench;
