//! Every pass on every driver gives the bits of its CPU reference.

use crate::stage::{to_bytes, words, Inputs, Stage, DRIVERS, FORMATS};
use ash::vk;
use half::f16;
use reconstruction_core::convention::{Bypass, DebugView};
use reconstruction_core::plan::ArenaLayout;
use reconstruction_core::{Size, Sizes};
use reconstruction_engine::{Context, Conventions, Exposure, PlanKind};
use reconstruction_shaders::cpu::{self, CpuContext};

/// Compares every range of the arena and the output with the CPU's.
pub fn assert_equal_bits(stage: &mut Stage, context: &Context, reference: &CpuContext, what: &str) {
    let (buffer, layout): (vk::Buffer, &ArenaLayout) = context.arena().unwrap();
    let bytes = stage
        .host()
        .download_buffer(buffer, 0, layout.size())
        .unwrap();
    for (name, range) in layout.ranges() {
        let at = range.offset as usize..(range.offset + range.size) as usize;
        assert_same(
            &words(&bytes[at]),
            reference.machine().range(*range),
            &format!("{what}, range {name}"),
        );
    }
    let output = context.output().unwrap();
    let picture = stage.download(&output);
    assert_same(
        &picture,
        &bits(reference.output()),
        &format!("{what}, output"),
    );
}

pub fn assert_same<T: PartialEq + std::fmt::LowerHex>(got: &[T], expected: &[T], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    if let Some(at) = (0..got.len()).find(|&i| got[i] != expected[i]) {
        let count = (0..got.len()).filter(|&i| got[i] != expected[i]).count();
        panic!(
            "{what}: {count} of {} differ, first at {at}: got {:x}, expected {:x}",
            got.len(),
            got[at],
            expected[at]
        );
    }
}

/// The halves of an image; every texel of an output is one.
pub fn bits(image: &cpu::Image) -> Vec<u16> {
    image
        .texels
        .iter()
        .flatten()
        .map(|&value| {
            let half = f16::from_f32(value);
            assert_eq!(
                half.to_f32().to_bits(),
                value.to_bits(),
                "{value} is no half"
            );
            half.to_bits()
        })
        .collect()
}

#[test]
fn a_sequence_gives_the_bits_of_the_references_after_every_frame() {
    let (render, output) = (Size::new(45, 33), Size::new(77, 66));
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let mut context = stage.context(render, output);
        let sizes = context.sizes();
        let mut reference = CpuContext::new(sizes, Conventions::default());
        let inputs: Vec<Inputs> = (0..2)
            .map(|seed| Inputs::new(&mut stage, FORMATS, render, output, seed))
            .collect();
        for index in 0..6 {
            let inputs = &inputs[index as usize % 2];
            let mut frame = inputs.frame(index);
            if index == 4 {
                frame.reset = Some("test");
            }
            stage.evaluate(&mut context, &frame).unwrap();
            reference.evaluate(inputs.cpu_frame(&frame));
            assert_equal_bits(
                &mut stage,
                &context,
                &reference,
                &format!("{driver} frame {index}"),
            );
        }
    }
}

#[test]
fn every_exposure_and_bypass_gives_the_bits_of_the_references() {
    let (render, output) = (Size::new(40, 64), Size::new(64, 90));
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let mut context = stage.context(render, output);
        let mut reference = CpuContext::new(context.sizes(), Conventions::default());
        let inputs = Inputs::new(&mut stage, FORMATS, render, output, 9);
        let cases = [
            (Exposure::Scalar(2.5), Bypass::Off),
            (Exposure::Scalar(160.0), Bypass::Off),
            (Exposure::PreExposed(4.0), Bypass::Off),
            (Exposure::PreExposed(0.5), Bypass::Off),
            (Exposure::Auto, Bypass::Enlarged),
            (Exposure::Auto, Bypass::Off),
        ];
        for (index, (exposure, bypass)) in (0..).zip(cases) {
            let mut frame = inputs.frame(index);
            (frame.exposure, frame.bypass) = (exposure, bypass);
            stage.evaluate(&mut context, &frame).unwrap();
            reference.evaluate(inputs.cpu_frame(&frame));
            let what = format!("{driver} {exposure:?} {bypass:?}");
            assert_equal_bits(&mut stage, &context, &reference, &what);
        }
    }
}

#[test]
fn an_exposure_texture_means_what_a_scalar_means() {
    let size = Size::new(64, 64);
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let inputs = Inputs::new(&mut stage, FORMATS, size, size, 5);
        let texture = stage
            .host()
            .upload_image(
                vk::Format::R32_SFLOAT,
                Size::new(1, 1),
                &[3.25],
                vk::ImageUsageFlags::empty(),
            )
            .unwrap();
        let texture_desc = crate::stage::describe(&texture, crate::stage::READ);
        let pictures = [Exposure::Scalar(3.25), Exposure::Texture(texture_desc)].map(|exposure| {
            let mut context = stage.context(size, size);
            for index in 0..3 {
                let mut frame = inputs.frame(index);
                frame.exposure = exposure;
                stage.evaluate(&mut context, &frame).unwrap();
            }
            stage.download(&context.output().unwrap())
        });
        assert_same(&pictures[1], &pictures[0], driver);
    }
}

#[test]
fn debug_views_give_the_bits_of_the_references() {
    let (render, output) = (Size::new(33, 32), Size::new(64, 64));
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let mut settings = crate::stage::settings(render, output);
        settings.debug = true;
        let mut context = Context::new(stage.device(), settings).unwrap();
        let mut reference = CpuContext::new(context.sizes(), Conventions::default());
        let inputs = Inputs::new(&mut stage, FORMATS, render, output, 3);
        for (index, (name, code)) in (0..).zip(DebugView::TABLE) {
            let mut frame = inputs.frame(index);
            frame.debug_view = DebugView::from_code(*code).unwrap();
            stage.evaluate(&mut context, &frame).unwrap();
            reference.evaluate(inputs.cpu_frame(&frame));
            if frame.debug_view != DebugView::None {
                let picture = stage.download(&context.debug_output().unwrap());
                assert_same(
                    &picture,
                    &bits(reference.debug_output()),
                    &format!("{driver} {name}"),
                );
            }
        }
    }
}

#[test]
fn a_single_step_runs_alone_over_the_arena_as_it_is() {
    let (render, output) = (Size::new(40, 40), Size::new(70, 64));
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let mut context = stage.context(render, output);
        let inputs = Inputs::new(&mut stage, FORMATS, render, output, 7);
        let frame = inputs.frame(0);
        // The second pass alone, over an arena of noise.
        let mut machine = cpu::Machine::new(context.arena().unwrap().1);
        let (buffer, layout) = context.arena().unwrap();
        let ranges = layout.ranges().to_vec();
        // The first recorded command clears the arena, so a frame goes ahead of the noise.
        stage.evaluate(&mut context, &frame).unwrap();
        stage.finish();
        for (_, range) in &ranges {
            let noise: Vec<u32> = (0..range.size as u32 / 4)
                .map(|i| (crate::stage::hash(i) % 1000) << 12 | 0x3800_0000)
                .collect();
            stage
                .host()
                .upload_buffer(buffer, range.offset, &to_bytes(&noise))
                .unwrap();
            machine.range_mut(*range).copy_from_slice(&noise);
        }
        let [color, depth, motion] = inputs.cpu.clone();
        use reconstruction_core::plan::ImageSlot;
        machine.set_image(ImageSlot::Exposure, color.clone());
        machine.set_image(ImageSlot::Color, color);
        machine.set_image(ImageSlot::Depth, depth);
        machine.set_image(ImageSlot::Motion, motion);
        let mut tracker = reconstruction_core::history::Tracker::new(2);
        let params = params_of(&context.sizes(), &mut tracker);
        let step = context.plan(PlanKind::Reconstruct, 0).unwrap().steps[1].clone();
        machine.execute(&step, &params);

        let host = stage.host();
        let begun = host.begin_frame().unwrap();
        let now = reconstruction_engine::Frame {
            host_frame: begun.number,
            last_finished: reconstruction_engine::LastFinished::Frame(begun.last_finished),
            ..frame
        };
        // SAFETY: the command buffer is recording, and the inputs live until the stage has waited.
        unsafe {
            context
                .record_step(
                    begun.command_buffer,
                    &now,
                    PlanKind::Reconstruct,
                    0,
                    1,
                    &params,
                )
                .unwrap();
        }
        host.submit(begun).unwrap();
        for (name, range) in &ranges {
            let bytes = stage
                .host()
                .download_buffer(buffer, range.offset, range.size)
                .unwrap();
            assert_same(
                &words(&bytes),
                machine.range(*range),
                &format!("{driver} range {name}"),
            );
        }
    }
}

fn params_of(
    sizes: &Sizes,
    tracker: &mut reconstruction_core::history::Tracker,
) -> reconstruction_core::frame_params::FrameParams {
    use reconstruction_core::frame_params::{self, FrameParams, FrameState};
    let decision = tracker.observe(&reconstruction_core::history::Observation {
        frame_index: 0,
        host_frame: 0,
        revision: 0,
        images: [1, 2, 3],
        conventions: 0,
        jitter_px: [0.25, -0.125],
        stored_factor: 1.0,
        bypass: Bypass::Off,
        reset_requested: false,
    });
    let state = FrameState {
        jitter_px: [0.25, -0.125],
        exposure: frame_params::Exposure::Scalar(1.5),
        debug_view: DebugView::None,
        is_color_unorm8: false,
    };
    let mut params = FrameParams::new(sizes, &Conventions::default(), &state, &decision);
    // History counts, although this is a tracker's first frame.
    params.is_reset = 0;
    params
}
