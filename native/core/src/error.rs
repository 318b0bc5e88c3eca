//! The one error type of this crate: a wrong value, said in one line.

/// Result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A refused value. The text is one ASCII line: what, expected, got, remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value that is not allowed.
    #[error("{what}: expected {expected}, got {got}; {remedy}")]
    Invalid {
        /// The parameter, named as the caller knows it.
        what: &'static str,
        /// What would have been right.
        expected: String,
        /// What was given.
        got: String,
        /// What to do about it.
        remedy: &'static str,
    },
}

impl Error {
    /// Shorthand for [`Error::Invalid`].
    pub fn invalid(
        what: &'static str,
        expected: impl Into<String>,
        got: impl Into<String>,
        remedy: &'static str,
    ) -> Self {
        Error::Invalid {
            what,
            expected: expected.into(),
            got: got.into(),
            remedy,
        }
    }
}
