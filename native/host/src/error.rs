//! What can go wrong in a host, each in one line.

use ash::vk;

/// Result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call. The text is one ASCII line: what, expected, got, remedy.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The machine has no Vulkan loader.
    #[error("Vulkan: no loader found ({detail}); install libvulkan1 (Debian) or the GPU's driver")]
    NoLoader {
        /// What the system said.
        detail: String,
    },
    /// No device, or none of this name.
    #[error("device: expected {expected}, found {found}; install mesa-vulkan-drivers (Debian) for a software driver, or choose another name")]
    NoDevice {
        /// What was looked for.
        expected: String,
        /// The names of the devices that exist.
        found: String,
    },
    /// The validation layer was asked for and is not installed.
    #[error("validation: layer VK_LAYER_KHRONOS_validation is not installed; install vulkan-validationlayers (Debian) or switch validation off")]
    NoValidationLayer,
    /// Texels do not fit the image or its format is not one this crate moves.
    #[error("{what}: expected {expected}, got {got}")]
    Texels {
        /// The call and the image.
        what: String,
        /// Bytes, texels or formats that would have been right.
        expected: String,
        /// What was given.
        got: String,
    },
    /// A Vulkan call failed.
    #[error("{call}: {result:?}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// Its result.
        result: vk::Result,
    },
    /// Memory could not be allocated.
    #[error("{what}: allocation of {bytes} bytes failed ({detail})")]
    Allocation {
        /// The buffer or image.
        what: String,
        /// Bytes asked for.
        bytes: u64,
        /// What the allocator said.
        detail: String,
    },
}

/// Turns a Vulkan result into this crate's, naming the call.
pub(crate) trait Named<T> {
    fn named(self, call: &'static str) -> Result<T>;
}

impl<T> Named<T> for std::result::Result<T, vk::Result> {
    fn named(self, call: &'static str) -> Result<T> {
        self.map_err(|result| Error::Vulkan { call, result })
    }
}
