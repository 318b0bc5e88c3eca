//! The library that the JVM loads.
//!
//! Eleven natives on `reconstruction.internal.Native`, with longs, ints and one direct buffer. Objects are named by
//! handles that are never reused; blocks are copied in and out; a panic ends at the boundary and breaks its object only.

mod blocks;
mod boundary;
mod context;
mod fault;
mod host;
mod natives;
mod objects;
