//! `reconstruct`: see `reconstruct --help`.

use clap::Parser;
use reconstruction_cli::commands::{run, Arguments};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Arguments::parse(), &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
