//! An image as the host describes it.

use ash::vk::{self, Handle};
use reconstruction_core::host_blocks::ImageBlock;
use reconstruction_core::Size;

/// A borrowed image view with everything that Vulkan does not tell about a bare handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageDesc {
    /// The view.
    pub view: vk::ImageView,
    /// The image of the view.
    pub image: vk::Image,
    /// The device that made them.
    pub device: vk::Device,
    /// Format of the view.
    pub format: vk::Format,
    /// Width and height of mip 0, in pixels.
    pub size: Size,
    /// Usage of the image.
    pub usage: vk::ImageUsageFlags,
    /// Samples per pixel.
    pub samples: u32,
    /// Mip levels of the view.
    pub mips: u32,
    /// Array layers of the view.
    pub layers: u32,
    /// Layout in which the image is given and returned.
    pub layout: vk::ImageLayout,
    /// Aspect of the view.
    pub aspect: vk::ImageAspectFlags,
    /// Whether the host still holds the image.
    pub is_alive: bool,
}

impl ImageDesc {
    /// The image of a block: alive, its aspect the depth of a depth format, colour otherwise.
    pub fn from_block(block: &ImageBlock) -> Self {
        let format = vk::Format::from_raw(block.format as i32);
        ImageDesc {
            view: vk::ImageView::from_raw(block.view),
            image: vk::Image::from_raw(block.image),
            device: vk::Device::from_raw(block.device),
            format,
            size: Size::new(block.width, block.height),
            usage: vk::ImageUsageFlags::from_raw(block.usage),
            samples: block.samples,
            mips: block.mips,
            layers: block.layers,
            layout: vk::ImageLayout::from_raw(block.layout as i32),
            aspect: match format {
                vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => {
                    vk::ImageAspectFlags::DEPTH
                }
                _ => vk::ImageAspectFlags::COLOR,
            },
            is_alive: true,
        }
    }

    /// The block of this image; aspect and life are left out.
    pub fn to_block(&self) -> ImageBlock {
        ImageBlock {
            view: self.view.as_raw(),
            image: self.image.as_raw(),
            device: self.device.as_raw(),
            format: self.format.as_raw() as u32,
            width: self.size.width,
            height: self.size.height,
            usage: self.usage.as_raw(),
            samples: self.samples,
            mips: self.mips,
            layers: self.layers,
            layout: self.layout.as_raw() as u32,
        }
    }
}
