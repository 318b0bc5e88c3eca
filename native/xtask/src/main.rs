//! `cargo xtask`: build steps that cargo has no word for.

mod blocks;
mod cargo;
mod natives;
mod tables;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Build steps of the library.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Write the Kotlin accessors of the blocks that cross the JNI boundary
    Blocks {
        /// Folder that becomes the root of the generated sources
        #[arg(long)]
        out: PathBuf,
        /// Folder of generated test sources: tables that the binding's own arithmetic is compared with
        #[arg(long)]
        tests: Option<PathBuf>,
    },
    /// Build the native library and lay it where the jar takes it from
    Natives {
        /// Rust target triple; the host when left out
        #[arg(long)]
        target: Option<String>,
        /// Folder that becomes the root of the jar's resources
        #[arg(long, default_value = "jvm/binding/target/native-resources")]
        out: PathBuf,
    },
    /// Build the program `reconstruct` and lay it into a folder
    Program {
        /// The folder
        #[arg(long)]
        out: PathBuf,
    },
}

/// The command line of native/cli.
const PROGRAM: &str = "reconstruct";

fn main() -> ExitCode {
    let done = match Arguments::parse().step {
        Step::Blocks { out, tests } => blocks::write(&out)
            .and_then(|()| tests.map_or(Ok(()), |tests| tables::write(&tests)))
            .map_err(|error| error.to_string()),
        Step::Natives { target, out } => natives::build(target.as_deref(), &out)
            .map(|library| println!("{}", library.display()))
            .map_err(|error| error.to_string()),
        Step::Program { out } => {
            let file = PROGRAM.to_owned() + std::env::consts::EXE_SUFFIX;
            cargo::built_file(cargo::build_workspace(), &file)
                .and_then(|built| cargo::copy_into(&out, &built))
                .map(|program| println!("{}", program.display()))
                .map_err(|error| error.to_string())
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(line) => {
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}
