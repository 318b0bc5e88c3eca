//! A small ray-traced world whose truth is known: for tests, for the starting points and as training data.
//!
//! A world over time is flattened, frame by frame, to a [`flat::FlatWorld`]; the renderer draws several of them in
//! one submission and gives the inputs of a reconstruction, every guide, and the reference picture.

pub mod bvh;
pub mod demo;
pub mod error;
pub mod flat;
pub mod flatten;
pub mod gltf_scene;
pub mod meter;
pub mod random;
pub mod renderer;
pub mod shapes;
pub mod trace;
pub mod world;

pub use error::{Error, Result};
