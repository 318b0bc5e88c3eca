//! Images with a view.

use crate::error::{Named, Result};
use crate::memory::Shared;
use ash::vk::{self, Handle};
use gpu_allocator::vulkan::Allocation;
use gpu_allocator::MemoryLocation;
use reconstruction_core::host_blocks::ImageBlock;
use reconstruction_core::Size;
use std::sync::Arc;

/// A two-dimensional image, one mip, one layer, one sample, with a view of it. Dropping it waits until the device
/// is idle.
pub struct Image {
    /// The Vulkan handle.
    pub handle: vk::Image,
    /// A view of the whole image.
    pub view: vk::ImageView,
    /// Format of image and view.
    pub format: vk::Format,
    /// Width and height in pixels.
    pub size: Size,
    /// Usage that it was made with.
    pub usage: vk::ImageUsageFlags,
    allocation: Option<Allocation>,
    shared: Arc<Shared>,
}

impl Image {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        format: vk::Format,
        size: Size,
        usage: vk::ImageUsageFlags,
    ) -> Result<Self> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
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
        // SAFETY: the device is alive.
        let handle = unsafe { shared.device.create_image(&info, None) }.named("vkCreateImage")?;
        let mut image = Image {
            handle,
            view: vk::ImageView::null(),
            format,
            size,
            usage,
            allocation: None,
            shared: shared.clone(),
        };
        // SAFETY: the image was just made from this device.
        let requirements = unsafe { shared.device.get_image_memory_requirements(handle) };
        let allocation = shared.allocate("image", requirements, MemoryLocation::GpuOnly, false)?;
        // SAFETY: the memory is new and of a type the image allows.
        let bound = unsafe {
            shared
                .device
                .bind_image_memory(handle, allocation.memory(), allocation.offset())
        };
        image.allocation = Some(allocation);
        bound.named("vkBindImageMemory")?;
        let view = vk::ImageViewCreateInfo::default()
            .image(handle)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(image.range());
        // SAFETY: the image has memory.
        image.view =
            unsafe { shared.device.create_image_view(&view, None) }.named("vkCreateImageView")?;
        Ok(image)
    }

    /// Colour or depth, after the format.
    pub fn aspect(&self) -> vk::ImageAspectFlags {
        aspect(self.format)
    }

    /// What an engine must know of the image while it is in `layout`.
    pub fn to_block(&self, layout: vk::ImageLayout) -> ImageBlock {
        ImageBlock {
            view: self.view.as_raw(),
            image: self.handle.as_raw(),
            device: self.shared.device.handle().as_raw(),
            format: self.format.as_raw() as u32,
            width: self.size.width,
            height: self.size.height,
            usage: self.usage.as_raw(),
            samples: 1,
            mips: 1,
            layers: 1,
            layout: layout.as_raw() as u32,
        }
    }

    /// The whole image.
    pub fn range(&self) -> vk::ImageSubresourceRange {
        whole(self.format)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.shared.wait_idle();
        // SAFETY: the device is idle, and this is the only owner.
        unsafe {
            self.shared.device.destroy_image_view(self.view, None);
            self.shared.device.destroy_image(self.handle, None);
        }
        if let Some(allocation) = self.allocation.take() {
            self.shared.free(allocation);
        }
    }
}

/// The one aspect that a view or a copy of this format takes.
pub(crate) fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    match format {
        vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => vk::ImageAspectFlags::DEPTH,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// What a view of the whole image covers.
pub(crate) fn whole(format: vk::Format) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange::default()
        .aspect_mask(aspect(format))
        .level_count(1)
        .layer_count(1)
}

/// What a change of layout covers: depth and stencil change together.
pub(crate) fn every_aspect(format: vk::Format) -> vk::ImageSubresourceRange {
    let mut range = whole(format);
    if format == vk::Format::D32_SFLOAT_S8_UINT {
        range.aspect_mask |= vk::ImageAspectFlags::STENCIL;
    }
    range
}
