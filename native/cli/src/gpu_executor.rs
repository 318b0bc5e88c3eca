//! The engine on a Vulkan device.

use crate::error::{Error, Result};
use crate::executor::{Executor, Input, Settings};
use crate::image::Picture;
use ash::vk;
use reconstruction_core::convention::{Bypass, DebugView, Feature, Model};
use reconstruction_core::plan::Range;
use reconstruction_core::{Mode, Sizes};
use reconstruction_engine as engine;
use reconstruction_host::{Host, HostOptions, Image, OptionalFeatures};
use std::sync::Arc;

/// Linear colour that leaves the engine.
const OUTPUT_FORMAT: vk::Format = vk::Format::R16G16B16A16_SFLOAT;
/// Layout of the inputs and of the output between frames.
const READ: vk::ImageLayout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;

/// A host, the engine in its frames, and one context.
pub struct GpuExecutor {
    context: engine::Context,
    inputs: [Image; 3],
    settings: Settings,
    // Declared last: everything above lives on their device.
    device: Arc<engine::Device>,
    host: Host,
}

/// A host on the device whose name contains `name`, or on the best one.
///
/// # Errors
/// When there is no such device, or it cannot be opened.
pub fn open_host(name: Option<&str>) -> Result<Host> {
    let features = OptionalFeatures {
        integer_dot_product: true,
        ..OptionalFeatures::default()
    };
    open_host_with(name, features)
}

/// The same with these features, where the device has them.
///
/// # Errors
/// As [`open_host`].
pub fn open_host_with(name: Option<&str>, features: OptionalFeatures) -> Result<Host> {
    Ok(Host::new(&HostOptions {
        device: name.map(str::to_owned),
        features,
        ..HostOptions::default()
    })?)
}

/// The engine's side of a host's device. Keep the host until it is dropped.
///
/// # Errors
/// When the device lacks a function that every device has.
pub fn engine_device(host: &Host) -> Result<Arc<engine::Device>> {
    let block = host.to_block();
    // SAFETY: the handles are the host's own, and every caller drops the host last.
    Ok(unsafe { engine::Device::from_host(engine::HostHandles::from_block(&block)?) }?)
}

impl GpuExecutor {
    /// A context on a host.
    ///
    /// # Errors
    /// When the host's device cannot do it.
    pub fn new(host: Host, settings: Settings) -> Result<Self> {
        let device = engine_device(&host)?;
        let context = context(&device, &settings)?;
        Ok(GpuExecutor {
            context,
            inputs: inputs(&host, &settings)?,
            settings,
            device,
            host,
        })
    }

    /// Records the inputs already on the device as one frame and submits it.
    ///
    /// # Errors
    /// When the device fails, or the frame is declined.
    pub fn submit(&mut self, input: &Input, wants_timings: bool) -> Result<()> {
        let frame = self.host.begin_frame()?;
        let [color, depth, motion] = self
            .inputs
            .each_ref()
            .map(|image| engine::ImageDesc::from_block(&image.to_block(READ)));
        let commands = frame.command_buffer;
        let outcome = {
            let frame = engine::Frame {
                host_frame: frame.number,
                last_finished: engine::LastFinished::Frame(frame.last_finished),
                frame_index: input.frame_index,
                revision: 0,
                jitter_px: input.jitter_px,
                exposure: match input.exposure {
                    None => engine::Exposure::Auto,
                    Some(number) => engine::Exposure::Scalar(number),
                },
                conventions: engine::Conventions {
                    depth: self.settings.depth,
                    alpha: self.settings.alpha,
                    ..engine::Conventions::default()
                },
                bypass: Bypass::Off,
                debug_view: DebugView::None,
                reset: input.is_reset.then_some("reset in the sequence"),
                wants_timings,
                wants_statistics: false,
                color,
                depth: Some(depth),
                motion: Some(motion),
            };
            // SAFETY: the command buffer is recording outside a render pass; the images live until the device is
            // idle.
            unsafe { self.context.evaluate(commands, &frame) }
        };
        self.host.submit(frame)?;
        match outcome? {
            engine::Outcome::Declined(reason) => Err(Error::Device(format!(
                "frame {}: declined: {reason}",
                input.frame_index
            ))),
            _ => Ok(()),
        }
    }

    /// Copies a frame's images to the device.
    ///
    /// # Errors
    /// When the device fails.
    pub fn upload(&mut self, input: &Input) -> Result<()> {
        let [color, depth, motion] = &self.inputs;
        self.host
            .write_image(color, input.color.pixels.as_flattened())?;
        self.host.write_image(depth, input.depth)?;
        self.host.write_image(motion, input.motion.as_flattened())?;
        Ok(())
    }

    /// Waits for the device; then milliseconds per pass of the last frame that was submitted with timings.
    ///
    /// # Errors
    /// When the device has no timestamps, or fails.
    pub fn finished_timings(&mut self) -> Result<Vec<(String, f32)>> {
        self.host.wait_idle();
        self.device.collect(engine::LastFinished::Idle)?;
        let timings = self.context.timings()?;
        let missing = || Error::Device(format!("{}: no timestamps on this queue", self.device()));
        Ok(timings.ok_or_else(missing)?.passes)
    }
}

fn context(device: &Arc<engine::Device>, settings: &Settings) -> Result<engine::Context> {
    let Sizes { render, output } = settings.sizes;
    let settings = engine::ContextSettings {
        render,
        output,
        // Only DLAA demands anything of the sizes, and it is super resolution at ratio 1.
        mode: Mode::Quality,
        feature: Feature::SuperResolution,
        model: match settings.network {
            Some(_) => Model::Network,
            None => Model::Analytic,
        },
        network: settings.network.clone(),
        debug: false,
        name: "reconstruct".to_owned(),
    };
    Ok(engine::Context::new(device, settings)?)
}

/// Colour, depth and motion.
fn inputs(host: &Host, settings: &Settings) -> Result<[Image; 3]> {
    let color = if settings.is_color_half {
        vk::Format::R16G16B16A16_SFLOAT
    } else {
        vk::Format::R32G32B32A32_SFLOAT
    };
    let formats = [color, vk::Format::R32_SFLOAT, vk::Format::R32G32_SFLOAT];
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
    let create = |format| host.create_image(format, settings.sizes.render, usage);
    Ok([
        create(formats[0])?,
        create(formats[1])?,
        create(formats[2])?,
    ])
}

impl Executor for GpuExecutor {
    fn device(&self) -> String {
        let info = self.host.info();
        format!("{}, {}", info.name, info.driver)
    }

    fn restart(&mut self, settings: Settings) -> Result<()> {
        self.context.close();
        self.host.wait_idle();
        self.device.collect(engine::LastFinished::Idle)?;
        self.context = context(&self.device, &settings)?;
        self.inputs = inputs(&self.host, &settings)?;
        self.settings = settings;
        Ok(())
    }

    fn evaluate(&mut self, input: &Input) -> Result<Picture> {
        self.upload(input)?;
        self.submit(input, false)?;
        let output = self.context.output()?;
        let values = self
            .host
            .download_image(output.image, OUTPUT_FORMAT, output.size, READ)?;
        Ok(Picture {
            size: output.size,
            pixels: values
                .chunks_exact(4)
                .map(|p| [p[0], p[1], p[2], p[3]])
                .collect(),
        })
    }

    fn range(&mut self, range: Range) -> Result<Vec<u32>> {
        let (buffer, _) = self.context.arena()?;
        let bytes = self
            .host
            .download_buffer(buffer, range.offset, range.size)?;
        Ok(words_of(&bytes))
    }
}

/// The words of a device's bytes.
pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

impl Drop for GpuExecutor {
    fn drop(&mut self) {
        self.context.close();
        self.host.wait_idle();
        // A lost device frees everything all the same.
        let _ = self.device.collect(engine::LastFinished::Idle);
    }
}
