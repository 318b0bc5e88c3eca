//! Training pairs: sequences of random worlds, rendered many at once into shards that are whole or not there.

pub mod builders;
pub mod description;
pub mod group;
pub mod pipeline;
pub mod shard_file;
pub mod spent;
pub mod tensors;
pub mod writer;

pub use description::Description;
