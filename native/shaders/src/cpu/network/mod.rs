//! References of the passes around a network.

pub mod features;
pub mod resolve;
