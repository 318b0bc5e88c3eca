//! The network: an exact int8 pyramid of convolutions and windowed attention over tokens of 2x2 render pixels.
//!
//! A [`Model`] is checked weights of an [`Architecture`]. For a render size, [`Planes`] plans the memory and
//! [`plan::append`] the dispatches. Values and layers are defined in `docs/network.md`.

mod architecture;
pub mod attention;
mod damage;
mod file;
mod grid;
mod layer;
mod model;
mod norm;
mod params;
pub mod passes;
pub mod plan;
mod planes;
mod random;
mod weights;

pub use architecture::{Architecture, Stage, StageKind};
pub use damage::damaged;
pub use file::{from_bytes, read, to_bytes};
pub use grid::grids;
pub use layer::{layers, Layer, Role};
pub use model::{Model, Tensor, TensorKind, FORMAT, VERSION};
pub use norm::{norm_factor, norm_shift, NORM_RMS};
pub use params::{AttentionParams, LayerParams};
pub use passes::Path;
pub use planes::{Plane, Planes};
pub use random::random;
pub use weights::{LayerWeights, Weights};

/// Channels of the features of a token.
pub const FEATURES: u32 = 64;
/// Values of a token that the last layer gives.
pub const HEADS: u32 = 32;
/// Recurrent features of a token, one byte each.
pub const RECURRENT: u32 = 8;
