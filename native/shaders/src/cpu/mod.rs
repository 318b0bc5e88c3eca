//! The CPU reference of every pass: one function per shader, the same stem, the same steps in the same order, and
//! therefore the same bits. They mirror the shaders line for line even where Rust would read better otherwise.
#![expect(
    clippy::manual_clamp,
    clippy::needless_range_loop,
    clippy::too_many_arguments,
    reason = "the shaders' own steps, in their order"
)]

mod color;
mod context;
mod cubic;
mod debug_view;
mod enlarge;
mod exposure;
mod gather;
mod history_bilinear;
mod image;
mod kernel;
mod machine;
mod network;
mod output;
mod picture;
mod reprojection;
mod samples;
mod statistics;
mod weighted_history;

pub use context::{CpuContext, CpuFrame};
pub use image::Image;
pub use machine::Machine;
