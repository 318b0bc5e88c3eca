//! Builds the native library for a target and lays it into the jar's resources, with an index of what is there.

use crate::cargo::{self, BuildError};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a target's library was not built. The text is one line with the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NativesError {
    /// The jar names no folder for this target.
    #[error("target {0}: expected Linux, Windows or macOS on x86_64 or aarch64; the jar has no folder for another")]
    UnknownTarget(String),
    /// The Rust standard library of the target is missing.
    #[error("target {0}: its Rust standard library is not installed; run `rustup target add {0}`")]
    NoStandardLibrary(String),
    /// A compiler of the target is missing.
    #[error("target {target}: its {language} compiler was not found (tried {tried}); {remedy}")]
    NoCompiler {
        /// The target triple.
        target: String,
        /// `C` or `C++`.
        language: &'static str,
        /// The program that was tried.
        tried: String,
        /// What to install.
        remedy: String,
    },
    /// The build failed, or its result could not be laid.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Where a target's library lies in the jar, and what it is called.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    /// Folder below `natives/`.
    pub folder: String,
    /// File name.
    pub file: &'static str,
}

/// The place of a target triple.
pub fn place(target: &str) -> Result<Place, NativesError> {
    let unknown = || NativesError::UnknownTarget(target.into());
    let arch = match target.split('-').next() {
        Some("x86_64") => "x64",
        Some("aarch64") => "arm64",
        _ => return Err(unknown()),
    };
    let (os, file) = if target.contains("-linux-gnu") {
        ("linux", "libreconstruction_jni.so")
    } else if target.contains("-windows-") {
        ("windows", "reconstruction_jni.dll")
    } else if target.contains("-apple-darwin") {
        ("macos", "libreconstruction_jni.dylib")
    } else {
        return Err(unknown());
    };
    Ok(Place {
        folder: format!("{os}-{arch}"),
        file,
    })
}

/// Builds the library and returns where it was laid.
pub fn build(target: Option<&str>, out: &Path) -> Result<PathBuf, NativesError> {
    let host = rustc(&["--version", "--verbose"])?
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .ok_or_else(|| BuildError::Tool("rustc --version --verbose names no host".into()))?;
    let triple = target.unwrap_or(&host);
    let place = place(triple)?;
    let build = if triple != host {
        standard_library(triple)?;
        let variable = triple.replace('-', "_");
        let c = compiler(triple, &host, false)?;
        let mut build = cargo::build();
        build
            .env(format!("CC_{variable}"), &c)
            .env(format!("CXX_{variable}"), compiler(triple, &host, true)?)
            .env(
                format!("CARGO_TARGET_{}_LINKER", variable.to_uppercase()),
                &c,
            )
            .args(["--package", "reconstruction-jni", "--target", triple]);
        build
    } else {
        compiler(&host, &host, false)?;
        compiler(&host, &host, true)?;
        cargo::build_workspace()
    };
    lay(&cargo::built_file(build, place.file)?, &place, out)
}

fn lay(built: &Path, place: &Place, out: &Path) -> Result<PathBuf, NativesError> {
    let root = out.join("natives");
    let library = cargo::copy_into(&root.join(&place.folder), built)?;
    let mut held = Vec::new();
    for entry in std::fs::read_dir(&root).map_err(|e| BuildError::file(&root, e))? {
        let entry = entry.map_err(|e| BuildError::file(&root, e))?;
        if entry.path().is_dir() {
            held.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    held.sort();
    let index = root.join("index.txt");
    std::fs::write(&index, held.join("\n") + "\n").map_err(|e| BuildError::file(&index, e))?;
    Ok(library)
}

fn rustc(arguments: &[&str]) -> Result<String, BuildError> {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| BuildError::Tool(format!("rustc: {error}")))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn standard_library(target: &str) -> Result<(), NativesError> {
    let folder = rustc(&["--print", "target-libdir", "--target", target])?;
    if folder.trim().is_empty() || !Path::new(folder.trim()).is_dir() {
        return Err(NativesError::NoStandardLibrary(target.into()));
    }
    Ok(())
}

fn compiler(target: &str, host: &str, is_cpp: bool) -> Result<PathBuf, NativesError> {
    let language = if is_cpp { "C++" } else { "C" };
    let missing = |tried: String| NativesError::NoCompiler {
        target: target.into(),
        language,
        tried,
        remedy: remedy(target),
    };
    let tool = cc::Build::new()
        .target(target)
        .host(host)
        .opt_level(0)
        .cargo_metadata(false)
        .cargo_warnings(false)
        .cpp(is_cpp)
        .try_get_compiler()
        .map_err(|error| missing(error.to_string()))?;
    let question = if tool.is_like_msvc() {
        "/?"
    } else {
        "--version"
    };
    match Command::new(tool.path()).arg(question).output() {
        Ok(output) if output.status.success() => Ok(tool.path().to_owned()),
        _ => Err(missing(tool.path().display().to_string())),
    }
}

fn remedy(target: &str) -> String {
    let arch = if target.starts_with("aarch64") {
        "aarch64"
    } else {
        "x86-64"
    };
    if target.contains("-linux-gnu") {
        format!("on Debian: apt-get install gcc-{arch}-linux-gnu g++-{arch}-linux-gnu")
    } else if target.ends_with("-windows-gnu") {
        "on Debian: apt-get install gcc-mingw-w64 g++-mingw-w64".into()
    } else if target.contains("-windows-") {
        "install the Visual Studio build tools for C++".into()
    } else {
        "install the Xcode command line tools".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_a_place() {
        let linux = place("x86_64-unknown-linux-gnu").unwrap();
        assert_eq!(
            (linux.folder.as_str(), linux.file),
            ("linux-x64", "libreconstruction_jni.so")
        );
        let mac = place("aarch64-apple-darwin").unwrap();
        assert_eq!(
            (mac.folder.as_str(), mac.file),
            ("macos-arm64", "libreconstruction_jni.dylib")
        );
        let error = place("wasm32-unknown-unknown").unwrap_err().to_string();
        assert!(error.starts_with("target wasm32-unknown-unknown: expected Linux"));
    }

    #[test]
    fn a_missing_target_says_what_to_install() {
        // No machine has this one: the triple names a vendor that does not exist.
        let error = build(Some("aarch64-none-linux-gnu"), Path::new("unused")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "target aarch64-none-linux-gnu: its Rust standard library is not installed; \
             run `rustup target add aarch64-none-linux-gnu`"
        );
        assert!(!Path::new("unused").exists());
    }

    #[test]
    fn the_host_has_both_compilers() {
        let version = rustc(&["--version", "--verbose"]).unwrap();
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap();
        assert!(compiler(host, host, false).is_ok());
        assert!(compiler(host, host, true).is_ok());
    }

    #[test]
    fn a_missing_compiler_names_the_package() {
        let error = NativesError::NoCompiler {
            target: "aarch64-unknown-linux-gnu".into(),
            language: "C",
            tried: "aarch64-linux-gnu-gcc".into(),
            remedy: remedy("aarch64-unknown-linux-gnu"),
        };
        assert_eq!(
            error.to_string(),
            "target aarch64-unknown-linux-gnu: its C compiler was not found (tried aarch64-linux-gnu-gcc); \
             on Debian: apt-get install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu"
        );
    }

    #[test]
    fn laying_a_library_indexes_the_folder() {
        let out = std::env::temp_dir().join(format!("natives-{}", std::process::id()));
        let built = std::env::current_exe().unwrap();
        for triple in ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin"] {
            lay(&built, &place(triple).unwrap(), &out).unwrap();
        }
        let index = std::fs::read_to_string(out.join("natives/index.txt")).unwrap();
        assert_eq!(index, "linux-x64\nmacos-arm64\n");
        std::fs::remove_dir_all(out).unwrap();
    }
}
