//! The device, its allocator, and everything that must outlive images and buffers.

use crate::error::{Error, Named, Result};
use crate::instance::Instance;
use ash::vk;
use gpu_allocator::vulkan::{
    Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc,
};
use gpu_allocator::MemoryLocation;
use std::sync::{Arc, Mutex, MutexGuard};

/// A device with its queue. Images, buffers and the host share it; the last of them destroys it.
pub(crate) struct Shared {
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub queue_family: u32,
    pub physical_device: vk::PhysicalDevice,
    allocator: Mutex<Option<Allocator>>,
    /// Held while the queue or the pool of one-time command buffers is used.
    pool: Mutex<vk::CommandPool>,
    pub instance: Arc<Instance>,
}

impl Shared {
    pub fn new(
        instance: Arc<Instance>,
        device: ash::Device,
        physical_device: vk::PhysicalDevice,
        queue_family: u32,
    ) -> Result<Self> {
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { device.get_device_queue(queue_family, 0) };
        let mut shared = Shared {
            device,
            queue,
            queue_family,
            physical_device,
            allocator: Mutex::new(None),
            pool: Mutex::new(vk::CommandPool::null()),
            instance,
        };
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: shared.instance.raw.clone(),
            device: shared.device.clone(),
            physical_device,
            debug_settings: Default::default(),
            buffer_device_address: false,
            allocation_sizes: Default::default(),
        })
        .map_err(|e| Error::Allocation {
            what: "allocator".into(),
            bytes: 0,
            detail: e.to_string(),
        })?;
        shared.allocator = Mutex::new(Some(allocator));
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(queue_family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the device is alive.
        let pool = unsafe { shared.device.create_command_pool(&info, None) }
            .named("vkCreateCommandPool")?;
        shared.pool = Mutex::new(pool);
        Ok(shared)
    }

    /// Memory for a buffer or an image.
    pub fn allocate(
        &self,
        what: &str,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Allocation> {
        let mut allocator = self.allocator.lock().expect("no panic holds the allocator");
        allocator
            .as_mut()
            .expect("the allocator lives as long as the device")
            .allocate(&AllocationCreateDesc {
                name: what,
                requirements,
                location,
                linear,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
            .map_err(|e| Error::Allocation {
                what: what.to_string(),
                bytes: requirements.size,
                detail: e.to_string(),
            })
    }

    pub fn free(&self, allocation: Allocation) {
        if let Ok(mut allocator) = self.allocator.lock() {
            if let Some(allocator) = allocator.as_mut() {
                // An allocation of this allocator: freeing it cannot fail.
                let _ = allocator.free(allocation);
            }
        }
    }

    /// Waits until the device has nothing to do. A lost device counts as idle.
    pub fn wait_idle(&self) {
        let _pool = self.lock_queue();
        // SAFETY: the queue is held, and the device has no other.
        let _ = unsafe { self.device.device_wait_idle() };
    }

    /// Holds the queue, and with it the pool of one-time command buffers.
    pub fn lock_queue(&self) -> MutexGuard<'_, vk::CommandPool> {
        self.pool.lock().expect("no panic holds the queue")
    }

    /// Records commands, submits them and waits for them.
    pub fn run_now(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        let pool = self.lock_queue();
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(*pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool is held by this thread.
        let buffers = unsafe { self.device.allocate_command_buffers(&info) }
            .named("vkAllocateCommandBuffers")?;
        let result = self.submit_now(buffers[0], record);
        // SAFETY: the submission has finished or never began.
        unsafe { self.device.free_command_buffers(*pool, &buffers) };
        result
    }

    fn submit_now(
        &self,
        buffer: vk::CommandBuffer,
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<()> {
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the buffer is new, and its pool and the queue are held by the caller.
        unsafe {
            self.device
                .begin_command_buffer(buffer, &begin)
                .named("vkBeginCommandBuffer")?;
            record(buffer);
            self.device
                .end_command_buffer(buffer)
                .named("vkEndCommandBuffer")?;
            let buffers = [buffer];
            let submit = vk::SubmitInfo::default().command_buffers(&buffers);
            self.device
                .queue_submit(self.queue, &[submit], vk::Fence::null())
                .named("vkQueueSubmit")?;
            self.device
                .queue_wait_idle(self.queue)
                .named("vkQueueWaitIdle")
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.wait_idle();
        if let Ok(allocator) = self.allocator.get_mut() {
            allocator.take();
        }
        let pool = self.pool.get_mut().map(|pool| *pool).unwrap_or_default();
        // SAFETY: nothing else refers to the device any more, and it is idle.
        unsafe {
            self.device.destroy_command_pool(pool, None);
            self.device.destroy_device(None);
        }
    }
}
