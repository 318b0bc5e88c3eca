//! The one error type of this crate, each in one line.

/// Result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call. The text is one ASCII line: what, expected, got, remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value that is not allowed.
    #[error("{what}: expected {expected}, got {got}; {remedy}")]
    Invalid {
        /// The value, named as the caller knows it.
        what: String,
        /// What would have been right.
        expected: String,
        /// What was given.
        got: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The Vulkan host failed.
    #[error(transparent)]
    Host(#[from] reconstruction_host::Error),
    /// A Vulkan call failed.
    #[error("{call}: {result:?}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// Its result.
        result: ash::vk::Result,
    },
}

impl Error {
    /// Shorthand for [`Error::Invalid`].
    pub fn invalid(
        what: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
        remedy: &'static str,
    ) -> Self {
        Error::Invalid {
            what: what.into(),
            expected: expected.into(),
            got: got.into(),
            remedy,
        }
    }
}
