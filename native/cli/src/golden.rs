//! The stored hashes of the self test: what the CPU references gave.

use crate::image::Picture;
use crate::synthetic::Case;
use reconstruction_core::exact::Fnv64;
use serde::{Deserialize, Serialize};

/// The hashes of one case, as its file holds them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Golden {
    /// Name of the case.
    pub case: String,
    /// FNV-1a of the output's halves, R, G, B, A in rows from the top, little-endian; one a frame.
    pub frames: Vec<String>,
}

/// The stored file of a case.
///
/// # Panics
/// When the library was built with a damaged file, or without one.
pub fn stored(case: &Case) -> Golden {
    let text = match case.name {
        "sr_61x37_to_97x71" => include_str!("../selftest/sr_61x37_to_97x71.json"),
        "sr_33x23_to_97x67" => include_str!("../selftest/sr_33x23_to_97x67.json"),
        "dlaa_67x65" => include_str!("../selftest/dlaa_67x65.json"),
        "conv_49x37_to_97x71" => include_str!("../selftest/conv_49x37_to_97x71.json"),
        "swin_53x37_to_91x65" => include_str!("../selftest/swin_53x37_to_91x65.json"),
        other => panic!("no stored hashes for case {other}"),
    };
    serde_json::from_str(text).expect("stored hashes")
}

/// The hash of a picture of half floats.
pub fn hash(picture: &Picture) -> String {
    let mut hash = Fnv64::new();
    for &value in picture.pixels.iter().flatten() {
        hash.write(&half::f16::from_f32(value).to_le_bytes());
    }
    format!("{:016x}", hash.finish())
}
