//! The errors of the engine: what, where, expected, got, remedy, in one ASCII line.

use ash::vk;
use reconstruction_core::convention::Fault;
use std::borrow::Cow;
use std::fmt;

/// Result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a feature, a model or a size is unavailable here, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// A reason: what is missing, what is needed, what was found, what to do.
    pub(crate) fn new(
        what: &str,
        expected: impl fmt::Display,
        got: impl fmt::Display,
        remedy: &str,
    ) -> Self {
        Reason(format!("{what}: expected {expected}, got {got}; {remedy}"))
    }

    /// The line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A refused call. Nothing was recorded; the context stays usable unless the device is lost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device, the model or the size is not supported.
    #[error("{0}")]
    Unsupported(Reason),
    /// An argument is wrong.
    #[error("{what}: expected {expected}, got {got}; {remedy}")]
    Invalid {
        /// The parameter, as the caller knows it.
        what: Cow<'static, str>,
        /// What would have been right.
        expected: String,
        /// What was given.
        got: String,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The object is not in a state for this call.
    #[error("{what}: expected {expected}, got {got}; {remedy}")]
    InvalidState {
        /// The object.
        what: String,
        /// The state that the call needs.
        expected: &'static str,
        /// The state it is in.
        got: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// Device memory, or the driver's own, is exhausted. Everything the call had made is freed.
    #[error("{what}: expected {bytes} bytes of device memory, got none; close other contexts or reconstruct to a smaller size")]
    OutOfDeviceMemory {
        /// What was being made.
        what: &'static str,
        /// Bytes asked for; 0 where the driver did not say.
        bytes: u64,
    },
    /// The device was lost; every later call says so too, closing stays clean.
    #[error("device: expected a working device, got VK_ERROR_DEVICE_LOST; close every context and make a new device")]
    DeviceLost,
    /// A call failed that cannot fail this way: a fault of this library or of the driver.
    #[error("{call}: expected success, got {detail}; please report this line")]
    Internal {
        /// The call.
        call: &'static str,
        /// What came back.
        detail: String,
    },
}

impl Error {
    /// The code under which this error crosses to other languages.
    pub fn fault(&self) -> Fault {
        match self {
            Error::Unsupported(_) => Fault::UnsupportedDevice,
            Error::Invalid { .. } => Fault::InvalidInput,
            Error::InvalidState { .. } => Fault::InvalidState,
            Error::OutOfDeviceMemory { .. } => Fault::OutOfDeviceMemory,
            Error::DeviceLost => Fault::DeviceLost,
            Error::Internal { .. } => Fault::InternalFault,
        }
    }

    pub(crate) fn invalid(
        what: impl Into<Cow<'static, str>>,
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

    /// The error of a Vulkan call that made or read `call`.
    pub(crate) fn vulkan(call: &'static str, result: vk::Result) -> Self {
        match result {
            vk::Result::ERROR_DEVICE_LOST => Error::DeviceLost,
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                Error::OutOfDeviceMemory {
                    what: call,
                    bytes: 0,
                }
            }
            other => Error::Internal {
                call,
                detail: format!("{other:?}"),
            },
        }
    }
}

impl From<reconstruction_core::Error> for Error {
    fn from(error: reconstruction_core::Error) -> Self {
        match error {
            reconstruction_core::Error::Invalid {
                what,
                expected,
                got,
                remedy,
            } => Error::invalid(what, expected, got, remedy),
            other => Error::Internal {
                call: "core",
                detail: other.to_string(),
            },
        }
    }
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        Error::Unsupported(reason)
    }
}
