//! References of the network's passes, `shaders/network/`.

mod attention;
mod features;
mod gather;
mod heads;
mod layer;
mod norm;
mod resolve;

pub use attention::attention;
pub use features::features;
pub use layer::layer;
pub use resolve::resolve;

/// The int8 values of words, low byte first.
fn bytes(words: &[u32]) -> Vec<i8> {
    words
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .map(|b| b as i8)
        .collect()
}

/// Four int8 in a word, low byte first.
fn pack_bytes(values: [i32; 4]) -> u32 {
    u32::from_le_bytes(values.map(|v| v as i8 as u8))
}

/// Two int16 in a word, the first in the low bits.
fn pack_pair(low: i32, high: i32) -> u32 {
    (low as u32 & 0xffff) | ((high as u32) << 16)
}

/// The int16 at an index.
fn wide_at(words: &[u32], index: usize) -> i32 {
    i32::from((words[index / 2] >> (16 * (index % 2) as u32)) as u16 as i16)
}

/// A sum in steps of its output, rounded half to even and held within `low..high`.
fn requantise(sum: i32, multiplier: f32, low: f32, high: f32) -> i32 {
    let value = (sum as f32 * multiplier).round_ties_even();
    value.max(low).min(high) as i32
}
