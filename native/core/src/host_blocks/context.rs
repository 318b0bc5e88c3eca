//! A context: what it is made of, and what it answers.

use crate::block::Text;
use crate::size::{Mode, Size};

/// Code of [`Mode::Scale`]; the named modes have their index in [`Mode::NAMED`].
pub const MODE_SCALE: u32 = 5;

/// Modes with their codes.
pub const MODE_TABLE: &[(&str, u32)] = &[
    ("Dlaa", 0),
    ("Quality", 1),
    ("Balanced", 2),
    ("Performance", 3),
    ("UltraPerformance", 4),
    ("Scale", MODE_SCALE),
];

/// The mode of a code and the bits of its scale.
///
/// # Errors
/// When no mode has this code.
pub fn mode_from_code(code: u32, scale_bits: u64) -> crate::Result<Mode> {
    match Mode::NAMED.get(code as usize) {
        Some(mode) => Ok(*mode),
        None if code == MODE_SCALE => Ok(Mode::Scale(f64::from_bits(scale_bits))),
        None => Err(crate::Error::invalid(
            "mode",
            "a code of ReconstructionMode",
            format!("code {code}"),
            "use a value of this library's own ReconstructionMode",
        )),
    }
}

/// A size of two words.
pub fn size_of_words(words: [u32; 2]) -> Size {
    Size::new(words[0], words[1])
}

crate::block! {
    /// What a context is made of.
    pub struct ContextBlock {
        /// bits of the double that is the ratio of mode SCALE
        pub scale_bits: u64,
        /// size of colour, depth and motion
        pub render_size: [u32; 2],
        /// size of the output
        pub output_size: [u32; 2],
        /// index among the named modes, or the code of SCALE
        pub mode: u32,
        /// code of Feature
        pub feature: u32,
        /// code of Model
        pub model: u32,
        /// 1 to make the debug image
        pub wants_debug: u32,
        /// name in status lines, may be empty
        pub name: Text<64>,
        /// file of a network's weights, absolute, in the escapes of a file URI; empty: the shipped one
        pub model_path: Text<1024>,
    }
}

crate::block! {
    /// What a new context answers.
    pub struct CreatedBlock {
        /// bytes of device memory
        pub device_bytes: u64,
        /// length of the jitter sequence
        pub jitter_phases: u32,
        /// mip level bias for textures of the source pass
        pub mip_bias: f32,
        /// device and pipelines in words
        pub backend: Text<128>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_their_index_as_code() {
        for (i, mode) in Mode::NAMED.into_iter().enumerate() {
            assert_eq!(mode_from_code(i as u32, 0).unwrap(), mode);
            assert_eq!(MODE_TABLE[i].1, i as u32);
        }
        let scale = mode_from_code(MODE_SCALE, 1.25f64.to_bits()).unwrap();
        assert_eq!(scale, Mode::Scale(1.25));
        let error = mode_from_code(6, 0).unwrap_err().to_string();
        assert!(error.starts_with("mode: ") && error.contains("code 6"));
    }
}
