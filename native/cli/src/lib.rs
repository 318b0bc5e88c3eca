//! The command line of the reconstruction, as a library: frame folders, scores, pictures, and the commands.

pub mod commands;
pub mod cpu_executor;
pub mod dataset;
pub mod error;
pub mod executor;
pub mod exr_file;
pub mod folder;
pub mod frame_dump;
pub mod golden;
pub mod gpu_executor;
pub mod image;
pub mod network_run;
pub mod png_file;
pub mod progress;
pub mod raw;
pub mod resample;
pub mod scene;
pub mod score;
pub mod scorecard;
pub mod sequence;
pub mod sheet;
pub mod synthetic;
pub mod table;
pub mod tone;
pub mod whole_file;

pub use error::{Error, Result};
