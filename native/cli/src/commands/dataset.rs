//! `reconstruct dataset`: training pairs of random worlds.

use super::{parse_even, parse_share, parse_size};
use crate::dataset::description::{Conventions, FILE_NAME, FORMAT};
use crate::dataset::pipeline::{open_host, Pipeline};
use crate::dataset::spent::Spent;
use crate::dataset::{shard_file, tensors, Description};
use crate::error::{Error, Result};
use crate::scene::knobs;
use crate::scene::shot::Samples;
use crate::{progress, whole_file};
use clap::Args;
use reconstruction_core::Size;
use reconstruction_scene::random::Split;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes of a shard where its number of sequences is not given.
const SHARD_BYTES: u64 = 512 << 20;

const HELP: &str = "\
The folder holds dataset.json and shards SPLIT-NNNNN.safetensors of a fixed number of sequences. A shard has its final \
name only when it is whole: after a kill at any moment, --resume goes on with the first one that is missing.
Tensors, [sequence, frame, ...]: color clean diffuse specular normal [3, h, w], depth roughness hit mask [1, h, w], motion \
[2, h, w], reference [3, H, W], half floats; jitter [2], exposure, view and projection [4, 4], 32-bit floats; cut, bytes; \
seed [sequence], 64-bit integers. docs/scene.md describes them.
A pair is the frame that `reconstruct scene SEED` gives with the same --frames (here --length), sizes, samples and knobs.";

/// Render training pairs of random worlds into shards.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct Options {
    /// Which seeds: train, val or test; the three never share one
    #[arg(long)]
    split: String,
    /// Number of sequences
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    sequences: u64,
    /// Frames of a sequence
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=9999))]
    length: u32,
    /// Size of the input, for example 128x128
    #[arg(long, value_parser = parse_size)]
    size: Size,
    /// Size of the reference over that of the input, 1..3; the reference's sides are rounded
    #[arg(long)]
    scale: f64,
    /// The folder to write
    #[arg(long)]
    out: PathBuf,
    /// Place of the first seed in its split
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Sequences of a shard; where absent as many as make half a gibibyte
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    shard: Option<u64>,
    /// Samples a pixel of the noisy colour
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=32))]
    spp: u32,
    /// Samples a pixel of the clean colour
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    clean: u32,
    /// Samples a pixel of the reference, an even number
    #[arg(long, default_value_t = 32, value_parser = parse_even)]
    reference: u32,
    /// Difficulty: easy, default, hard, or a JSON file of knobs
    #[arg(long, default_value = "default")]
    knobs: String,
    /// Share of seeds whose light reuses samples of the frame before
    #[arg(long, default_value_t = 0.4, value_parser = parse_share)]
    reuse: f64,
    /// Go on with a dataset that was begun with the same arguments
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,
    /// Replace the dataset of a folder
    #[arg(long)]
    overwrite: bool,
    /// Part of a device's name; the best device where absent
    #[arg(long)]
    device: Option<String>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    folder: String,
    device: String,
    shards: u64,
    /// Of this run.
    shards_made: u64,
    pairs: u64,
    pairs_per_second: f64,
    seconds: Spent,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let description = describe(options)?;
    let folder = &options.out;
    let remedy = "add --resume to go on with its dataset or --overwrite to replace it, or choose another folder";
    let is_allowed = options.overwrite || options.resume;
    whole_file::refuse_occupied(folder, is_allowed, remedy)?;
    let is_begun = options.resume && folder.join(FILE_NAME).exists();
    if is_begun {
        description.check_same(folder)?;
    } else if options.resume && has_shards(folder)? {
        let cause = "missing beside shards; use --overwrite, or choose another folder";
        return Err(Error::file(&folder.join(FILE_NAME), "resume", cause));
    }
    let host = open_host(options.device.as_deref())?;
    let _claim = whole_file::claim(folder)?;
    if !is_begun {
        // The description goes first: shards without it are nobody's.
        whole_file::clear(folder, |name| name == FILE_NAME)?;
        whole_file::clear(folder, is_shard)?;
        description.write(folder)?;
    }
    // What a killed run had begun.
    whole_file::clear_parts(folder, |name| is_shard(name) || name == FILE_NAME)?;
    let mut missing = Vec::new();
    for shard in 0..description.shards() {
        let path = description.shard_path(folder, shard);
        if !shard_file::is_there(&path, &description, shard)? {
            missing.push(shard);
        }
    }
    let mut pairs = 0;
    for &shard in &missing {
        let seeds = description.seeds(shard)?;
        pairs += (seeds.end - seeds.start) * u64::from(description.length);
    }
    let device = host.info().name.clone();
    let bar = progress::bar(pairs as usize, "pairs");
    let spent = Pipeline {
        description: &description,
        folder,
        shards: &missing,
        on_pairs: &mut |count| bar.inc(count),
    }
    .run(host)?;
    bar.finish_and_clear();
    let report = Report {
        folder: folder.display().to_string(),
        device,
        shards: description.shards(),
        shards_made: missing.len() as u64,
        pairs,
        pairs_per_second: pairs as f64 / spent.wall.max(1e-9),
        seconds: spent,
    };
    if options.json {
        return super::print_json(out, &report);
    }
    super::print(out, &text(&report))
}

fn text(report: &Report) -> String {
    let Report {
        folder,
        device,
        shards,
        shards_made,
        pairs,
        pairs_per_second,
        seconds,
    } = report;
    format!(
        "{folder}: {shards_made} of {shards} shards made, {pairs} pairs, {pairs_per_second:.1} a second, on {device}\n{}",
        seconds.table()
    )
}

fn describe(options: &Options) -> Result<Description> {
    let split: Split = options.split.parse().map_err(Error::Scene)?;
    let (size, scale) = (options.size, options.scale);
    if !(1.0..=3.0).contains(&scale) {
        return Err(Error::Argument(format!(
            "--scale: expected a ratio in 1..3, got {scale}; the reference is at most 3 times the input on each axis"
        )));
    }
    let side = |side: u32| (f64::from(side) * scale).round() as u32;
    let output = Size::new(side(size.width), side(size.height));
    super::rendered_sizes(size, output, ["--size", "--size times --scale"])?;
    let bytes = tensors::frame_bytes(size, output) * u64::from(options.length);
    let per_shard = options.shard.unwrap_or((SHARD_BYTES / bytes).clamp(1, 64));
    let description = Description {
        format: FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        split,
        first: options.first,
        sequences: options.sequences,
        sequences_per_shard: per_shard,
        length: options.length,
        render_size: [size.width, size.height],
        output_size: [output.width, output.height],
        scale,
        samples: Samples {
            color: options.spp,
            clean: options.clean,
            reference: options.reference,
        },
        reuse: options.reuse,
        knobs: knobs::read(&options.knobs)?,
        conventions: Conventions::default(),
    };
    let all = split.part(options.first, options.sequences);
    all.map_err(Error::Scene)?;
    Ok(description)
}

/// Names of shards of any dataset.
fn is_shard(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".safetensors") else {
        return false;
    };
    stem.split_once('-').is_some_and(|(split, number)| {
        split.parse::<Split>().is_ok() && number.bytes().all(|b| b.is_ascii_digit())
    })
}

fn has_shards(folder: &Path) -> Result<bool> {
    let entries = match std::fs::read_dir(folder) {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        read => read.map_err(|cause| Error::file(folder, "read the folder", cause))?,
    };
    let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.any(|name| is_shard(&name)))
}
