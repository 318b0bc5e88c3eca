//! Weights in the memory that the passes bind: per layer a range of weights, biases and multipliers, or of tables.

use super::Layer;
use crate::plan::{Range, RANGE_ALIGNMENT};

/// Bytes of the unit in which a layer's parts are addressed.
const UNIT: u64 = 16;

/// Where a layer's values lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerWeights {
    /// The layer's range in the weights.
    pub range: Range,
    /// Where its biases begin, in units of 16 bytes from the start of the range; its weights begin at 0. An attention
    /// has tables alone, and 0 here.
    pub bias_unit: u32,
    /// Where its multipliers begin.
    pub multiplier_unit: u32,
}

/// The values of every layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Weights {
    words: Vec<u32>,
    layers: Vec<LayerWeights>,
}

impl Weights {
    /// Appends a layer: weights, biases and multipliers as they lie in a model, little-endian.
    pub(super) fn push(&mut self, layer: &Layer, parts: [&[u8]; 3]) {
        let offset = self.size();
        let mut units = [0; 3];
        for (unit, bytes) in units.iter_mut().zip(parts) {
            // Channels are multiples of 32, so every part fills whole units.
            assert_eq!(bytes.len() as u64 % UNIT, 0, "{}", layer.name);
            *unit = ((self.size() - offset) / UNIT) as u32;
            let words = bytes.chunks_exact(4);
            (self.words).extend(words.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        }
        self.end_layer(offset, units);
    }

    /// Appends an attention: the words of its heads.
    pub(super) fn push_tables(&mut self, words: &[u32]) {
        let offset = self.size();
        self.words.extend(words);
        self.end_layer(offset, [0; 3]);
    }

    fn end_layer(&mut self, offset: u64, units: [u32; 3]) {
        let size = self.size() - offset;
        self.layers.push(LayerWeights {
            range: Range { offset, size },
            bias_unit: units[1],
            multiplier_unit: units[2],
        });
        let end = self.size().next_multiple_of(RANGE_ALIGNMENT);
        self.words.resize((end / 4) as usize, 0);
    }

    /// Bytes of all layers.
    pub fn size(&self) -> u64 {
        4 * self.words.len() as u64
    }

    /// All values, as the device holds them.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// A layer's words.
    pub fn layer_words(&self, index: usize) -> &[u32] {
        let Range { offset, size } = self.layers[index].range;
        &self.words[(offset / 4) as usize..((offset + size) / 4) as usize]
    }

    /// Where each layer's values lie, in the order of execution.
    pub fn layers(&self) -> &[LayerWeights] {
        &self.layers
    }
}
