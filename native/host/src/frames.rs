//! Frames in flight: a command buffer and a fence each, and the frame counter.

use crate::error::{Named, Result};
use crate::memory::Shared;
use ash::vk;
use std::sync::Arc;

/// A frame that is being recorded.
#[derive(Debug)]
pub struct Frame {
    /// The command buffer, recording.
    pub command_buffer: vk::CommandBuffer,
    /// Number of the frame, from 1.
    pub number: u64,
    /// The newest frame that the device has finished; 0 before the first.
    pub last_finished: u64,
}

struct Slot {
    pool: vk::CommandPool,
    buffer: vk::CommandBuffer,
    fence: vk::Fence,
    /// The frame that used it last; 0 when none did.
    number: u64,
}

pub(crate) struct Frames {
    slots: Vec<Slot>,
    next: u64,
    last_finished: u64,
    shared: Arc<Shared>,
}

impl Frames {
    pub fn new(shared: &Arc<Shared>, count: u32) -> Result<Self> {
        let mut frames = Frames {
            slots: Vec::new(),
            next: 1,
            last_finished: 0,
            shared: shared.clone(),
        };
        for _ in 0..count {
            frames.slots.push(Slot {
                pool: vk::CommandPool::null(),
                buffer: vk::CommandBuffer::null(),
                fence: vk::Fence::null(),
                number: 0,
            });
            let slot = frames.slots.last_mut().expect("a slot was just added");
            let device = &shared.device;
            let pool = vk::CommandPoolCreateInfo::default().queue_family_index(shared.queue_family);
            // SAFETY: the device is alive; what is made here is destroyed when the frames are dropped.
            unsafe {
                slot.pool = device
                    .create_command_pool(&pool, None)
                    .named("vkCreateCommandPool")?;
                slot.fence = device
                    .create_fence(&vk::FenceCreateInfo::default(), None)
                    .named("vkCreateFence")?;
                let buffers = vk::CommandBufferAllocateInfo::default()
                    .command_pool(slot.pool)
                    .command_buffer_count(1);
                slot.buffer = device
                    .allocate_command_buffers(&buffers)
                    .named("vkAllocateCommandBuffers")?[0];
            }
        }
        Ok(frames)
    }

    /// Begins the next frame; waits for the frame that used its slot before.
    pub fn begin(&mut self) -> Result<Frame> {
        let number = self.next;
        let index = (number % self.slots.len() as u64) as usize;
        let device = &self.shared.device;
        let slot = &mut self.slots[index];
        // SAFETY: the fence was submitted with the slot's last frame; after it the pool is idle.
        unsafe {
            if slot.number != 0 {
                device
                    .wait_for_fences(&[slot.fence], true, u64::MAX)
                    .named("vkWaitForFences")?;
                self.last_finished = self.last_finished.max(slot.number);
                device.reset_fences(&[slot.fence]).named("vkResetFences")?;
                slot.number = 0;
            }
            device
                .reset_command_pool(slot.pool, vk::CommandPoolResetFlags::empty())
                .named("vkResetCommandPool")?;
            let begin = vk::CommandBufferBeginInfo::default()
                .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
            device
                .begin_command_buffer(slot.buffer, &begin)
                .named("vkBeginCommandBuffer")?;
        }
        self.next += 1;
        Ok(Frame {
            command_buffer: self.slots[index].buffer,
            number,
            last_finished: self.last_finished()?,
        })
    }

    pub fn submit(&mut self, frame: Frame) -> Result<()> {
        let index = (frame.number % self.slots.len() as u64) as usize;
        let slot = &mut self.slots[index];
        let device = &self.shared.device;
        let _queue = self.shared.lock_queue();
        let buffers = [frame.command_buffer];
        let submit = vk::SubmitInfo::default().command_buffers(&buffers);
        // SAFETY: the buffer is recording, its fence is unsignalled, and the queue is held.
        unsafe {
            device
                .end_command_buffer(frame.command_buffer)
                .named("vkEndCommandBuffer")?;
            device
                .queue_submit(self.shared.queue, &[submit], slot.fence)
                .named("vkQueueSubmit")?;
        }
        slot.number = frame.number;
        Ok(())
    }

    /// The newest frame before which all have finished.
    pub fn last_finished(&mut self) -> Result<u64> {
        let mut numbers: Vec<(u64, vk::Fence)> = self
            .slots
            .iter()
            .filter(|slot| slot.number > self.last_finished)
            .map(|slot| (slot.number, slot.fence))
            .collect();
        numbers.sort_unstable_by_key(|(number, _)| *number);
        for (number, fence) in numbers {
            // SAFETY: the fence was submitted with this frame.
            let is_done =
                unsafe { self.shared.device.get_fence_status(fence) }.named("vkGetFenceStatus")?;
            if !is_done {
                break;
            }
            self.last_finished = number;
        }
        Ok(self.last_finished)
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.shared.wait_idle();
        for slot in &self.slots {
            // SAFETY: the device is idle; null handles are ignored.
            unsafe {
                self.shared.device.destroy_fence(slot.fence, None);
                self.shared.device.destroy_command_pool(slot.pool, None);
            }
        }
    }
}
