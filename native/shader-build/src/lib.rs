//! Compute shaders from their files to SPIR-V, for build scripts: includes, the compiler, the baseline of devices.
#![forbid(unsafe_code)]

pub mod baseline;
pub mod compile;
pub mod source;
