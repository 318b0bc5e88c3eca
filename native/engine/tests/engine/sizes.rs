//! Sizes: odd ones, every ratio, and that no output pixel is left unwritten.

use crate::passes::assert_same;
use crate::stage::{Inputs, Stage, DRIVERS, FORMATS};
use ash::vk;
use reconstruction_core::Size;

/// Render and output sizes whose ratios cover 1..3, each axis by itself.
const SIZES: [([u32; 2], [u32; 2]); 10] = [
    ([64, 64], [64, 64]),
    ([21, 22], [64, 65]),
    ([101, 75], [101, 75]),
    ([97, 71], [129, 95]),
    ([89, 66], [133, 99]),
    ([75, 57], [129, 99]),
    ([67, 33], [133, 65]),
    ([43, 64], [128, 64]),
    ([37, 50], [64, 149]),
    ([183, 67], [275, 101]),
];

#[test]
fn every_output_pixel_is_written_at_every_size() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        for ([rw, rh], [ow, oh]) in SIZES {
            let (render, output) = (Size::new(rw, rh), Size::new(ow, oh));
            written_everywhere(&mut stage, render, output);
        }
    }
}

#[test]
fn the_recommended_sizes_of_large_outputs_run() {
    // 1114x626, 853x480 and 1707x960 as outputs, at a third of the pixels on each axis.
    for (width, height) in [(1114, 626), (853, 480), (1707, 960)] {
        let mut stage = Stage::new("llvmpipe");
        let axis = reconstruction_core::size::smallest_render_axis;
        let render = Size::new(axis(width), axis(height));
        written_everywhere(&mut stage, render, Size::new(width, height));
    }
}

/// Fills the output with a value that no picture holds between two frames, and finds none of it behind the second.
fn written_everywhere(stage: &mut Stage, render: Size, output: Size) {
    const MARKER: f32 = -7.0;
    let mut context = stage.context(render, output);
    let inputs = Inputs::new(stage, FORMATS, render, output, 4);
    stage.evaluate(&mut context, &inputs.frame(0)).unwrap();
    let picture = context.output().unwrap();
    let host = stage.host();
    host.wait_idle();
    host.run_now(|commands| {
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: 1,
        };
        let turn = |old, new| {
            let barrier = vk::ImageMemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .old_layout(old)
                .new_layout(new)
                .image(picture.image)
                .subresource_range(range);
            // SAFETY: the command buffer is recording, and the image is in the old layout.
            unsafe {
                host.device().cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::ALL_COMMANDS,
                    vk::PipelineStageFlags::ALL_COMMANDS,
                    vk::DependencyFlags::empty(),
                    &[],
                    &[],
                    &[barrier],
                );
            }
        };
        let marker = vk::ClearColorValue {
            float32: [MARKER; 4],
        };
        turn(picture.layout, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        // SAFETY: the image is in the layout of the barrier before.
        unsafe {
            host.device().cmd_clear_color_image(
                commands,
                picture.image,
                vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                &marker,
                &[range],
            );
        }
        turn(vk::ImageLayout::TRANSFER_DST_OPTIMAL, picture.layout);
    })
    .unwrap();
    let marker = half::f16::from_f32(MARKER).to_bits();
    assert!(stage.download(&picture).iter().all(|&half| half == marker));
    stage.evaluate(&mut context, &inputs.frame(1)).unwrap();
    let pixels = stage.download(&picture);
    let left = pixels.iter().filter(|&&half| half == marker).count();
    assert_eq!(left, 0, "{} {render} to {output}", stage.driver);
}

#[test]
fn both_drivers_agree_at_every_size() {
    let mut pictures = DRIVERS.map(|driver| {
        let mut stage = Stage::new(driver);
        SIZES.map(|([rw, rh], [ow, oh])| {
            let (render, output) = (Size::new(rw, rh), Size::new(ow, oh));
            let mut context = stage.context(render, output);
            let inputs = Inputs::new(&mut stage, FORMATS, render, output, 6);
            for index in 0..3 {
                stage.evaluate(&mut context, &inputs.frame(index)).unwrap();
            }
            stage.download(&context.output().unwrap())
        })
    });
    let [first, second] = &mut pictures;
    for ((a, b), sizes) in first.iter().zip(second).zip(SIZES) {
        assert_same(b, a, &format!("{sizes:?}"));
    }
}
