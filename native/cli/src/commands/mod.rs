//! The commands, one file each.

pub mod bench;
pub mod check_stage;
pub mod dataset;
pub mod devices;
pub mod dump;
pub mod frames;
pub mod model;
pub mod pack;
pub mod scene;
pub mod selftest;

use crate::error::{Error, Result};
use clap::{Parser, Subcommand};
use reconstruction_core::convention::Feature;
use reconstruction_core::network::{self, Model as Network};
use reconstruction_core::size::{smallest_render_axis, OUTPUT_RANGE, RENDER_RANGE};
use reconstruction_core::{Size, Sizes};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What is typed after `reconstruct`.
#[derive(Debug, Parser)]
#[command(name = "reconstruct", version, about = "Reconstructs finished pictures from cheap frames, and measures the result.", after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 a comparison came out unequal, 2 wrong arguments, \
    3 a file is missing, damaged or cannot be written, 4 no device can do it.";

#[derive(Debug, Subcommand)]
enum Command {
    Devices(devices::Options),
    Frames(frames::Options),
    Pack(pack::Options),
    Selftest(selftest::Options),
    Bench(bench::Options),
    Scene(scene::Options),
    Dataset(dataset::Options),
    Model(model::Options),
    CheckStage(check_stage::Options),
    Dump(dump::Options),
}

/// Runs a command; results go to `out`.
///
/// # Errors
/// One line for people; [`Error::exit_code`] gives the process's exit code.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<()> {
    match &arguments.command {
        Command::Devices(options) => devices::run(options, out),
        Command::Frames(options) => frames::run(options, out),
        Command::Pack(options) => pack::run(options, out),
        Command::Selftest(options) => selftest::run(options, out),
        Command::Bench(options) => bench::run(options, out),
        Command::Scene(options) => scene::run(options, out),
        Command::Dataset(options) => dataset::run(options, out),
        Command::Model(options) => model::run(options, out),
        Command::CheckStage(options) => check_stage::run(options, out),
        Command::Dump(options) => dump::run(options, out),
    }
}

/// Prints text as it is.
fn print(out: &mut dyn Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes())
        .map_err(|cause| Error::file(Path::new("standard output"), "write", cause))
}

/// Prints a value as indented JSON.
fn print_json<T: serde::Serialize>(out: &mut dyn Write, value: &T) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|cause| Error::file(Path::new("standard output"), "encode", cause))?;
    print(out, &(text + "\n"))
}

/// Name of the model without a network.
const ANALYTIC: &str = "analytic";

/// Name of the shipped network.
const NETWORK: &str = "network";

/// The shipped network, or that of a model file; none for the analytic model.
fn open_network(model: &str) -> Result<Option<Arc<Network>>> {
    match model {
        ANALYTIC => Ok(None),
        NETWORK => Ok(reconstruction_models::shipped(Feature::SuperResolution)),
        path => Ok(Some(Arc::new(network::read(Path::new(path))?))),
    }
}

/// A size such as `320x180`. What is legal is checked where it is used.
pub(crate) fn parse_size(text: &str) -> std::result::Result<Size, String> {
    let parsed = text
        .split_once('x')
        .and_then(|(w, h)| Some(Size::new(w.parse().ok()?, h.parse().ok()?)));
    parsed.ok_or_else(|| "expected WIDTHxHEIGHT, for example 320x180".to_owned())
}

/// A number of samples that can be halved.
fn parse_even(text: &str) -> std::result::Result<u32, String> {
    match text.parse::<u32>() {
        Ok(samples) if samples > 0 && samples % 2 == 0 => Ok(samples),
        _ => Err("expected an even number of samples, at least 2".to_owned()),
    }
}

/// A share of 0..1.
fn parse_share(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a share in 0..1, for example 0.4".to_owned()),
    }
}

/// Sizes that the renderer makes and every feature takes; `flags` are what gives render and output size.
fn rendered_sizes(render: Size, output: Size, flags: [&str; 2]) -> Result<Sizes> {
    let (least, most) = OUTPUT_RANGE;
    for (axis, input, side) in [
        ("width", render.width, output.width),
        ("height", render.height, output.height),
    ] {
        if !(least..=most).contains(&side) {
            return Err(Error::Argument(format!(
                "{}: expected a {axis} of {least}..{most} pixels, got {side}; choose a size inside this range",
                flags[1]
            )));
        }
        let low = smallest_render_axis(side).max(RENDER_RANGE.0);
        if !(low..=side).contains(&input) {
            return Err(Error::Argument(format!(
                "{}: expected a {axis} of {low}..{side} pixels for an output of {output}, got {input}; the output is 1 \
                 to 3 times as large on each axis",
                flags[0]
            )));
        }
    }
    Ok(Sizes { render, output })
}
