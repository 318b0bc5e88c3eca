//! A headless Vulkan host for the command line, the tests and the scene.
//!
//! It finds every Vulkan device of the machine, software drivers included, owns one of them, moves images in and
//! out, and submits frames with several in flight. The engine never needs it: [`Host::to_block`] and
//! [`Image::to_block`] give what any host gives an engine.

mod buffer;
mod device_info;
mod drivers;
mod error;
mod frames;
mod host;
mod image;
mod instance;
mod memory;
pub mod texel;
mod timestamps;
mod transfer;

pub use buffer::{Buffer, Location};
pub use device_info::{DeviceInfo, DeviceLimits};
pub use drivers::swiftshader_manifest;
pub use error::{Error, Result};
pub use frames::Frame;
pub use host::{Host, HostOptions, OptionalFeatures};
pub use image::Image;
pub use instance::{devices, Instance, InstanceOptions, Message, MessageLog};
pub use timestamps::Timestamps;
