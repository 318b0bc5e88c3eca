//! How many sequences are rendered in one submission.

use super::description::Description;
use super::tensors::PLANES;
use reconstruction_host::DeviceLimits;
use reconstruction_scene::renderer::{Plane, HISTORY_BYTES};

/// Most sequences in a submission: the widest GPUs are full then.
const MOST: u64 = 64;
/// Bytes that the pictures of a submission take at most, where the device allows more.
const PICTURE_BYTES: u64 = 512 << 20;
/// Bytes that a random world takes at most when it is uploaded, with room to spare.
const WORLD_BYTES: u64 = 4 << 20;
/// Bytes of a pixel's sum where its samples take several waves.
const SUM_BYTES: u64 = 12;

/// Sequences of a submission, at least 1 and at most those of a shard.
pub fn size(description: &Description, limits: &DeviceLimits) -> usize {
    let (render, output) = (description.render().area(), description.output().area());
    // A texel of every plane that is read back, and the sums of the clean colour and of both halves.
    let noisy: u64 = PLANES.iter().map(|plane| 4 * plane.words()).sum();
    let summed = 4 * Plane::Color.words() + SUM_BYTES;
    let pictures = render * (noisy + summed) + output * 2 * summed;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::description::{Conventions, FORMAT};
    use crate::scene::shot::Samples;
    use reconstruction_scene::random::{Knobs, Split};

    fn of(side: u32, per_shard: u64, range: u32) -> usize {
        let description = Description {
            format: FORMAT.into(),
            version: String::new(),
            split: Split::Train,
            first: 0,
            sequences: 100,
            sequences_per_shard: per_shard,
            length: 8,
            render_size: [side; 2],
            output_size: [2 * side; 2],
            scale: 2.0,
            samples: Samples {
                color: 1,
                clean: 16,
                reference: 32,
            },
            reuse: 0.0,
            knobs: Knobs::default(),
            conventions: Conventions::default(),
        };
        let limits = DeviceLimits {
            max_storage_buffer_range: range,
            max_compute_shared_memory: 0,
            max_workgroup_invocations: 0,
            max_image_dimension: 0,
            timestamp_period: 0.0,
            device_memory: 0,
        };
        size(&description, &limits)
    }

    #[test]
    fn a_submission_fits_the_device_and_the_shard() {
        // A pair of 128 pixels takes 3.5 MiB of planes: 128 MiB hold 36, worlds of 4 MiB 32.
        assert_eq!(of(128, 64, 128 << 20), 32);
        assert_eq!(of(128, 64, u32::MAX), 64);
        assert_eq!(of(128, 24, u32::MAX), 24);
        // A pair of 1,024 pixels takes 228 MiB of planes.
        assert_eq!(of(1024, 64, u32::MAX), 2);
        assert_eq!(of(1024, 64, 128 << 20), 1);
    }
}
