//! `reconstruct pack`: a raw recording becomes a frame folder.

use crate::error::Result;
use crate::{progress, raw};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Turn a raw recording into a frame folder of EXR files.
#[derive(Debug, Args)]
#[command(after_long_help = raw::HELP)]
pub struct Options {
    /// The raw recording: a folder with sequence.json and .raw images (--help describes them)
    raw: PathBuf,
    /// The frame folder to write
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let bar = progress::bar(0, "pack");
    let count = raw::pack(&options.raw, &options.out, |done, count| {
        bar.set_length(count as u64);
        bar.set_position(done as u64);
    })?;
    bar.finish_and_clear();
    super::print(
        out,
        &format!("{count} frames in {}\n", options.out.display()),
    )
}
