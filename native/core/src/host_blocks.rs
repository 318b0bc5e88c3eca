//! The blocks that cross the JNI boundary. Each lies in a direct buffer that the JVM side owns; nothing keeps a
//! reference to it after the call. Enum values cross as the codes of [`crate::convention`].

mod context;
mod frame;
mod host;
mod query;

pub use context::{
    mode_from_code, size_of_words, ContextBlock, CreatedBlock, MODE_SCALE, MODE_TABLE,
};
pub use frame::{FrameBlock, InputSlot, ReplyBlock, EVALUATE_BYTES, LOST};
pub use host::{EnabledFeature, HostBlock, ImageBlock, RecommendBlock, SupportBlock};
pub use query::{Query, StatisticsBlock, TimingBlock, TimingEntry, MAX_TIMINGS, TIMINGS_BYTES};

use crate::block::BlockLayout;
use crate::convention;
use crate::exact::Fnv64;

/// Longest line of an error, a reason or a reset text, in bytes.
pub const LINE_BYTES: usize = 512;
/// Bytes of the buffer of a new context: question, output image, debug image, answer.
pub const CREATE_BYTES: usize = ContextBlock::SIZE + 2 * ImageBlock::SIZE + CreatedBlock::SIZE;

/// Every block that crosses the boundary.
pub const BLOCKS: &[BlockLayout] = &[
    HostBlock::LAYOUT,
    ImageBlock::LAYOUT,
    ContextBlock::LAYOUT,
    CreatedBlock::LAYOUT,
    FrameBlock::LAYOUT,
    ReplyBlock::LAYOUT,
    TimingEntry::LAYOUT,
    TimingBlock::LAYOUT,
    StatisticsBlock::LAYOUT,
    RecommendBlock::LAYOUT,
    SupportBlock::LAYOUT,
];

/// One enum that crosses the boundary: its name and its codes.
pub type CodeTable = (&'static str, &'static [(&'static str, u32)]);

/// Every enum that crosses the boundary.
pub const CODES: &[CodeTable] = &[
    ("Mode", MODE_TABLE),
    ("InputSlot", InputSlot::TABLE),
    ("EnabledFeature", EnabledFeature::TABLE),
    ("Query", Query::TABLE),
    ("Depth", convention::Depth::TABLE),
    ("MotionUnit", convention::MotionUnit::TABLE),
    ("MotionDirection", convention::MotionDirection::TABLE),
    ("MotionGrid", convention::MotionGrid::TABLE),
    ("ColorEncoding", convention::ColorEncoding::TABLE),
    ("ExposureKind", convention::ExposureKind::TABLE),
    ("Alpha", convention::Alpha::TABLE),
    ("Bypass", convention::Bypass::TABLE),
    ("Feature", convention::Feature::TABLE),
    ("Model", convention::Model::TABLE),
    ("DebugView", convention::DebugView::TABLE),
    ("ResetReason", convention::ResetReason::TABLE),
    ("Outcome", convention::Outcome::TABLE),
    ("Fault", convention::Fault::TABLE),
];

/// Sizes of the shared buffers and other numbers that both sides need.
pub const CONSTANTS: &[(&str, u64)] = &[
    ("EVALUATE_BYTES", EVALUATE_BYTES as u64),
    ("CREATE_BYTES", CREATE_BYTES as u64),
    ("TIMINGS_BYTES", TIMINGS_BYTES as u64),
    ("MAX_TIMINGS", MAX_TIMINGS as u64),
    ("LINE_BYTES", LINE_BYTES as u64),
];

/// A hash of the library's version, every block, every code and every shared number. Two halves of the library
/// work together exactly when theirs are equal.
pub fn fingerprint() -> u64 {
    let mut hash = Fnv64::new();
    hash.write(env!("CARGO_PKG_VERSION").as_bytes());
    for block in BLOCKS {
        hash.write(&block.fingerprint().to_le_bytes());
    }
    for (name, entries) in CODES {
        hash.write(name.as_bytes());
        for (entry, code) in *entries {
            hash.write(entry.as_bytes());
            hash.write(&code.to_le_bytes());
        }
    }
    for (name, value) in CONSTANTS {
        hash.write(name.as_bytes());
        hash.write(&value.to_le_bytes());
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_dense_and_names_unique() {
        for (name, entries) in CODES {
            for (i, (entry, code)) in entries.iter().enumerate() {
                assert_eq!(*code, i as u32, "{name}.{entry}");
                assert!(entries[..i].iter().all(|other| other.0 != *entry));
            }
        }
    }
}
