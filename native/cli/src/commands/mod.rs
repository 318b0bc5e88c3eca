//! The commands, one file each.

pub mod bench;
pub mod devices;
pub mod frames;
pub mod pack;
pub mod selftest;

use crate::error::{Error, Result};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::path::Path;

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
