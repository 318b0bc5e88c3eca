//! Builds through cargo, and the files that come out of them, wherever the target folder lies.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why a build gave nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A program of the tool chain failed.
    #[error("{0}")]
    Tool(String),
    /// The file system refused.
    #[error("{path}: {source}")]
    File {
        /// File or folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl BuildError {
    pub fn file(path: &Path, source: std::io::Error) -> Self {
        BuildError::File {
            path: path.to_owned(),
            source,
        }
    }
}

/// `cargo build`, telling what it makes.
pub fn build() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--message-format=json-render-diagnostics"]);
    cargo
}

/// The same for this machine, with everything: one package alone has other features in its dependencies and shares
/// nothing with what other builds have compiled.
pub fn build_workspace() -> Command {
    let mut cargo = build();
    cargo.arg("--workspace");
    cargo
}

/// Runs a build; the path of the file of this name that it made or found made.
pub fn built_file(mut build: Command, file: &str) -> Result<PathBuf, BuildError> {
    let output = build
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| BuildError::Tool(format!("cargo: {error}")))?;
    if !output.status.success() {
        return Err(BuildError::Tool(format!(
            "{file}: cargo could not build it ({})",
            output.status
        )));
    }
    file_in_messages(&String::from_utf8_lossy(&output.stdout), file)
        .ok_or_else(|| BuildError::Tool(format!("{file}: cargo built no file of this name")))
}

/// Copies a file into a folder, which is made where it is missing; gives the copy's path.
pub fn copy_into(folder: &Path, file: &Path) -> Result<PathBuf, BuildError> {
    std::fs::create_dir_all(folder).map_err(|e| BuildError::file(folder, e))?;
    let copy = folder.join(file.file_name().unwrap_or_default());
    std::fs::copy(file, &copy).map_err(|e| BuildError::file(&copy, e))?;
    Ok(copy)
}

fn file_in_messages(messages: &str, file: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Message>(line).ok())
        .flat_map(|message| message.filenames)
        .find(|path| path.file_name().is_some_and(|name| name == file))
}

/// One line of cargo's `--message-format=json`, as far as it concerns files.
#[derive(serde::Deserialize)]
struct Message {
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_among_messages() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"tool"},"filenames":["/t/debug/tool.rlib"]}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"tool"},"filenames":["/t/debug/tool"]}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
            "\n"
        );
        assert_eq!(
            file_in_messages(messages, "tool").as_deref(),
            Some(Path::new("/t/debug/tool"))
        );
        assert_eq!(file_in_messages(messages, "tool.exe"), None);
    }
}
