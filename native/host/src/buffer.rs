//! Buffers.

use crate::error::{Error, Named, Result};
use crate::memory::Shared;
use ash::vk;
use gpu_allocator::vulkan::Allocation;
use gpu_allocator::MemoryLocation;
use std::sync::Arc;

/// Where a buffer's memory lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// Device memory that the host cannot read.
    Device,
    /// Memory that the host writes.
    Upload,
    /// Memory that the host reads.
    Download,
}

/// A buffer with its memory. Dropping it waits until the device is idle.
pub struct Buffer {
    /// The Vulkan handle.
    pub handle: vk::Buffer,
    /// Length in bytes.
    pub size: u64,
    allocation: Option<Allocation>,
    shared: Arc<Shared>,
}

impl Buffer {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        size: u64,
        usage: vk::BufferUsageFlags,
        location: Location,
    ) -> Result<Self> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the device is alive.
        let handle = unsafe { shared.device.create_buffer(&info, None) }.named("vkCreateBuffer")?;
        let mut buffer = Buffer {
            handle,
            size,
            allocation: None,
            shared: shared.clone(),
        };
        // SAFETY: the buffer was just made from this device.
        let requirements = unsafe { shared.device.get_buffer_memory_requirements(handle) };
        let place = match location {
            Location::Device => MemoryLocation::GpuOnly,
            Location::Upload => MemoryLocation::CpuToGpu,
            Location::Download => MemoryLocation::GpuToCpu,
        };
        let allocation = shared.allocate("buffer", requirements, place, true)?;
        // SAFETY: the memory is new and of a type the buffer allows.
        let bound = unsafe {
            shared
                .device
                .bind_buffer_memory(handle, allocation.memory(), allocation.offset())
        };
        buffer.allocation = Some(allocation);
        bound.named("vkBindBufferMemory")?;
        Ok(buffer)
    }

    /// The bytes of a mapped buffer; whoever reads them has waited for the device.
    ///
    /// # Errors
    /// When the buffer lies in device memory.
    pub fn bytes(&self) -> Result<&[u8]> {
        self.allocation
            .as_ref()
            .and_then(Allocation::mapped_slice)
            .map(|bytes| &bytes[..self.size as usize])
            .ok_or_else(|| not_mapped("read"))
    }

    /// The bytes of a mapped buffer, to write; the device does not use it meanwhile.
    ///
    /// # Errors
    /// When the buffer lies in device memory.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        let size = self.size as usize;
        self.allocation
            .as_mut()
            .and_then(Allocation::mapped_slice_mut)
            .map(|bytes| &mut bytes[..size])
            .ok_or_else(|| not_mapped("write"))
    }
}

fn not_mapped(what: &str) -> Error {
    Error::Texels {
        what: format!("{what} of a buffer"),
        expected: "Location::Upload or Location::Download".into(),
        got: "device memory".into(),
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.shared.wait_idle();
        // SAFETY: the device is idle, and this is the only owner.
        unsafe { self.shared.device.destroy_buffer(self.handle, None) };
        if let Some(allocation) = self.allocation.take() {
            self.shared.free(allocation);
        }
    }
}
