//! What evaluate puts into the host's command buffer, and what it leaves alone.

use crate::stage::{engine_handles, settings, Inputs, Stage, FORMATS};
use crate::tap::{self, tap};
use reconstruction_core::convention::Bypass;
use reconstruction_core::Size;
use reconstruction_engine::{Context, Device, Exposure, Frame, LastFinished};

const RENDER: Size = Size::new(40, 40);
const OUTPUT: Size = Size::new(64, 64);

/// Everything that an evaluate may record: nothing of the graphics bind point, no push constants, no dynamic state.
const ALLOWED: [&str; 9] = [
    "vkCmdPipelineBarrier ",
    "vkCmdBindPipeline COMPUTE",
    "vkCmdBindDescriptorSets COMPUTE set 0, 1 of them",
    "vkCmdDispatch ",
    "vkCmdFillBuffer 0",
    "vkCmdClearColorImage 1",
    "vkCmdCopyBuffer 1",
    "vkCmdResetQueryPool ",
    "vkCmdWriteTimestamp ",
];

/// Runs evaluates over a tapped device, the change applied to every frame, and returns the commands of each.
fn commands(change: impl Fn(&mut Frame<'_>)) -> Vec<Vec<String>> {
    let mut stage = Stage::new("llvmpipe");
    tap::reset();
    let mut handles = engine_handles(stage.host());
    handles.get_instance_proc_addr = tap::through_tap(handles.get_instance_proc_addr);
    // SAFETY: the stage outlives the device.
    let device = unsafe { Device::from_host(handles) }.unwrap();
    let mut context = Context::new(&device, settings(RENDER, OUTPUT)).unwrap();
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    let mut recorded = Vec::new();
    for index in 0..3 {
        let mut frame = inputs.frame(index);
        change(&mut frame);
        let before = tap(|tap| std::mem::take(&mut tap.commands));
        assert_eq!(before, Vec::<String>::new());
        let _ = stage.evaluate(&mut context, &frame);
        recorded.push(tap(|tap| std::mem::take(&mut tap.commands)));
    }
    stage.host().wait_idle();
    device.collect(LastFinished::Idle).unwrap();
    recorded
}

#[test]
fn only_compute_state_of_set_0_is_disturbed_in_the_first_and_in_later_frames() {
    let recorded = commands(|frame| {
        frame.wants_timings = true;
        frame.wants_statistics = true;
    });
    for (index, frame) in recorded.iter().enumerate() {
        for command in frame {
            assert!(
                ALLOWED.iter().any(|a| command.starts_with(a)),
                "frame {index}: {command}"
            );
        }
        assert_eq!(dispatches(frame), 4, "three passes and the statistics");
        // Each pipeline once, against what lavapipe keeps of it.
        let empty = frame.iter().filter(|c| *c == EMPTY).count();
        assert_eq!(empty, if index == 0 { 4 } else { 0 });
        let first = frame.first().unwrap();
        let last = frame.last().unwrap();
        assert!(
            first.starts_with("vkCmdPipelineBarrier ALL_COMMANDS -> "),
            "{first}"
        );
        assert!(
            last.starts_with("vkCmdPipelineBarrier") && last.contains("-> ALL_COMMANDS, 2 images"),
            "{last}"
        );
    }
    assert!(
        recorded[0].len() > recorded[1].len(),
        "the first frame clears"
    );
    let later: Vec<String> = recorded[2].iter().map(|c| renumbered(c)).collect();
    assert_eq!(recorded[1], later);
}

const EMPTY: &str = "vkCmdDispatch 0x0x0";

/// Dispatches that run something.
fn dispatches(commands: &[String]) -> usize {
    let is_counted = |c: &&String| c.starts_with("vkCmdDispatch") && *c != EMPTY;
    commands.iter().filter(is_counted).count()
}

/// Queries of a later slot as if of the second.
fn renumbered(command: &str) -> String {
    match command.strip_prefix("vkCmdWriteTimestamp ") {
        Some(number) => format!("vkCmdWriteTimestamp {}", number.parse::<u32>().unwrap() - 6),
        None => command.to_owned(),
    }
}

#[test]
fn a_refused_frame_records_nothing() {
    let recorded = commands(|frame| frame.jitter_px = [0.75, 0.0]);
    assert_eq!(recorded, vec![Vec::<String>::new(); 3]);
}

#[test]
fn a_declined_frame_records_only_the_first_blackness() {
    let recorded = commands(|frame| frame.exposure = Exposure::Scalar(f32::NAN));
    assert!(recorded[0]
        .iter()
        .any(|c| c.starts_with("vkCmdClearColorImage")));
    assert!(!recorded[0].iter().any(|c| c.starts_with("vkCmdDispatch")));
    assert_eq!(recorded[1..], [Vec::<String>::new(), Vec::new()]);
}

#[test]
fn a_bypassed_frame_runs_one_pass() {
    let recorded = commands(|frame| frame.bypass = Bypass::Enlarged);
    for frame in recorded {
        assert_eq!(dispatches(&frame), 1);
    }
}
