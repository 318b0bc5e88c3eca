//! Contexts side by side, frames in flight, and ends of life in every order.

use crate::passes::assert_same;
use crate::stage::{settings, Inputs, Stage, DRIVERS, FORMATS};
use reconstruction_core::convention::Fault;
use reconstruction_core::Size;
use reconstruction_engine::{Context, Frame, LastFinished};

const RENDER: Size = Size::new(40, 40);
const OUTPUT: Size = Size::new(64, 64);

#[test]
fn two_contexts_in_one_command_buffer_are_as_if_alone() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let shapes = [(RENDER, OUTPUT), (Size::new(50, 33), Size::new(75, 66))];
        let inputs = shapes.map(|(r, o)| Inputs::new(&mut stage, FORMATS, r, o, 1));
        let alone: Vec<Vec<u16>> = shapes
            .iter()
            .zip(&inputs)
            .map(|(&(render, output), inputs)| {
                let mut context = stage.context(render, output);
                for index in 0..4 {
                    stage.evaluate(&mut context, &inputs.frame(index)).unwrap();
                }
                stage.download(&context.output().unwrap())
            })
            .collect();
        let mut contexts = shapes.map(|(render, output)| stage.context(render, output));
        for index in 0..4 {
            let begun = stage.host().begin_frame().unwrap();
            for (context, inputs) in contexts.iter_mut().zip(&inputs) {
                let frame = Frame {
                    host_frame: begun.number,
                    last_finished: LastFinished::Frame(begun.last_finished),
                    ..inputs.frame(index)
                };
                // SAFETY: the command buffer is recording, and the inputs live until the stage has waited.
                unsafe { context.evaluate(begun.command_buffer, &frame) }.unwrap();
            }
            stage.host().submit(begun).unwrap();
        }
        for (context, alone) in contexts.iter().zip(&alone) {
            let together = stage.download(&context.output().unwrap());
            assert_same(&together, alone, driver);
        }
    }
}

#[test]
fn frames_in_flight_do_not_meet() {
    // Waiting after every frame or never: the same bits, at every depth.
    for driver in DRIVERS {
        let mut pictures = Vec::new();
        for (in_flight, waits) in [(1, true), (3, false), (8, false)] {
            let mut stage = Stage::with_frames_in_flight(driver, in_flight);
            let mut context = stage.context(RENDER, OUTPUT);
            let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
            for index in 0..20 {
                stage.evaluate(&mut context, &inputs.frame(index)).unwrap();
                if waits {
                    stage.host().wait_idle();
                }
            }
            pictures.push(stage.download(&context.output().unwrap()));
        }
        for picture in &pictures[1..] {
            assert_same(picture, &pictures[0], driver);
        }
    }
}

#[test]
fn closing_with_work_in_flight_waits_for_the_hosts_frame_counter() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
        let mut context = stage.context(RENDER, OUTPUT);
        let mut other = stage.context(RENDER, OUTPUT);
        let begun = stage.host().begin_frame().unwrap();
        let frame = Frame {
            host_frame: begun.number,
            last_finished: LastFinished::Frame(begun.last_finished),
            ..inputs.frame(0)
        };
        // SAFETY: the command buffer is recording, and the inputs live until the stage has waited.
        unsafe { context.evaluate(begun.command_buffer, &frame) }.unwrap();
        // Between recording and submitting: the layer would name any object destroyed too early.
        context.close();
        stage.host().submit(begun).unwrap();
        for index in 0..4 {
            stage.evaluate(&mut other, &inputs.frame(index)).unwrap();
        }
        context.close();
    }
}

#[test]
fn a_closed_context_says_so_and_nothing_else() {
    let mut stage = Stage::new("llvmpipe");
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    stage.evaluate(&mut context, &inputs.frame(0)).unwrap();
    assert!(context.device_bytes() > 0);
    context.close();
    context.close();
    assert!(context.is_closed());
    assert_eq!(context.device_bytes(), 0);
    let errors = [
        stage.evaluate(&mut context, &inputs.frame(1)).err(),
        context.output().err(),
        context.timings().err(),
        context.statistics().err(),
    ];
    for error in errors {
        let error = error.expect("closed");
        assert_eq!(error.fault(), Fault::InvalidState);
        assert_eq!(
            error.to_string(),
            "context 'test': expected an open one, got a closed one; make a new context"
        );
    }
    assert!(context.status_line().ends_with("closed"));
    assert_eq!(context.last_reset().unwrap().frame_index, 0);
}

#[test]
fn a_context_may_outlive_the_last_other_reference_to_its_device() {
    let mut stage = Stage::new("SwiftShader");
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    // SAFETY: the stage outlives the device.
    let device = unsafe {
        reconstruction_engine::Device::from_host(crate::stage::engine_handles(stage.host()))
    }
    .unwrap();
    let mut context = Context::new(&device, settings(RENDER, OUTPUT)).unwrap();
    drop(device);
    stage.evaluate(&mut context, &inputs.frame(0)).unwrap();
    stage.host().wait_idle();
    context.device().collect(LastFinished::Idle).unwrap();
}

#[test]
fn two_hundred_contexts_one_after_the_other_keep_no_memory() {
    let mut stage = Stage::new("llvmpipe");
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    let mut resident = Vec::new();
    for round in 0..200 {
        let mut context = stage.context(RENDER, OUTPUT);
        stage.evaluate(&mut context, &inputs.frame(0)).unwrap();
        drop(context);
        if round % 50 == 49 {
            stage.finish();
            resident.push(stage.device().allocated_bytes());
        }
    }
    assert_eq!(resident, [0; 4]);
}

#[test]
fn timings_and_statistics_are_those_of_the_newest_finished_frame() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let mut context = stage.context(RENDER, OUTPUT);
        let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
        assert_eq!(context.timings().unwrap(), None);
        assert_eq!(context.statistics().unwrap(), None);
        for index in 0..9 {
            let mut frame = inputs.frame(index);
            frame.wants_timings = index % 2 == 0;
            frame.wants_statistics = index == 3;
            stage.evaluate(&mut context, &frame).unwrap();
        }
        stage.finish();
        let timings = context.timings().unwrap().expect("measured");
        assert_eq!(timings.frame_index, 8);
        let names: Vec<_> = timings.passes.iter().map(|pass| pass.0.as_str()).collect();
        assert_eq!(names, ["exposure", "gather", "output"]);
        assert!(timings
            .passes
            .iter()
            .all(|pass| pass.1 >= 0.0 && pass.1 < 10_000.0));
        assert!(timings.passes.iter().map(|pass| pass.1).sum::<f32>() > 0.0);

        let statistics = context.statistics().unwrap().expect("counted");
        assert_eq!(statistics.frame_index, 3);
        let moving: Vec<f32> = inputs.cpu[2]
            .texels
            .iter()
            .map(|t| t[0].abs().max(t[1].abs()))
            .filter(|&length| length > 0.0)
            .collect();
        let share = moving.len() as f32 / RENDER.area() as f32;
        assert!(
            (statistics.moving_share - share).abs() < 1e-6,
            "{statistics:?}, {share}"
        );
        let longest = moving.into_iter().fold(0.0, f32::max);
        assert!(
            (statistics.longest_motion_px - longest).abs() < 1e-3,
            "{statistics:?}, {longest}"
        );
        assert_eq!(statistics.nonfinite_motion_share, 0.0);
        assert_eq!(statistics.nonfinite_color_share, 0.0);
        assert_eq!(statistics.nonfinite_depth_share, 0.0);
    }
}
