//! Every legal combination of formats and layouts, silently and with the bits of the reference.

use crate::passes::assert_equal_bits;
use crate::stage::{Formats, Inputs, Stage, DRIVERS, FORMATS};
use ash::vk;
use reconstruction_core::convention::ColorEncoding;
use reconstruction_core::Size;
use reconstruction_engine::Conventions;
use reconstruction_shaders::cpu::CpuContext;

const RENDER: Size = Size::new(32, 32);
const OUTPUT: Size = Size::new(64, 64);

fn two_frames(stage: &mut Stage, formats: Formats, conventions: Conventions) {
    let mut context = stage.context(RENDER, OUTPUT);
    let mut reference = CpuContext::new(context.sizes(), conventions);
    let inputs = Inputs::new(stage, formats, RENDER, OUTPUT, 1);
    for index in 0..2 {
        let mut frame = inputs.frame(index);
        frame.conventions = conventions;
        stage.evaluate(&mut context, &frame).unwrap();
        reference.evaluate(inputs.cpu_frame(&frame));
    }
    let what = format!("{} {formats:?}", stage.driver);
    assert_equal_bits(stage, &context, &reference, &what);
}

#[test]
fn every_combination_of_formats() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        for color in [
            vk::Format::R16G16B16A16_SFLOAT,
            vk::Format::R32G32B32A32_SFLOAT,
            vk::Format::B10G11R11_UFLOAT_PACK32,
            vk::Format::R8G8B8A8_UNORM,
        ] {
            for depth in [vk::Format::R32_SFLOAT, vk::Format::D32_SFLOAT] {
                for motion in [vk::Format::R16G16_SFLOAT, vk::Format::R32G32_SFLOAT] {
                    let formats = Formats {
                        color,
                        depth,
                        motion,
                        ..FORMATS
                    };
                    two_frames(&mut stage, formats, Conventions::default());
                }
            }
        }
    }
}

#[test]
fn the_depth_aspect_of_a_depth_stencil_image() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let formats = Formats {
            depth: vk::Format::D32_SFLOAT_S8_UINT,
            depth_layout: vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
            ..FORMATS
        };
        two_frames(&mut stage, formats, Conventions::default());
    }
}

#[test]
fn every_layout_in_which_an_image_can_be_read() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        for layout in [
            vk::ImageLayout::GENERAL,
            vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        ] {
            for depth_layout in [
                vk::ImageLayout::GENERAL,
                vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
                vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
            ] {
                let formats = Formats {
                    depth: vk::Format::D32_SFLOAT,
                    layout,
                    depth_layout,
                    ..FORMATS
                };
                two_frames(&mut stage, formats, Conventions::default());
            }
        }
    }
}

#[test]
fn encoded_colour_of_bytes() {
    let conventions = Conventions {
        color_encoding: ColorEncoding::SrgbLdr,
        ..Conventions::default()
    };
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let formats = Formats {
            color: vk::Format::R8G8B8A8_UNORM,
            ..FORMATS
        };
        two_frames(&mut stage, formats, conventions);
    }
}
