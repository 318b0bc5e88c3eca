//! What a context is asked between frames: times and counts.

use crate::block::Text;
use crate::codes::codes;

/// Most passes that a [`TimingBlock`] reports.
pub const MAX_TIMINGS: usize = 32;
/// Bytes of the buffer of a timing query.
pub const TIMINGS_BYTES: usize = TimingBlock::SIZE + MAX_TIMINGS * TimingEntry::SIZE;

codes! {
    /// What `query` may ask a context for.
    pub enum Query {
        /// A [`TimingBlock`] and its entries.
        Timings = 0,
        /// A [`StatisticsBlock`].
        Statistics = 1,
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
    /// Time of one pass.
    pub struct TimingEntry {
        /// name of the pass
        pub pass: Text<28>,
        /// time on the device, milliseconds
        pub gpu_ms: f32,
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
