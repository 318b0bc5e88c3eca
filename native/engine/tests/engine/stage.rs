//! A host, the engine's device and inputs made of hashes: what every test plays on.

use ash::vk;
use reconstruction_core::convention::{Bypass, DebugView, Feature, Model};
use reconstruction_core::jitter::halton;
use reconstruction_core::{Mode, Size};
use reconstruction_engine::{
    Context, ContextSettings, Conventions, Device, Exposure, Frame, HostHandles, ImageDesc,
    LastFinished, Outcome, Result,
};
use reconstruction_host::{Host, HostOptions, Image, MessageLog, OptionalFeatures};
use reconstruction_shaders::cpu;
use std::sync::Arc;

pub const DRIVERS: [&str; 2] = ["llvmpipe", "SwiftShader"];
pub const READ: vk::ImageLayout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;

/// A host with an engine device. Dropping it waits, frees everything and demands silence of the validation layer.
pub struct Stage {
    host: Option<Host>,
    device: Option<Arc<Device>>,
    pub log: MessageLog,
    pub driver: &'static str,
    is_heard_elsewhere: bool,
}

pub fn open_host(driver: &str, frames_in_flight: u32) -> Host {
    Host::new(&HostOptions {
        device: Some(driver.into()),
        validation: true,
        frames_in_flight,
        ..HostOptions::default()
    })
    .unwrap_or_else(|e| panic!("{driver}: {e}"))
}

pub fn engine_handles(host: &Host) -> HostHandles {
    // SAFETY: the entry point is the host's own.
    unsafe { HostHandles::from_block(&host.to_block()) }.unwrap()
}

impl Stage {
    pub fn new(driver: &'static str) -> Self {
        Self::with_frames_in_flight(driver, 2)
    }

    pub fn with_frames_in_flight(driver: &'static str, frames_in_flight: u32) -> Self {
        Self::of(driver, open_host(driver, frames_in_flight))
    }

    pub fn with_version(driver: &'static str, api_version: u32) -> Self {
        let host = Host::new(&HostOptions {
            device: Some(driver.into()),
            validation: true,
            api_version,
            ..HostOptions::default()
        });
        Self::of(driver, host.unwrap())
    }

    /// A stage whose host enabled these features.
    pub fn with_features(driver: &'static str, features: OptionalFeatures) -> Self {
        let host = Host::new(&HostOptions {
            device: Some(driver.into()),
            validation: true,
            features,
            ..HostOptions::default()
        });
        Self::of(driver, host.unwrap())
    }

    fn of(driver: &'static str, host: Host) -> Self {
        // SAFETY: the stage keeps the host until the engine's device is gone.
        let device = unsafe { Device::from_host(engine_handles(&host)) }.unwrap();
        Stage {
            log: host.messages(),
            host: Some(host),
            device: Some(device),
            driver,
            is_heard_elsewhere: false,
        }
    }

    pub fn host(&mut self) -> &mut Host {
        self.host.as_mut().unwrap()
    }

    pub fn device(&self) -> &Arc<Device> {
        self.device.as_ref().unwrap()
    }

    pub fn context(&self, render: Size, output: Size) -> Context {
        Context::new(self.device(), settings(render, output)).unwrap()
    }

    /// Records one frame of one context and submits it.
    pub fn evaluate(&mut self, context: &mut Context, frame: &Frame<'_>) -> Result<Outcome> {
        let host = self.host();
        let begun = host.begin_frame().unwrap();
        let frame = Frame {
            host_frame: begun.number,
            last_finished: LastFinished::Frame(begun.last_finished),
            ..*frame
        };
        // SAFETY: the command buffer is recording, and the inputs live until the stage has waited.
        let outcome = unsafe { context.evaluate(begun.command_buffer, &frame) };
        host.submit(begun).unwrap();
        outcome
    }

    /// Waits for the device and tells the engine.
    pub fn finish(&mut self) {
        self.host().wait_idle();
        self.device().collect(LastFinished::Idle).unwrap();
    }

    /// The bits of an image that the engine made.
    pub fn download(&mut self, image: &ImageDesc) -> Vec<u16> {
        let bytes = self
            .host()
            .download_bytes(image.image, image.format, image.size, READ)
            .unwrap();
        bytes
            .chunks_exact(2)
            .map(|b| u16::from_le_bytes([b[0], b[1]]))
            .collect()
    }

    /// Ends here; the caller looks at the log.
    pub fn end_without_asserting(mut self) {
        self.end();
        self.is_heard_elsewhere = true;
    }

    fn end(&mut self) {
        if let (Some(host), Some(device)) = (&self.host, &self.device) {
            host.wait_idle();
            let _ = device.collect(LastFinished::Idle);
        }
        self.device = None;
        self.host = None;
    }

    pub fn assert_silent(&self) {
        let messages = self.log.take();
        assert!(messages.is_empty(), "{}: {messages:#?}", self.driver);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.end();
        if !std::thread::panicking() && !self.is_heard_elsewhere {
            self.assert_silent();
        }
    }
}

pub fn settings(render: Size, output: Size) -> ContextSettings {
    ContextSettings {
        render,
        output,
        mode: if render == output {
            Mode::Dlaa
        } else {
            Mode::Quality
        },
        feature: Feature::SuperResolution,
        model: Model::Analytic,
        network: None,
        debug: false,
        name: "test".into(),
    }
}

/// Formats of the three inputs, and the layouts in which they are given.
#[derive(Debug, Clone, Copy)]
pub struct Formats {
    pub color: vk::Format,
    pub depth: vk::Format,
    pub motion: vk::Format,
    pub layout: vk::ImageLayout,
    pub depth_layout: vk::ImageLayout,
}

pub const FORMATS: Formats = Formats {
    color: vk::Format::R16G16B16A16_SFLOAT,
    depth: vk::Format::R32_SFLOAT,
    motion: vk::Format::R16G16_SFLOAT,
    layout: READ,
    depth_layout: READ,
};

/// Inputs of a frame, on the device and as the CPU sees them.
pub struct Inputs {
    pub color: Image,
    pub depth: Image,
    pub motion: Image,
    pub cpu: [cpu::Image; 3],
    formats: Formats,
    output: Size,
}

impl Inputs {
    /// Noise over smooth ramps; a share of the pixels moves.
    pub fn new(stage: &mut Stage, formats: Formats, render: Size, output: Size, seed: u32) -> Self {
        let pixels = render.area() as u32;
        let value =
            |pixel: u32, salt: u32| (hash(pixel ^ salt << 24 ^ seed << 16) % 4096) as f32 / 4096.0;
        let is_ldr = formats.color == vk::Format::R8G8B8A8_UNORM;
        let channels = reconstruction_host::texel::layout(formats.color).unwrap().0;
        let color: Vec<f32> = (0..pixels * channels as u32)
            .map(|i| {
                let v = value(i, 1);
                match is_ldr {
                    true => v,
                    false if hash(i + seed) % 97 == 0 => 40.0 * v,
                    false => 2.0 * v,
                }
            })
            .collect();
        let depth: Vec<f32> = (0..pixels)
            .map(|i| {
                0.25 + 0.5 * (i % render.width) as f32 / render.width as f32 + 0.125 * value(i, 2)
            })
            .collect();
        let motion: Vec<f32> = (0..2 * pixels)
            .map(|i| {
                if hash(i / 14 + seed) % 3 == 0 {
                    6.0 * (value(i, 3) - 0.5)
                } else {
                    0.0
                }
            })
            .collect();
        let upload = |stage: &mut Stage, format, values: &[f32], layout| {
            let host = stage.host();
            let mut usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
            if matches!(
                format,
                vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT
            ) {
                usage |= vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
            }
            let image = host.create_image(format, render, usage).unwrap();
            let bytes = reconstruction_host::texel::encode(format, values).unwrap();
            host.write_image_bytes(&image, &bytes, layout).unwrap();
            let seen = reconstruction_host::texel::decode(format, &bytes).unwrap();
            (image, as_texels(format, &seen))
        };
        let (color, cpu_color) = upload(stage, formats.color, &color, formats.layout);
        let (depth, cpu_depth) = upload(stage, formats.depth, &depth, formats.depth_layout);
        let (motion, cpu_motion) = upload(stage, formats.motion, &motion, formats.layout);
        let cpu = [cpu_color, cpu_depth, cpu_motion].map(|texels| cpu::Image::new(render, texels));
        Inputs {
            color,
            depth,
            motion,
            cpu,
            formats,
            output,
        }
    }

    /// Frame `index` of a sequence that shows these inputs.
    pub fn frame(&self, index: i64) -> Frame<'static> {
        Frame {
            host_frame: 0,
            last_finished: LastFinished::Frame(0),
            frame_index: index,
            revision: 0,
            jitter_px: halton(index, self.color.size, self.output),
            exposure: Exposure::Auto,
            conventions: Conventions::default(),
            bypass: Bypass::Off,
            debug_view: DebugView::None,
            reset: None,
            wants_timings: false,
            wants_statistics: false,
            color: describe(&self.color, self.formats.layout),
            depth: Some(describe(&self.depth, self.formats.depth_layout)),
            motion: Some(describe(&self.motion, self.formats.layout)),
        }
    }

    /// The same frame for the CPU.
    pub fn cpu_frame(&self, frame: &Frame<'_>) -> cpu::CpuFrame {
        use reconstruction_core::frame_params;
        let [color, depth, motion] = self.cpu.clone();
        cpu::CpuFrame {
            color,
            depth,
            motion,
            jitter_px: frame.jitter_px,
            exposure: match frame.exposure {
                Exposure::Auto => frame_params::Exposure::Auto,
                Exposure::Scalar(v) => frame_params::Exposure::Scalar(v),
                Exposure::PreExposed(v) => frame_params::Exposure::PreExposed(v),
                Exposure::Texture(_) => panic!("give the texture to the CPU frame by hand"),
            },
            exposure_texture: None,
            reset: frame.reset.is_some(),
            bypass: frame.bypass,
            debug_view: frame.debug_view,
            is_color_unorm8: self.formats.color == vk::Format::R8G8B8A8_UNORM,
        }
    }
}

pub fn describe(image: &Image, layout: vk::ImageLayout) -> ImageDesc {
    ImageDesc::from_block(&image.to_block(layout))
}

fn as_texels(format: vk::Format, values: &[f32]) -> Vec<[f32; 4]> {
    let channels = reconstruction_host::texel::layout(format).unwrap().0;
    values
        .chunks_exact(channels)
        .map(|texel| {
            let mut all = [0.0, 0.0, 0.0, 1.0];
            all[..channels].copy_from_slice(texel);
            all
        })
        .collect()
}

/// A well-mixed integer.
pub fn hash(value: u32) -> u32 {
    let mut h = value.wrapping_mul(0x9e37_79b1);
    h = (h ^ h >> 15).wrapping_mul(0x85eb_ca77);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae3d);
    h ^ h >> 16
}

/// What stands in memory that nothing may touch.
pub const MARKER: u32 = 0xa5c3_96e1;

/// The words of a device's bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// The bytes of words, as a device holds them.
pub fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
