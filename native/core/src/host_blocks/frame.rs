//! One frame: the question, its images, the reply.

use super::ImageBlock;
use crate::block::Text;
use crate::codes::codes;

/// Value of `last_finished` that says: the device is lost.
pub const LOST: u64 = u64::MAX;
/// Bytes of the buffer of one evaluate: frame, images, reply.
pub const EVALUATE_BYTES: usize =
    FrameBlock::SIZE + InputSlot::TABLE.len() * ImageBlock::SIZE + ReplyBlock::SIZE;

codes! {
    /// The images of a frame, in the order in which their blocks follow the [`FrameBlock`].
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_behind_the_frame_are_aligned() {
        assert_eq!(FrameBlock::SIZE % 8, 0);
        assert_eq!(ImageBlock::SIZE % 8, 0);
    }
}
