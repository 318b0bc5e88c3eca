//! Where sequences keep what their next frame needs.

use crate::error::Result;
use ash::vk;
use reconstruction_core::Size;
use reconstruction_host::{Buffer, Host, Location};
use std::collections::BTreeMap;

/// Bytes of a pixel: its surface and its light sample.
const PIXEL: u64 = 32;
/// Bytes that a sequence keeps for its next frame, a pixel: two halves.
pub const HISTORY_BYTES: u64 = 2 * PIXEL;

/// One sequence: two halves, written in turn.
struct Slot {
    size: Size,
    /// In units of 16 bytes.
    first: u32,
    is_odd: bool,
    /// Jitter of the frame that was written last; none before the first.
    jitter: Option<[f32; 2]>,
}

/// Places of one frame, in units of 16 bytes.
pub(crate) struct Turn {
    pub now: u32,
    pub prev: u32,
    /// Jitter of the frame before, where there is one.
    pub prev_jitter: Option<[f32; 2]>,
}

pub(crate) struct History {
    pub buffer: Buffer,
    slots: BTreeMap<u32, Slot>,
    /// Bytes in use.
    end: u64,
}

fn create(host: &Host, bytes: u64) -> Result<Buffer> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    Ok(host.create_buffer(bytes, usage, Location::Device)?)
}

impl History {
    pub fn new(host: &Host) -> Result<Self> {
        Ok(History {
            buffer: create(host, 1 << 16)?,
            slots: BTreeMap::new(),
            end: 0,
        })
    }

    /// Room for a sequence of this size; a new size begins anew.
    pub fn reserve(&mut self, host: &Host, slot: u32, size: Size) -> Result<()> {
        if self.slots.get(&slot).is_some_and(|s| s.size == size) {
            return Ok(());
        }
        let first = (self.end / 16) as u32;
        let end = self.end + HISTORY_BYTES * size.area();
        if end > self.buffer.size {
            let grown = create(host, end.next_power_of_two())?;
            let bytes = self.buffer.size;
            host.wait_idle();
            host.run_now(|commands| {
                let copy = vk::BufferCopy::default().size(bytes);
                // SAFETY: both buffers are alive and at least as long as the copy; the device was idle.
                unsafe {
                    host.device().cmd_copy_buffer(
                        commands,
                        self.buffer.handle,
                        grown.handle,
                        &[copy],
                    );
                }
            })?;
            self.buffer = grown;
        }
        self.end = end;
        let is_odd = false;
        self.slots.insert(
            slot,
            Slot {
                size,
                first,
                is_odd,
                jitter: None,
            },
        );
        Ok(())
    }

    /// The places of the slot's next frame, which has this jitter.
    pub fn turn(&mut self, slot: u32, jitter: [f32; 2]) -> Turn {
        let slot = self.slots.get_mut(&slot).expect("reserved before");
        let half = (PIXEL / 16 * slot.size.area()) as u32;
        let halves = [slot.first, slot.first + half];
        let now = usize::from(slot.is_odd);
        slot.is_odd = !slot.is_odd;
        Turn {
            now: halves[now],
            prev: halves[1 - now],
            prev_jitter: slot.jitter.replace(jitter),
        }
    }

    pub fn forget(&mut self, slot: u32) {
        if let Some(slot) = self.slots.get_mut(&slot) {
            slot.jitter = None;
        }
    }
}
