//! Networks of random weights, for tests: values of every layer spread over their range, some beyond it.

use super::attention::{MOST_POSITION, MOST_SHARPNESS};
use super::model::{needed, Part};
use super::{layers, to_bytes, Architecture, Layer, Role, Tensor, TensorKind};

/// A model file of random weights. The same seed gives the same bytes everywhere.
pub fn random(seed: u64, architecture: &Architecture) -> Vec<u8> {
    let mut random = SplitMix(seed);
    let mut tensors: Vec<(String, TensorKind, Vec<usize>, Vec<u8>)> = Vec::new();
    for layer in layers(architecture) {
        for needed in needed(&layer) {
            let count = needed.shape.iter().product();
            let bytes = (0..count).flat_map(|index| value(&layer, needed.part, index, &mut random));
            let bytes = bytes.collect();
            tensors.push((needed.name, needed.kind, needed.shape, bytes));
        }
    }
    let views: Vec<Tensor> = (tensors.iter())
        .map(|(name, kind, shape, bytes)| Tensor {
            name,
            kind: Some(*kind),
            shape,
            bytes,
        })
        .collect();
    to_bytes(&format!("random {seed}"), architecture, &views).expect("tensors of their shapes")
}

/// The bytes of one value.
fn value(layer: &Layer, part: Part, index: usize, random: &mut SplitMix) -> Vec<u8> {
    // Root mean squares of weights, of what is read, and so of the sums.
    let (weight, read) = (73.0, if layer.role == Role::Door { 73.0 } else { 32.0 });
    let sum = (layer.depth() as f32).sqrt() * weight * read;
    match part {
        Part::Weight => vec![(random.below(255) as i32 - 127) as i8 as u8],
        Part::Bias => {
            let bias = (random.unit() * 2.0 - 1.0) * sum * 0.5;
            (bias as i32).to_le_bytes().to_vec()
        }
        Part::Multiplier => {
            let wanted = match layer.role {
                // Values of a swin block are int8, its queries and keys int16.
                Role::Qkv if index >= 2 * layer.outputs as usize / 3 => 40.0,
                Role::Hidden | Role::TokenHidden => 40.0,
                Role::Heads => 2.0,
                _ => 2000.0,
            };
            // One channel in sixteen leaves the range that its values must be held in.
            let excess = if index % 16 == 5 {
                24.0
            } else {
                0.5 + random.unit()
            };
            (wanted * excess / sum).to_le_bytes().to_vec()
        }
        // A score of unit vectors is some 2900 before sharpness / 256 and position; weights begin at -12288.
        Part::Sharpness => {
            let most = MOST_SHARPNESS as u64 + 1;
            let steps = if index % 4 == 3 { most } else { most / 3 };
            (random.below(steps) as i32).to_le_bytes().to_vec()
        }
        Part::Position => {
            let most = i32::from(MOST_POSITION);
            let step = random.below(1 << 14) as i32 - (1 << 13);
            let steps = match index % 16 {
                0 if step < 0 => -most,
                0 => most,
                _ => step,
            };
            (steps as i16).to_le_bytes().to_vec()
        }
    }
}

/// Sebastiano Vigna's SplitMix64.
pub(super) struct SplitMix(pub u64);

impl SplitMix {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in 0..end.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number in 0..1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }
}
