//! When history begins anew, and what the output shows meanwhile.

use crate::passes::{assert_equal_bits, assert_same};
use crate::stage::{Inputs, Stage, DRIVERS, FORMATS};
use reconstruction_core::convention::{Bypass, Depth, ResetReason};
use reconstruction_core::Size;
use reconstruction_engine::{Conventions, Exposure, Frame, Outcome};
use reconstruction_shaders::cpu::CpuContext;

const RENDER: Size = Size::new(40, 40);
const OUTPUT: Size = Size::new(64, 64);

/// The reset of the frame behind five good ones, changed.
fn reset_of(change: impl Fn(&mut Frame<'static>, &Inputs), pauses: u64) -> ResetReason {
    let mut stage = Stage::new("llvmpipe");
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    let others = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 2);
    for index in 0..5 {
        stage.evaluate(&mut context, &inputs.frame(index)).unwrap();
    }
    for _ in 0..pauses {
        let begun = stage.host().begin_frame().unwrap();
        stage.host().submit(begun).unwrap();
    }
    let mut frame = inputs.frame(5);
    change(&mut frame, &others);
    let outcome = stage.evaluate(&mut context, &frame).unwrap();
    let Outcome::Reconstructed {
        reset,
        frames_since_reset,
    } = outcome
    else {
        panic!("{outcome:?}")
    };
    assert_eq!(frames_since_reset == 0, reset != ResetReason::None);
    let last = context.last_reset().unwrap();
    if reset != ResetReason::None {
        assert_eq!((last.frame_index, last.reason), (frame.frame_index, reset));
        assert_eq!(last.text, frame.reset.unwrap_or_default());
        assert!(context.status_line().contains(&format!("{reset:?}")));
    } else {
        assert_eq!((last.frame_index, last.reason), (0, ResetReason::First));
    }
    reset
}

#[test]
fn each_cause_alone_resets() {
    assert_eq!(reset_of(|_, _| {}, 0), ResetReason::None);
    assert_eq!(
        reset_of(|f, _| f.reset = Some("a cut"), 0),
        ResetReason::Requested
    );
    assert_eq!(reset_of(|f, _| f.revision = 1, 0), ResetReason::Revision);
    assert_eq!(
        reset_of(|f, other| f.color = other.frame(5).color, 0),
        ResetReason::InputReplaced
    );
    assert_eq!(
        reset_of(|f, _| f.frame_index = 6, 0),
        ResetReason::IndexSkipped
    );
    assert_eq!(
        reset_of(|f, _| f.frame_index = 4, 0),
        ResetReason::IndexRepeated
    );
    assert_eq!(
        reset_of(|f, _| f.frame_index = 1, 0),
        ResetReason::IndexDecreased
    );
    assert_eq!(
        reset_of(|f, _| f.conventions.depth = Depth::ViewLinear, 0),
        ResetReason::ConventionChanged
    );
    assert_eq!(reset_of(|_, _| {}, 1), ResetReason::Resumed);
    assert_eq!(
        reset_of(|f, _| f.exposure = Exposure::Scalar(64.0), 0),
        ResetReason::None
    );
}

#[test]
fn a_declined_frame_keeps_the_picture_and_the_next_good_one_resets() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let mut context = stage.context(RENDER, OUTPUT);
        let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
        let output = context.output().unwrap();

        let mut dark = inputs.frame(0);
        dark.depth = None;
        let outcome = stage.evaluate(&mut context, &dark).unwrap();
        let Outcome::Declined(reason) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(reason.starts_with("depth: expected an image"), "{reason}");
        let black: Vec<u16> = [0, 0, 0, 0x3c00].repeat(OUTPUT.area() as usize);
        assert_same(
            &stage.download(&output),
            &black,
            "black before the first picture",
        );

        for index in 1..4 {
            stage.evaluate(&mut context, &inputs.frame(index)).unwrap();
        }
        let before = stage.download(&output);
        assert_ne!(before, black);
        for (index, exposure) in [
            (4, Exposure::Scalar(f32::NAN)),
            (5, Exposure::Scalar(0.0)),
            (6, Exposure::PreExposed(f32::INFINITY)),
        ] {
            let mut frame = inputs.frame(index);
            frame.exposure = exposure;
            let outcome = stage.evaluate(&mut context, &frame).unwrap();
            let Outcome::Declined(reason) = outcome else {
                panic!("{outcome:?}")
            };
            assert!(
                reason.starts_with("exposure: ") && reason.is_ascii(),
                "{reason}"
            );
            assert_eq!(context.last_decline(), Some(reason.as_str()));
        }
        assert_same(&stage.download(&output), &before, "the last picture stays");
        let outcome = stage.evaluate(&mut context, &inputs.frame(7)).unwrap();
        let reset = ResetReason::AfterDecline;
        assert_eq!(
            outcome,
            Outcome::Reconstructed {
                reset,
                frames_since_reset: 0
            }
        );
    }
}

#[test]
fn bypass_shows_the_input_from_the_first_frame_and_its_end_resets() {
    for driver in DRIVERS {
        let mut stage = Stage::new(driver);
        let mut context = stage.context(RENDER, OUTPUT);
        let mut reference = CpuContext::new(context.sizes(), Conventions::default());
        let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
        let bypasses = [true, true, false, false, true, false, false];
        let mut resets = Vec::new();
        for (index, bypassed) in (0..).zip(bypasses) {
            let mut frame = inputs.frame(index);
            if bypassed {
                frame.bypass = Bypass::Enlarged;
                // A host that only shows the source has no guides.
                (frame.depth, frame.motion) = (None, None);
            }
            match stage.evaluate(&mut context, &frame).unwrap() {
                Outcome::Reconstructed { reset, .. } => resets.push((index, reset)),
                outcome => assert!(bypassed && outcome == Outcome::Bypassed, "{outcome:?}"),
            }
            reference.evaluate(inputs.cpu_frame(&frame));
            assert_equal_bits(
                &mut stage,
                &context,
                &reference,
                &format!("{driver} frame {index}"),
            );
        }
        let none = ResetReason::None;
        let ended = ResetReason::BypassEnded;
        assert_eq!(resets, [(2, ended), (3, none), (5, ended), (6, none)]);
    }
}

#[test]
fn the_source_of_a_native_context_is_shown_as_it_is() {
    let mut stage = Stage::new("SwiftShader");
    let mut context = stage.context(OUTPUT, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, OUTPUT, OUTPUT, 1);
    let mut frame = inputs.frame(0);
    frame.bypass = Bypass::Source;
    stage.evaluate(&mut context, &frame).unwrap();
    let picture = stage.download(&context.output().unwrap());
    let source: Vec<u16> = inputs.cpu[0]
        .texels
        .iter()
        .flat_map(|t| [t[0], t[1], t[2], 1.0])
        .map(|v| half::f16::from_f32(v).to_bits())
        .collect();
    assert_same(&picture, &source, "source");
}
