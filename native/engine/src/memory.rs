//! Buffers and images that free themselves. Whoever drops one knows that the device has finished with it.

use crate::error::Result;
use crate::gpu::Gpu;
use ash::vk;
use gpu_allocator::vulkan::Allocation;
use gpu_allocator::MemoryLocation;
use reconstruction_core::Size;
use std::sync::Arc;

/// A buffer with its memory.
pub(crate) struct Buffer {
    pub handle: vk::Buffer,
    /// Bytes of memory that it takes.
    pub bytes: u64,
    allocation: Option<Allocation>,
    gpu: Arc<Gpu>,
}

impl Buffer {
    pub fn new(
        gpu: &Arc<Gpu>,
        what: &'static str,
        size: u64,
        usage: vk::BufferUsageFlags,
        location: MemoryLocation,
    ) -> Result<Self> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the host guarantees the device.
        let handle = unsafe { gpu.device.create_buffer(&info, None) }
            .map_err(|e| gpu.error("vkCreateBuffer", e))?;
        let mut buffer = Buffer {
            handle,
            bytes: 0,
            allocation: None,
            gpu: gpu.clone(),
        };
        // SAFETY: the buffer was just made from this device.
        let requirements = unsafe { gpu.device.get_buffer_memory_requirements(handle) };
        let memory = gpu.allocate(what, requirements, location, true)?;
        // SAFETY: the memory is new and of a type that the buffer allows.
        let bound = unsafe {
            gpu.device
                .bind_buffer_memory(handle, memory.memory(), memory.offset())
        };
        buffer.bytes = requirements.size;
        buffer.allocation = Some(memory);
        bound.map_err(|e| gpu.error("vkBindBufferMemory", e))?;
        Ok(buffer)
    }

    /// The mapped bytes of a host-visible buffer; empty for one in device memory.
    pub fn mapped_mut(&mut self) -> &mut [u8] {
        self.allocation
            .as_mut()
            .and_then(Allocation::mapped_slice_mut)
            .unwrap_or_default()
    }

    /// The mapped bytes of a host-visible buffer; empty for one in device memory.
    pub fn mapped(&self) -> &[u8] {
        self.allocation
            .as_ref()
            .and_then(Allocation::mapped_slice)
            .unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: whoever drops the buffer knows that the device has finished with it.
        unsafe { self.gpu.device.destroy_buffer(self.handle, None) };
        if let Some(allocation) = self.allocation.take() {
            self.gpu.free(allocation);
        }
    }
}

/// An RGBA16F image with its memory and a view of it.
pub(crate) struct Image {
    pub handle: vk::Image,
    pub view: vk::ImageView,
    pub size: Size,
    pub usage: vk::ImageUsageFlags,
    /// Bytes of memory that it takes.
    pub bytes: u64,
    allocation: Option<Allocation>,
    gpu: Arc<Gpu>,
}

impl Image {
    /// Format of every image that the engine makes.
    pub const FORMAT: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
    /// The whole image.
    pub const RANGE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: 0,
        level_count: 1,
        base_array_layer: 0,
        layer_count: 1,
    };

    pub fn new(
        gpu: &Arc<Gpu>,
        what: &'static str,
        size: Size,
        usage: vk::ImageUsageFlags,
    ) -> Result<Self> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(Self::FORMAT)
            .extent(vk::Extent3D {
                width: size.width,
                height: size.height,
                depth: 1,
            })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        // SAFETY: the host guarantees the device.
        let handle = unsafe { gpu.device.create_image(&info, None) }
            .map_err(|e| gpu.error("vkCreateImage", e))?;
        let mut image = Image {
            handle,
            view: vk::ImageView::null(),
            size,
            usage,
            bytes: 0,
            allocation: None,
            gpu: gpu.clone(),
        };
        // SAFETY: the image was just made from this device.
        let requirements = unsafe { gpu.device.get_image_memory_requirements(handle) };
        let memory = gpu.allocate(what, requirements, MemoryLocation::GpuOnly, false)?;
        // SAFETY: the memory is new and of a type that the image allows.
        let bound = unsafe {
            gpu.device
                .bind_image_memory(handle, memory.memory(), memory.offset())
        };
        image.bytes = requirements.size;
        image.allocation = Some(memory);
        bound.map_err(|e| gpu.error("vkBindImageMemory", e))?;
        let view = vk::ImageViewCreateInfo::default()
            .image(handle)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(Self::FORMAT)
            .subresource_range(Self::RANGE);
        // SAFETY: the image has memory.
        image.view = unsafe { gpu.device.create_image_view(&view, None) }
            .map_err(|e| gpu.error("vkCreateImageView", e))?;
        Ok(image)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: whoever drops the image knows that the device has finished with it; null is ignored.
        unsafe {
            self.gpu.device.destroy_image_view(self.view, None);
            self.gpu.device.destroy_image(self.handle, None);
        }
        if let Some(allocation) = self.allocation.take() {
            self.gpu.free(allocation);
        }
    }
}
