//! Worlds on the CPU: trees, motion, random worlds, demo scenes, files.

mod shapes;
mod trees;
