//! The one error type of the command line: a single ASCII line that says what, where, and the remedy.

use std::path::{Path, PathBuf};

/// Result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{path}: cannot {action}: {cause}", path = .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What was tried: `read`, `write`, ...
        action: &'static str,
        /// What the system or the format's library says.
        cause: String,
    },
    /// A key of a JSON file has a wrong value.
    #[error("{path}: {key}: {cause}", path = .path.display())]
    Key {
        /// The JSON file.
        path: PathBuf,
        /// Path of the key, for example `frames[3].jitter`.
        key: String,
        /// What was expected and what was found.
        cause: String,
    },
    /// An image lacks a channel.
    #[error("{path}: no channel {channel}; the file has {has}; name the channels as in the frame format (reconstruct frames --help)", path = .path.display())]
    Channel {
        /// The image file.
        path: PathBuf,
        /// The missing channel.
        channel: String,
        /// Names of the channels that are there.
        has: String,
    },
    /// An image has the wrong size.
    #[error("{path}: expected {expected} pixels ({key} of sequence.json), got {got}", path = .path.display())]
    Size {
        /// The image file.
        path: PathBuf,
        /// The size that was declared.
        expected: reconstruction_core::Size,
        /// The key that declares it.
        key: &'static str,
        /// The size of the file.
        got: reconstruction_core::Size,
    },
    /// An argument has a value that does not fit.
    #[error("{0}")]
    Argument(String),
    /// The sizes of a sequence are not legal for the feature.
    #[error(transparent)]
    Core(#[from] reconstruction_core::Error),
    /// No device, or a device that cannot do it.
    #[error("{0}")]
    Device(String),
    /// The host of the device failed.
    #[error(transparent)]
    Host(#[from] reconstruction_host::Error),
    /// The engine refused or failed.
    #[error(transparent)]
    Engine(#[from] reconstruction_engine::Error),
    /// A world cannot be made or rendered as asked.
    #[error(transparent)]
    Scene(reconstruction_scene::Error),
    /// A scene's file is missing, broken or holds what is not supported.
    #[error(transparent)]
    SceneFile(reconstruction_scene::Error),
    /// A comparison came out unequal.
    #[error("{0}")]
    Differs(String),
}

impl Error {
    /// A failed read or write.
    pub fn file(path: &Path, action: &'static str, cause: impl ToString) -> Self {
        Error::File {
            path: path.to_owned(),
            action,
            cause: one_line(&cause.to_string()),
        }
    }

    /// A wrong value of a key.
    pub fn key(path: &Path, key: impl Into<String>, cause: impl ToString) -> Self {
        Error::Key {
            path: path.to_owned(),
            key: key.into(),
            cause: one_line(&cause.to_string()),
        }
    }

    /// The exit code of the process: 1 unequal, 2 arguments, 3 input or output, 4 device.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Differs(_) => 1,
            Error::Argument(_) => 2,
            Error::Scene(reconstruction_scene::Error::Invalid { .. }) => 2,
            Error::Device(_) | Error::Host(_) | Error::Engine(_) | Error::Scene(_) => 4,
            _ => 3,
        }
    }
}

/// Folds a message of another library to one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
