//! How many sequences are rendered in one submission.

use super::description::Description;
use reconstruction_host::DeviceLimits;

/// Most sequences in a submission: the widest GPUs are full then.
const MOST: u64 = 64;
/// Bytes that the pictures of a submission take at most, where the device allows more.
const PICTURE_BYTES: u64 = 512 << 20;
/// Bytes that a random world takes at most when it is uploaded, with room to spare.
const WORLD_BYTES: u64 = 4 << 20;
/// Bytes that a sequence keeps for its next frame, a pixel.
const HISTORY_BYTES: u64 = 64;

/// Sequences of a submission, at least 1 and at most those of a shard.
pub fn size(description: &Description, limits: &DeviceLimits) -> usize {
    let (render, output) = (description.render().area(), description.output().area());
    // A texel of every plane that is read back; a sum while a picture takes several dispatches.
    let pictures = render * (48 + 8 + 12) + output * 2 * (8 + 12);
    let range = u64::from(limits.max_storage_buffer_range);
    let fitting = [
        range.min(PICTURE_BYTES) / pictures,
        range / WORLD_BYTES,
        range / (HISTORY_BYTES * render),
        description.sequences_per_shard,
        MOST,
    ];
    fitting.into_iter().min().unwrap_or(1).max(1) as usize
}
