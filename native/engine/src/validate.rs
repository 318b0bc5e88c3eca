//! The wall in front of evaluate: every fault of a frame, found before anything is recorded.

use crate::context::ContextSettings;
use crate::error::{Error, Result};
use crate::frame::{Exposure, Frame};
use crate::image_desc::ImageDesc;
use ash::vk::{self, Handle};
use reconstruction_core::convention::{Bypass, ColorEncoding, DebugView};
use reconstruction_core::{Size, Sizes};

/// Formats of colour.
pub(crate) const COLOR_FORMATS: [vk::Format; 4] = [
    vk::Format::R16G16B16A16_SFLOAT,
    vk::Format::R32G32B32A32_SFLOAT,
    vk::Format::B10G11R11_UFLOAT_PACK32,
    vk::Format::R8G8B8A8_UNORM,
];
const DEPTH_FORMATS: [vk::Format; 3] = [
    vk::Format::R32_SFLOAT,
    vk::Format::D32_SFLOAT,
    vk::Format::D32_SFLOAT_S8_UINT,
];
const MOTION_FORMATS: [vk::Format; 2] = [vk::Format::R16G16_SFLOAT, vk::Format::R32G32_SFLOAT];
const EXPOSURE_FORMATS: [vk::Format; 4] = [
    vk::Format::R32_SFLOAT,
    vk::Format::R16_SFLOAT,
    vk::Format::R16G16B16A16_SFLOAT,
    vk::Format::R32G32B32A32_SFLOAT,
];
const READ_LAYOUTS: [vk::ImageLayout; 2] = [
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    vk::ImageLayout::GENERAL,
];
const DEPTH_READ_LAYOUTS: [vk::ImageLayout; 4] = [
    vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
    vk::ImageLayout::GENERAL,
    vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
    vk::ImageLayout::DEPTH_READ_ONLY_OPTIMAL,
];

/// What an image must be.
struct Expected {
    name: &'static str,
    formats: &'static [vk::Format],
    /// Any size when none is given.
    size: Option<Size>,
    format_remedy: &'static str,
}

/// What a frame is checked against.
pub(crate) struct Wall<'a> {
    pub settings: &'a ContextSettings,
    pub sizes: &'a Sizes,
    pub device: vk::Device,
    pub output: vk::Image,
    pub debug: vk::Image,
    /// Host frame of the last evaluate.
    pub last_host_frame: u64,
}

impl Wall<'_> {
    /// Refuses a frame that is wired wrongly. `Some` is the reason to decline a frame whose content is at fault.
    pub fn check(&self, commands: vk::CommandBuffer, frame: &Frame<'_>) -> Result<Option<String>> {
        if commands.is_null() {
            return Err(Error::invalid(
                "commandBuffer",
                "a recording command buffer",
                "0",
                "pass the command buffer of the frame",
            ));
        }
        let earliest = self.last_host_frame.max(1);
        if frame.host_frame < earliest {
            return Err(Error::invalid(
                "hostFrame",
                format!("{earliest} or later"),
                frame.host_frame.to_string(),
                "the host's frame number counts from 1 and never goes back",
            ));
        }
        if let crate::LastFinished::Frame(finished) = frame.last_finished {
            if finished >= frame.host_frame {
                return Err(Error::invalid(
                    "lastFinished",
                    format!("less than the frame being recorded, {}", frame.host_frame),
                    finished.to_string(),
                    "give the newest frame whose fence was signalled",
                ));
            }
        }
        self.check_jitter(frame.jitter_px)?;
        self.check_views(frame)?;
        self.check_images(frame)?;
        Ok(decline(frame))
    }

    fn check_jitter(&self, jitter_px: [f32; 2]) -> Result<()> {
        for (what, value) in [("jitter.x", jitter_px[0]), ("jitter.y", jitter_px[1])] {
            // NaN is inside no range.
            if !(-0.5..=0.5).contains(&value) {
                return Err(Error::invalid(
                    what,
                    "-0.5..0.5 render pixels",
                    value.to_string(),
                    "use ReconstructionJitter.halton",
                ));
            }
        }
        Ok(())
    }

    fn check_views(&self, frame: &Frame<'_>) -> Result<()> {
        if frame.bypass == Bypass::Source && self.sizes.render != self.sizes.output {
            return Err(Error::invalid(
                "bypass",
                format!(
                    "ENLARGED for a source smaller than the output of {}",
                    self.sizes.output
                ),
                format!("SOURCE at {}", self.sizes.render),
                "use ENLARGED, or show a source of the output's size",
            ));
        }
        if frame.debug_view != DebugView::None && !self.settings.debug {
            return Err(Error::invalid(
                "debugView",
                "NONE for a context without a debug image",
                format!("{:?}", frame.debug_view),
                "make the context with debug = true",
            ));
        }
        if let Some(text) = frame.reset {
            if text.is_empty() {
                return Err(Error::invalid(
                    "reset",
                    "a reason in words",
                    "an empty text",
                    "say why, it is shown as lastReset",
                ));
            }
        }
        Ok(())
    }

    fn check_images(&self, frame: &Frame<'_>) -> Result<()> {
        let size = Some(self.sizes.render);
        let color_remedy = if is_srgb(frame.color.format) {
            "make a UNORM view of the same image and set colorEncoding = SRGB_LDR"
        } else {
            "render colour in one of these formats"
        };
        let color = Expected {
            name: "color",
            formats: &COLOR_FORMATS,
            size,
            format_remedy: color_remedy,
        };
        self.check_image(&color, &frame.color)?;
        if frame.conventions.color_encoding == ColorEncoding::SrgbLdr
            && frame.color.format == vk::Format::B10G11R11_UFLOAT_PACK32
        {
            return Err(Error::invalid(
                "color.format",
                "R8G8B8A8_UNORM, R16G16B16A16_SFLOAT or R32G32B32A32_SFLOAT with SRGB_LDR",
                format!("{:?}", frame.color.format),
                "set colorEncoding = LINEAR_HDR",
            ));
        }
        if let Some(image) = &frame.depth {
            let depth = Expected {
                name: "depth",
                formats: &DEPTH_FORMATS,
                size,
                format_remedy: "render depth as D32F, or write it to R32F",
            };
            self.check_image(&depth, image)?;
        }
        if let Some(image) = &frame.motion {
            let motion = Expected {
                name: "motion",
                formats: &MOTION_FORMATS,
                size,
                format_remedy: "render motion in one of these formats",
            };
            self.check_image(&motion, image)?;
        }
        if let Exposure::Texture(image) = &frame.exposure {
            let exposure = Expected {
                name: "exposure",
                formats: &EXPOSURE_FORMATS,
                size: None,
                format_remedy: "write the exposure to a texture of one of these formats",
            };
            self.check_image(&exposure, image)?;
        }
        check_distinct(frame)
    }

    fn check_image(&self, expected: &Expected, image: &ImageDesc) -> Result<()> {
        let name = expected.name;
        let refuse = |what: &str, wanted: String, got: String, remedy: &'static str| {
            Err(Error::invalid(format!("{name}{what}"), wanted, got, remedy))
        };
        if image.view.is_null() || image.image.is_null() {
            let got = if image.view.is_null() {
                "view 0"
            } else {
                "image 0"
            };
            return refuse(
                "",
                "an image view".into(),
                got.into(),
                "give an image that the host has made",
            );
        }
        if !image.is_alive {
            return refuse(
                "",
                "an image that is alive".into(),
                "one that was closed".into(),
                "give the image that replaced it",
            );
        }
        if image.device != self.device {
            return refuse(
                ".device",
                format!("the context's device {:#x}", self.device.as_raw()),
                format!("{:#x}", image.device.as_raw()),
                "make the image on the device of the context",
            );
        }
        if image.image == self.output || image.image == self.debug {
            return refuse(
                "",
                "an image of the host".into(),
                "this context's own output".into(),
                "copy the output first, or read another context's",
            );
        }
        if image.samples != 1 {
            return refuse(
                ".samples",
                "1".into(),
                image.samples.to_string(),
                "resolve the image first",
            );
        }
        if image.mips != 1 || image.layers != 1 {
            return refuse(
                ".view",
                "1 mip and 1 layer".into(),
                format!("{} mips and {} layers", image.mips, image.layers),
                "make a view of one mip of one layer",
            );
        }
        if !expected.formats.contains(&image.format) {
            return refuse(
                ".format",
                one_of(expected.formats),
                format!("{:?}", image.format),
                expected.format_remedy,
            );
        }
        let aspect = if is_depth(image.format) {
            vk::ImageAspectFlags::DEPTH
        } else {
            vk::ImageAspectFlags::COLOR
        };
        if image.aspect != aspect {
            return refuse(
                ".aspect",
                format!("{aspect:?}"),
                format!("{:?}", image.aspect),
                "make a view of this one aspect",
            );
        }
        let is_wrong_size = match expected.size {
            Some(size) => image.size != size,
            None => image.size.area() == 0,
        };
        if is_wrong_size {
            return refuse(
                ".size",
                expected.size.map_or_else(
                    || "at least 1x1".into(),
                    |size| format!("{size} (inputSize)"),
                ),
                image.size.to_string(),
                "give an image of this size, or make a new context",
            );
        }
        if !image.usage.contains(vk::ImageUsageFlags::SAMPLED) {
            return refuse(
                ".usage",
                "SAMPLED among others".into(),
                format!("{:?}", image.usage),
                "make the image with VK_IMAGE_USAGE_SAMPLED_BIT",
            );
        }
        let layouts: &[vk::ImageLayout] = if is_depth(image.format) {
            &DEPTH_READ_LAYOUTS
        } else {
            &READ_LAYOUTS
        };
        if !layouts.contains(&image.layout) {
            return refuse(
                ".layout",
                one_of(layouts),
                format!("{:?}", image.layout),
                "bring the image into one of these layouts before evaluate",
            );
        }
        Ok(())
    }
}

/// Two inputs that are the same image are a mistake of wiring.
fn check_distinct(frame: &Frame<'_>) -> Result<()> {
    let images = [
        ("color", Some(frame.color.image)),
        ("depth", frame.depth.map(|d| d.image)),
        ("motion", frame.motion.map(|d| d.image)),
    ];
    for (i, (name, image)) in images.iter().enumerate() {
        for (other, earlier) in &images[..i] {
            if image.is_some() && image == earlier {
                return Err(Error::invalid(
                    *name,
                    format!("an image of its own, not that of {other}"),
                    "the same image twice",
                    "give each input its own image",
                ));
            }
        }
    }
    Ok(())
}

/// Why the content of a frame cannot be reconstructed.
fn decline(frame: &Frame<'_>) -> Option<String> {
    if let Exposure::Scalar(value) | Exposure::PreExposed(value) = frame.exposure {
        if !(value.is_finite() && value > 0.0) {
            return Some(format!(
                "exposure: expected a finite number above 0, got {value}; give this frame's exposure, or use Auto"
            ));
        }
    }
    if frame.bypass == Bypass::Off {
        for (name, image) in [("depth", &frame.depth), ("motion", &frame.motion)] {
            if image.is_none() {
                return Some(format!(
                    "{name}: expected an image, got none; give it with this frame, or bypass"
                ));
            }
        }
    }
    None
}

fn is_depth(format: vk::Format) -> bool {
    matches!(
        format,
        vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT
    )
}

fn is_srgb(format: vk::Format) -> bool {
    matches!(
        format,
        vk::Format::R8G8B8A8_SRGB | vk::Format::B8G8R8A8_SRGB | vk::Format::A8B8G8R8_SRGB_PACK32
    )
}

fn one_of<T: std::fmt::Debug>(values: &[T]) -> String {
    values
        .iter()
        .map(|value| format!("{value:?}"))
        .collect::<Vec<_>>()
        .join(" or ")
}
