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
    /// A model of a network is not one that this library runs.
    #[error("model: {what}: expected {expected}, got {got}; {remedy}")]
    Model {
        /// The tensor, the entry of the metadata or the part of the file.
        what: String,
        /// What would have been right.
        expected: String,
        /// What was found.
        got: String,
        /// What to do about it.
        remedy: &'static str,
    },
}

impl Error {
    /// Shorthand for [`Error::Model`]; names from a file lose what is not printable ASCII, and their length.
    pub fn model(
        what: impl AsRef<str>,
        expected: impl Into<String>,
        got: impl AsRef<str>,
        remedy: &'static str,
    ) -> Self {
        Error::Model {
            what: line(what.as_ref()),
            expected: expected.into(),
            got: line(got.as_ref()),
            remedy,
        }
    }

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

/// Printable ASCII as it is, `?` for the rest: lines for people have nothing else.
pub fn printable(c: char) -> char {
    match c {
        ' '..='~' => c,
        _ => '?',
    }
}

/// Text of a file on one short line.
fn line(text: &str) -> String {
    const MOST: usize = 120;
    let mut line: String = text.chars().take(MOST).map(printable).collect();
    if text.chars().nth(MOST).is_some() {
        line.push_str("...");
    }
    line
}
