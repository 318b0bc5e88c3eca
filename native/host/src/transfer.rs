//! Images and buffers moved in and out of the device, each move waiting for it.

use crate::buffer::Location;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::image::{aspect, every_aspect, Image};
use crate::texel;
use ash::vk;
use reconstruction_core::Size;

impl Host {
    /// A sampled image of these floats, all channels of a texel in a row, in the read-only layout.
    ///
    /// # Errors
    /// When the floats do not fill the image, or a call failed.
    pub fn upload_image(
        &self,
        format: vk::Format,
        size: Size,
        values: &[f32],
        usage: vk::ImageUsageFlags,
    ) -> Result<Image> {
        let image = self.create_image(
            format,
            size,
            usage | vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST,
        )?;
        self.write_image(&image, values)?;
        Ok(image)
    }

    /// Replaces the contents by these floats; the image ends in the read-only layout. Waits for the device.
    ///
    /// # Errors
    /// When the floats do not fill the image, or a call failed.
    pub fn write_image(&self, image: &Image, values: &[f32]) -> Result<()> {
        let bytes = texel::encode(image.format, values).ok_or_else(|| Error::Texels {
            what: "write_image".into(),
            expected: "whole texels of a format of the library".into(),
            got: format!("{} floats for {:?}", values.len(), image.format),
        })?;
        self.write_image_bytes(image, &bytes, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)
    }

    /// Replaces the contents by packed texels; the image ends in `layout`. Waits for the device.
    ///
    /// # Errors
    /// When the bytes do not fill the image, or a call failed.
    pub fn write_image_bytes(
        &self,
        image: &Image,
        bytes: &[u8],
        layout: vk::ImageLayout,
    ) -> Result<()> {
        let expected = byte_count(image.format, image.size)?;
        if bytes.len() as u64 != expected {
            return Err(Error::Texels {
                what: format!("write to an image of {}", image.size),
                expected: format!("{expected} bytes"),
                got: format!("{} bytes", bytes.len()),
            });
        }
        let mut staging = self.create_buffer(
            expected,
            vk::BufferUsageFlags::TRANSFER_SRC,
            Location::Upload,
        )?;
        staging.bytes_mut()?.copy_from_slice(bytes);
        let device = self.device();
        self.run_now(|commands| {
            let to = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
            record_transition(
                device,
                commands,
                image.handle,
                image.format,
                vk::ImageLayout::UNDEFINED,
                to,
            );
            // SAFETY: the image is in the transfer layout, and the staging buffer holds every texel.
            unsafe {
                device.cmd_copy_buffer_to_image(
                    commands,
                    staging.handle,
                    image.handle,
                    to,
                    &[whole_copy(image.format, image.size)],
                );
            }
            record_transition(device, commands, image.handle, image.format, to, layout);
        })
    }

    /// The packed texels of any colour image with transfer-source usage, which is in `layout` before and after.
    /// Waits for the device.
    ///
    /// # Errors
    /// When the format is not one of the library's, or a call failed.
    pub fn download_bytes(
        &self,
        image: vk::Image,
        format: vk::Format,
        size: Size,
        layout: vk::ImageLayout,
    ) -> Result<Vec<u8>> {
        self.wait_idle();
        let staging = self.create_buffer(
            byte_count(format, size)?,
            vk::BufferUsageFlags::TRANSFER_DST,
            Location::Download,
        )?;
        let device = self.device();
        self.run_now(|commands| {
            let from = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            record_transition(device, commands, image, format, layout, from);
            // SAFETY: the image is in the transfer layout, and the staging buffer has room for every texel.
            unsafe {
                device.cmd_copy_image_to_buffer(
                    commands,
                    image,
                    from,
                    staging.handle,
                    &[whole_copy(format, size)],
                );
            }
            record_transition(device, commands, image, format, from, layout);
            record_host_read(device, commands);
        })?;
        Ok(staging.bytes()?.to_vec())
    }

    /// Like [`Host::download_bytes`], as floats, all channels of a texel in a row.
    ///
    /// # Errors
    /// As there.
    pub fn download_image(
        &self,
        image: vk::Image,
        format: vk::Format,
        size: Size,
        layout: vk::ImageLayout,
    ) -> Result<Vec<f32>> {
        let bytes = self.download_bytes(image, format, size, layout)?;
        texel::decode(format, &bytes).ok_or_else(|| unknown_format(format))
    }

    /// A range of any buffer with transfer-source usage. Waits for the device.
    ///
    /// # Errors
    /// The failed call.
    pub fn download_buffer(&self, buffer: vk::Buffer, offset: u64, size: u64) -> Result<Vec<u8>> {
        self.wait_idle();
        let staging =
            self.create_buffer(size, vk::BufferUsageFlags::TRANSFER_DST, Location::Download)?;
        let device = self.device();
        self.run_now(|commands| {
            let copy = vk::BufferCopy::default().src_offset(offset).size(size);
            // SAFETY: the caller's range lies in the buffer; the device was idle before.
            unsafe { device.cmd_copy_buffer(commands, buffer, staging.handle, &[copy]) };
            record_host_read(device, commands);
        })?;
        Ok(staging.bytes()?.to_vec())
    }

    /// Replaces a range of any buffer with transfer-destination usage. Waits for the device.
    ///
    /// # Errors
    /// The failed call.
    pub fn upload_buffer(&self, buffer: vk::Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut staging = self.create_buffer(
            bytes.len() as u64,
            vk::BufferUsageFlags::TRANSFER_SRC,
            Location::Upload,
        )?;
        staging.bytes_mut()?.copy_from_slice(bytes);
        let device = self.device();
        self.wait_idle();
        self.run_now(|commands| {
            let copy = vk::BufferCopy::default()
                .dst_offset(offset)
                .size(bytes.len() as u64);
            // SAFETY: the caller's range lies in the buffer; the device was idle before.
            unsafe { device.cmd_copy_buffer(commands, staging.handle, buffer, &[copy]) };
        })
    }
}

/// Records a change of layout that waits for everything before and holds up everything after.
fn record_transition(
    device: &ash::Device,
    commands: vk::CommandBuffer,
    image: vk::Image,
    format: vk::Format,
    from: vk::ImageLayout,
    to: vk::ImageLayout,
) {
    let barrier = vk::ImageMemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
        .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
        .old_layout(from)
        .new_layout(to)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(every_aspect(format));
    // SAFETY: the caller's buffer is recording, and the image is in the layout `from`.
    unsafe {
        device.cmd_pipeline_barrier(
            commands,
            vk::PipelineStageFlags::ALL_COMMANDS,
            vk::PipelineStageFlags::ALL_COMMANDS,
            vk::DependencyFlags::empty(),
            &[],
            &[],
            &[barrier],
        );
    }
}

fn record_host_read(device: &ash::Device, commands: vk::CommandBuffer) {
    let barrier = vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::HOST_READ);
    // SAFETY: the caller's buffer is recording.
    unsafe {
        device.cmd_pipeline_barrier(
            commands,
            vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::HOST,
            vk::DependencyFlags::empty(),
            &[barrier],
            &[],
            &[],
        );
    }
}

fn whole_copy(format: vk::Format, size: Size) -> vk::BufferImageCopy {
    vk::BufferImageCopy::default()
        .image_subresource(
            vk::ImageSubresourceLayers::default()
                .aspect_mask(aspect(format))
                .layer_count(1),
        )
        .image_extent(vk::Extent3D {
            width: size.width,
            height: size.height,
            depth: 1,
        })
}

fn byte_count(format: vk::Format, size: Size) -> Result<u64> {
    let (_, bytes) = texel::layout(format).ok_or_else(|| unknown_format(format))?;
    Ok(size.area() * bytes as u64)
}

fn unknown_format(format: vk::Format) -> Error {
    Error::Texels {
        what: "format".into(),
        expected: "one of the formats of the library".into(),
        got: format!("{format:?}"),
    }
}
