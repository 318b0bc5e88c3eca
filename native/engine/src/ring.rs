//! The ring of slots: what a recorded evaluate uses until the device has finished it, and what it measured.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::program::PlanKind;
use crate::resources::{Queries, Resources, SLOT_BYTES};
use ash::vk;
use reconstruction_core::Sizes;

/// GPU times of a finished frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Timings {
    /// Index of the measured frame.
    pub frame_index: i64,
    /// Each pass in order, in milliseconds on the device.
    pub passes: Vec<(String, f32)>,
}

/// What the inputs of a finished frame held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Index of the counted frame.
    pub frame_index: i64,
    /// Share of pixels with non-zero motion.
    pub moving_share: f32,
    /// Share of pixels with non-finite motion.
    pub nonfinite_motion_share: f32,
    /// Longest motion along either axis, in render pixels.
    pub longest_motion_px: f32,
    /// Share of pixels with non-finite colour.
    pub nonfinite_color_share: f32,
    /// Share of pixels with non-finite depth.
    pub nonfinite_depth_share: f32,
}

/// What a slot was used for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    pub host_frame: u64,
    pub frame_index: i64,
    /// The plan whose passes were timed.
    pub timed: Option<PlanKind>,
    pub has_statistics: bool,
}

/// Slots are taken in turn, so that the newest use lies right before `next`.
pub(crate) struct Ring {
    uses: Vec<Option<Use>>,
    next: usize,
}

impl Ring {
    /// Twice the frames that can be in flight with the one being recorded: a frame may evaluate twice.
    pub fn new(frames_in_flight: u32) -> Self {
        Ring {
            uses: vec![None; 2 * (frames_in_flight as usize + 1)],
            next: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.uses.len()
    }

    /// The slot that the next evaluate will use.
    ///
    /// # Errors
    /// When the device has not finished with it.
    pub fn free_slot(&self, device: &Device) -> Result<usize> {
        match self.uses[self.next] {
            Some(used) if !device.has_finished(used.host_frame) => Err(Error::InvalidState {
                what: "evaluate".into(),
                expected: "a place for a frame in flight",
                got: "none that the device has finished with",
                remedy: "give the newest finished frame with each evaluate, or declare more frames in flight",
            }),
            _ => Ok(self.next),
        }
    }

    /// Takes the slot of [`Ring::free_slot`].
    pub fn take(&mut self, used: Use) {
        self.uses[self.next] = Some(used);
        self.next = (self.next + 1) % self.uses.len();
    }

    /// Times of the newest finished frame that was measured.
    pub fn timings(&self, device: &Device, resources: &Resources) -> Result<Option<Timings>> {
        let Some(queries) = &resources.queries else {
            return Ok(None);
        };
        let Some((slot, used, kind)) = self.newest(device, |used| used.timed) else {
            return Ok(None);
        };
        let Some(ticks) = read_ticks(
            device,
            queries,
            slot,
            resources.program.steps(kind).pipelines.len(),
        )?
        else {
            return Ok(None);
        };
        let capabilities = device.capabilities();
        let mask = u64::MAX >> (64 - capabilities.timestamp_bits.clamp(1, 64));
        let tick_ms = f64::from(capabilities.timestamp_period) * 1e-6;
        let passes = resources
            .program
            .plan(kind, 0)
            .steps
            .iter()
            .zip(ticks.windows(2))
            .map(|(step, pair)| {
                let ticks = pair[1].wrapping_sub(pair[0]) & mask;
                (step.label.to_string(), (ticks as f64 * tick_ms) as f32)
            })
            .collect();
        Ok(Some(Timings {
            frame_index: used.frame_index,
            passes,
        }))
    }

    /// Counts of the newest finished frame that was counted.
    pub fn statistics(
        &self,
        device: &Device,
        resources: &Resources,
        sizes: &Sizes,
    ) -> Option<Statistics> {
        let (slot, used, ()) = self.newest(device, |used| used.has_statistics.then_some(()))?;
        let at = SLOT_BYTES as usize * slot;
        let words: Vec<u32> = resources.readback.mapped()[at..at + 20]
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let pixels = sizes.render.area() as f64;
        let share = |count: u32| (f64::from(count) / pixels) as f32;
        Some(Statistics {
            frame_index: used.frame_index,
            moving_share: share(words[0]),
            nonfinite_motion_share: share(words[1]),
            longest_motion_px: f32::from_bits(words[2]),
            nonfinite_color_share: share(words[3]),
            nonfinite_depth_share: share(words[4]),
        })
    }

    /// The newest finished use that `select` takes, and its slot.
    fn newest<T>(
        &self,
        device: &Device,
        select: impl Fn(&Use) -> Option<T>,
    ) -> Option<(usize, Use, T)> {
        let count = self.uses.len();
        (1..=count).find_map(|back| {
            let slot = (self.next + count - back) % count;
            let used = self.uses[slot].filter(|used| used.host_frame <= device.finished())?;
            Some((slot, used, select(&used)?))
        })
    }
}

/// The timestamps of a slot; none while the device has not written them.
fn read_ticks(
    device: &Device,
    queries: &Queries,
    slot: usize,
    passes: usize,
) -> Result<Option<Vec<u64>>> {
    let mut ticks = vec![0u64; passes + 1];
    // SAFETY: the slot's queries lie inside the pool, and the host says that their frame has finished.
    let read = unsafe {
        device.gpu.device.get_query_pool_results(
            queries.pool,
            slot as u32 * queries.per_slot,
            &mut ticks,
            vk::QueryResultFlags::TYPE_64,
        )
    };
    match read {
        Ok(()) => Ok(Some(ticks)),
        Err(vk::Result::NOT_READY) => Ok(None),
        Err(result) => Err(device.gpu.error("vkGetQueryPoolResults", result)),
    }
}
