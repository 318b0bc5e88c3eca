//! `reconstruct model`: what a model file holds.

use super::parse_size;
use crate::error::Result;
use clap::{Args, Subcommand};
use reconstruction_core::convention::Feature;
use reconstruction_core::error::printable;
use reconstruction_core::network::{self, Model, Planes, StageKind};
use reconstruction_core::Size;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

/// Look into model files.
#[derive(Debug, Args)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Info(Info),
}

/// Check a model file and print what it is: stages, costs, hash, and the memory it takes at a render size.
#[derive(Debug, Args)]
struct Info {
    /// The model, a safetensors file
    file: PathBuf,
    /// Render size whose memory is printed, for example 1920x1080
    #[arg(long, value_parser = parse_size)]
    size: Option<Size>,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let Command::Info(info) = &options.command;
    let model = network::read(&info.file)?;
    let mut text = description(&model);
    if let Some(size) = info.size {
        text += &memory(&model, size);
    }
    super::print(out, &text)
}

fn description(model: &Model) -> String {
    let feature = match model.feature {
        Feature::SuperResolution => "super resolution",
        Feature::RayReconstruction => "ray reconstruction",
    };
    let mut text = format!(
        "name     {}\nfeature  {feature}\nhash     {}\nweights  {} bytes\ncost     {:.2} kMAC a render pixel\n",
        model.name,
        model.hash,
        model.weights.size(),
        model.architecture.kmac_per_pixel()
    );
    for stage in model.architecture.stages() {
        let (name, width, blocks) = (&stage.name, stage.width, stage.blocks);
        let kind = match (stage.kind, stage.heads, stage.shift) {
            (StageKind::Swin, Some(heads), Some(shift)) => {
                format!("swin, {width} channels in {heads} heads, windows shifted by {shift}")
            }
            _ => format!("conv, {width} channels"),
        };
        writeln!(text, "{name:<9}{kind}, {blocks} blocks").expect("string");
    }
    let known = ["format", "name", "feature", "features", "stages", "hash"];
    for (key, value) in &model.metadata {
        if !known.contains(&key.as_str()) {
            let value: String = value.chars().map(printable).collect();
            writeln!(text, "{key:<8} {value}").expect("string");
        }
    }
    text
}

fn memory(model: &Model, size: Size) -> String {
    let planes = Planes::new(&model.architecture, size);
    let grids: Vec<String> = planes.grids().iter().map(Size::to_string).collect();
    let mut text = format!(
        "\nat {size}: {} bytes, tokens {}\n{:<24}{:>12}{:>12}  steps\n",
        planes.size(),
        grids.join(" "),
        "plane",
        "offset",
        "bytes"
    );
    for plane in planes.planes() {
        let (first, last) = plane.life;
        let (name, range) = (&plane.name, plane.range);
        writeln!(
            text,
            "{name:<24}{:>12}{:>12}  {first}-{last}",
            range.offset, range.size
        )
        .expect("string");
    }
    text
}
