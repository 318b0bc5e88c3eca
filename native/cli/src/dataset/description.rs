//! What a dataset is: written once as `dataset.json`, repeated in every shard, and compared before it is continued.

use crate::error::{Error, Result};
use crate::scene::shot::Samples;
use crate::sequence::{read_json, write_json, MOTION};
use reconstruction_core::Size;
use reconstruction_scene::random::{Knobs, Recipe, Split};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Name of the description inside a dataset's folder.
pub const FILE_NAME: &str = "dataset.json";
/// Value of `format`.
pub const FORMAT: &str = "pairs-1";

/// The whole description.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Always [`FORMAT`].
    pub format: String,
    /// Version of the program that renders.
    pub version: String,
    /// The split that every seed belongs to.
    pub split: Split,
    /// Place of the first seed in its split.
    pub first: u64,
    /// Sequences of the whole dataset.
    pub sequences: u64,
    /// Sequences of a shard; the last one may have fewer.
    pub sequences_per_shard: u64,
    /// Frames of a sequence.
    pub length: u32,
    /// Width and height of the input.
    pub render_size: [u32; 2],
    /// Width and height of the reference.
    pub output_size: [u32; 2],
    /// What was asked for: output over render size on each axis.
    pub scale: f64,
    /// Samples a pixel.
    pub samples: Samples,
    /// Share of seeds whose light reuses samples of the frame before.
    pub reuse: f64,
    /// Difficulty of the worlds.
    pub knobs: Knobs,
    /// Signs and units.
    pub conventions: Conventions,
}

/// Signs and units of the tensors, as docs/conventions.md means them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conventions {
    /// Of `depth`.
    pub depth: String,
    /// Of `motion`.
    pub motion: String,
    /// Of `jitter`.
    pub jitter: String,
    /// Of `color`, `clean` and `reference`.
    pub color: String,
    /// Of `exposure`.
    pub exposure: String,
    /// Of `view` and `projection`.
    pub matrices: String,
    /// Of `roughness`.
    pub roughness: String,
    /// Of `mask`.
    pub mask: String,
}

impl Default for Conventions {
    fn default() -> Self {
        Conventions {
            depth: "view_linear".into(),
            motion: MOTION.into(),
            jitter: "displacement_render_pixels_right_down".into(),
            color: "linear_hdr".into(),
            exposure: "exposed_is_color_times_exposure".into(),
            matrices: "rows_first_column_vectors_vulkan_clip_unjittered".into(),
            roughness: "linear_alpha_is_its_square".into(),
            mask: "1_was_hidden_in_the_frame_before".into(),
        }
    }
}

/// What a shard says about itself: the dataset, and its own sequences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardDescription {
    /// The dataset.
    pub dataset: Description,
    /// Number of the shard.
    pub shard: u64,
    /// Its sequences in order.
    pub sequences: Vec<SequenceDescription>,
}

/// One sequence of a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SequenceDescription {
    /// Light samples of the frame before are used again.
    pub is_reusing_light: bool,
    /// The seed and what came of it.
    pub recipe: Recipe,
}

impl Description {
    /// Size of the input.
    pub fn render(&self) -> Size {
        Size::new(self.render_size[0], self.render_size[1])
    }

    /// Size of the reference.
    pub fn output(&self) -> Size {
        Size::new(self.output_size[0], self.output_size[1])
    }

    /// Number of shards.
    pub fn shards(&self) -> u64 {
        self.sequences.div_ceil(self.sequences_per_shard)
    }

    /// The seeds of a shard.
    ///
    /// # Errors
    /// When the dataset reaches beyond its split.
    pub fn seeds(&self, shard: u64) -> Result<Range<u64>> {
        let from = shard * self.sequences_per_shard;
        let count = self.sequences_per_shard.min(self.sequences - from);
        let seeds = self.split.part(self.first.saturating_add(from), count);
        seeds.map_err(Error::Scene)
    }

    /// Path of a shard.
    pub fn shard_path(&self, folder: &Path, shard: u64) -> PathBuf {
        folder.join(format!("{}-{shard:05}.safetensors", self.split))
    }

    /// Writes the description into a folder.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(FILE_NAME), self)
    }

    /// Refuses to continue a dataset that was begun with other arguments.
    ///
    /// # Errors
    /// Names the first member that differs, or the description cannot be read.
    pub fn check_same(&self, folder: &Path) -> Result<()> {
        let path = folder.join(FILE_NAME);
        let found: Description = read_json(&path)?;
        let members = |description: &Description| match serde_json::to_value(description) {
            Ok(serde_json::Value::Object(members)) => members,
            _ => serde_json::Map::new(),
        };
        let found = members(&found);
        for (key, value) in members(self) {
            if found.get(&key) != Some(&value) {
                let cause = format!(
                    "expected {value} as asked for now, got {}; continue with the arguments it was begun with, or \
                     choose another folder",
                    found.get(&key).cloned().unwrap_or_default()
                );
                return Err(Error::key(&path, key, cause));
            }
        }
        Ok(())
    }
}
