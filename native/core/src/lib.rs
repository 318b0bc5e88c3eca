//! What the reconstruction decides without a GPU.
//!
//! Sizes and modes, the jitter sequence, the layout of every parameter block, the rules of history,
//! exact arithmetic, and the *description* of a frame: which passes run over which ranges of the arena.
//! Nothing here knows Vulkan or the JVM.
#![forbid(unsafe_code)]

pub mod block;
mod codes;
pub mod convention;
pub mod error;
pub mod exact;
pub mod frame_params;
pub mod frame_plans;
pub mod history;
pub mod host_blocks;
pub mod jitter;
pub mod network;
pub mod pass;
pub mod passes;
pub mod plan;
pub mod size;
pub mod tuning;

pub use error::{Error, Result};
pub use size::{Mode, Recommendation, Size, Sizes};
