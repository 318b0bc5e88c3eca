//! The blocks that cross the JNI boundary. Each lies in a direct buffer that the JVM side owns; nothing keeps a
//! reference to it after the call. Enum values cross as the codes of [`crate::convention`].

use crate::block::{BlockLayout, Text};
use crate::convention;
use crate::exact::Fnv64;
use crate::size::{Mode, Size};

/// Value of `last_finished` that says: the device is lost.
pub const LOST: u64 = u64::MAX;
/// Longest line of an error, a reason or a reset text, in bytes.
pub const LINE_BYTES: usize = 512;
/// Most passes that a [`TimingBlock`] reports.
pub const MAX_TIMINGS: usize = 32;
/// Code of [`Mode::Scale`]; the named modes have their index in [`Mode::NAMED`].
pub const MODE_SCALE: u32 = 5;

crate::block! {
    /// What a host gives once: raw handles and what it enabled.
    pub struct HostBlock {
        /// VkInstance
        pub instance: u64,
        /// VkPhysicalDevice
        pub physical_device: u64,
        /// VkDevice
        pub device: u64,
        /// address of vkGetInstanceProcAddr
        pub get_instance_proc_addr: u64,
        /// family of the queue that runs the recorded commands
        pub queue_family: u32,
        /// frames that the host keeps in flight, 1 to 8
        pub frames_in_flight: u32,
        /// VkApplicationInfo.apiVersion of the instance
        pub api_version: u32,
        /// bits of EnabledFeature
        pub enabled_features: u32,
    }
}

crate::block! {
    /// An image with everything that Vulkan does not tell about a bare handle.
    pub struct ImageBlock {
        /// VkImageView
        pub view: u64,
        /// VkImage
        pub image: u64,
        /// VkDevice that made them
        pub device: u64,
        /// VkFormat of the view
        pub format: u32,
        /// pixels along x of mip 0
        pub width: u32,
        /// pixels along y of mip 0
        pub height: u32,
        /// VkImageUsageFlags of the image
        pub usage: u32,
        /// samples per pixel
        pub samples: u32,
        /// mip levels of the view
        pub mips: u32,
        /// array layers of the view
        pub layers: u32,
        /// VkImageLayout in which the image is given and returned
        pub layout: u32,
    }
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

crate::block! {
    /// One frame. The images follow it in the same buffer.
    pub struct FrameBlock {
        /// VkCommandBuffer, recording, outside a render pass
        pub command_buffer: u64,
        /// the host's number of this frame
        pub host_frame: u64,
        /// the host's number of the last finished frame, LOST when the device is lost
        pub last_finished: u64,
        /// index of the frame among those recorded (two's complement)
        pub frame_index: u64,
        /// revision of the scene (two's complement)
        pub revision: u64,
        /// displacement of the picture in render pixels, +x right, +y down
        pub jitter_px: [f32; 2],
        /// bit i: image slot i is given
        pub image_mask: u32,
        /// code of ExposureKind
        pub exposure_kind: u32,
        /// the number of Scalar and PreExposed
        pub exposure_scale: f32,
        /// code of ColorEncoding
        pub color_encoding: u32,
        /// code of Depth
        pub depth_kind: u32,
        /// code of MotionUnit
        pub motion_unit: u32,
        /// code of MotionDirection
        pub motion_direction: u32,
        /// code of MotionGrid
        pub motion_grid: u32,
        /// code of Alpha
        pub alpha: u32,
        /// code of Bypass
        pub bypass: u32,
        /// code of DebugView
        pub debug_view: u32,
        /// 1 to measure the passes
        pub wants_timings: u32,
        /// 1 to count what the inputs hold
        pub wants_statistics: u32,
        /// 1 to begin history anew
        pub is_reset: u32,
        /// why, in the caller's words
        pub reset_text: Text<136>,
    }
}

crate::block! {
    /// What became of a frame.
    pub struct ReplyBlock {
        /// index of the frame of the last reset (two's complement)
        pub reset_frame_index: u64,
        /// code of Outcome
        pub outcome: u32,
        /// code of ResetReason of the last reset, 0 before the first
        pub reset_reason: u32,
        /// 1 when this frame began history anew
        pub is_reset: u32,
        /// frames since the last reset
        pub frames_since_reset: u32,
        /// the caller's words where it asked for the last reset
        pub reset_text: Text<136>,
        /// why the frame was bypassed or declined
        pub reason: Text<512>,
    }
}

crate::block! {
    /// Time of one pass.
    pub struct TimingEntry {
        /// name of the pass
        pub pass: Text<28>,
        /// time on the device, milliseconds
        pub gpu_ms: f32,
    }
}

crate::block! {
    /// Times of the last finished frame; the entries follow it in the same buffer.
    pub struct TimingBlock {
        /// index of the measured frame (two's complement)
        pub frame_index: u64,
        /// entries that follow
        pub count: u32,
        /// 1 when a frame was measured
        pub is_measured: u32,
    }
}

crate::block! {
    /// What the inputs of the last counted frame held.
    pub struct StatisticsBlock {
        /// index of the counted frame (two's complement)
        pub frame_index: u64,
        /// 1 when a frame was counted
        pub is_counted: u32,
        /// share of pixels with non-zero motion
        pub moving_share: f32,
        /// share of pixels with non-finite motion
        pub nonfinite_motion_share: f32,
        /// longest motion in render pixels
        pub longest_motion_px: f32,
        /// share of pixels with non-finite colour
        pub nonfinite_color_share: f32,
        /// share of pixels with non-finite depth
        pub nonfinite_depth_share: f32,
    }
}

crate::block! {
    /// Asks for a render size; the answer is written behind the question.
    pub struct RecommendBlock {
        /// bits of the double that is the ratio of mode SCALE
        pub scale_bits: u64,
        /// size of the output
        pub output_size: [u32; 2],
        /// index among the named modes, or the code of SCALE
        pub mode: u32,
        /// code of Feature
        pub feature: u32,
        /// code of Model
        pub model: u32,
        /// answer: 1 when a context of the optimal size can be made
        pub is_supported: u32,
        /// answer: recommended render size
        pub optimal: [u32; 2],
        /// answer: smallest legal render size
        pub min: [u32; 2],
        /// answer: largest legal render size
        pub max: [u32; 2],
        /// answer: length of the jitter sequence
        pub jitter_phases: u32,
        /// answer: mip level bias for textures of the source pass
        pub mip_bias: f32,
        /// answer: why not
        pub reason: Text<512>,
    }
}

crate::block! {
    /// Asks whether a feature with a model runs on this device.
    pub struct SupportBlock {
        /// code of Feature
        pub feature: u32,
        /// code of Model
        pub model: u32,
        /// answer: 1 when it runs
        pub is_supported: u32,
        /// answer: name of the device
        pub device_name: Text<256>,
        /// answer: why not
        pub reason: Text<512>,
    }
}

/// The images of a frame, in the order in which their blocks follow the [`FrameBlock`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputSlot {
    /// The input colour.
    Color = 0,
    /// The input depth.
    Depth = 1,
    /// The input motion.
    Motion = 2,
    /// The exposure texture.
    Exposure = 3,
}

impl InputSlot {
    /// Every slot with its index and the name that the caller knows.
    pub const TABLE: &'static [(&'static str, u32)] =
        &[("Color", 0), ("Depth", 1), ("Motion", 2), ("Exposure", 3)];
}

/// Optional device features a host may have enabled; the code is the bit in `HostBlock::enabled_features`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnabledFeature {
    /// `shaderInt8`
    ShaderInt8 = 0,
    /// `storageBuffer8BitAccess`
    StorageBuffer8Bit = 1,
    /// `shaderIntegerDotProduct`
    IntegerDotProduct = 2,
    /// `cooperativeMatrix`
    CooperativeMatrix = 3,
    /// `subgroupSizeControl`
    SubgroupSizeControl = 4,
}

impl EnabledFeature {
    /// Every feature with its bit.
    pub const TABLE: &'static [(&'static str, u32)] = &[
        ("ShaderInt8", 0),
        ("StorageBuffer8Bit", 1),
        ("IntegerDotProduct", 2),
        ("CooperativeMatrix", 3),
        ("SubgroupSizeControl", 4),
    ];
}

/// What `query` may ask a context for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// A [`TimingBlock`] and its entries.
    Timings = 0,
    /// A [`StatisticsBlock`].
    Statistics = 1,
}

impl Query {
    /// Every question with its code.
    pub const TABLE: &'static [(&'static str, u32)] = &[("Timings", 0), ("Statistics", 1)];
}

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

/// Bytes of the buffer of one evaluate: frame, images, reply.
pub const EVALUATE_BYTES: usize =
    FrameBlock::SIZE + InputSlot::TABLE.len() * ImageBlock::SIZE + ReplyBlock::SIZE;
/// Bytes of the buffer of a new context: question, output image, debug image, answer.
pub const CREATE_BYTES: usize = ContextBlock::SIZE + 2 * ImageBlock::SIZE + CreatedBlock::SIZE;
/// Bytes of the buffer of a timing query.
pub const TIMINGS_BYTES: usize = TimingBlock::SIZE + MAX_TIMINGS * TimingEntry::SIZE;

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

    #[test]
    fn codes_are_dense_and_names_unique() {
        for (name, entries) in CODES {
            for (i, (entry, code)) in entries.iter().enumerate() {
                assert_eq!(*code, i as u32, "{name}.{entry}");
                assert!(entries[..i].iter().all(|other| other.0 != *entry));
            }
        }
    }

    #[test]
    fn images_behind_the_frame_are_aligned() {
        assert_eq!(FrameBlock::SIZE % 8, 0);
        assert_eq!(ImageBlock::SIZE % 8, 0);
    }
}
