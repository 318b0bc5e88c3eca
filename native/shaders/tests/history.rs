//! History where it must end: cuts, switched lights, resets, bypass.

mod stage;

use reconstruction_core::convention::Bypass;
use stage::{pattern, rms, Stage, Surface};

fn first_scene(at: [f32; 2]) -> Surface {
    Surface::grey(2.0 * pattern(at, 6.0))
}

fn second_scene(at: [f32; 2]) -> Surface {
    Surface::grey(0.3 * pattern([at[1], at[0]], 9.0))
}

#[test]
fn a_reset_frame_shows_nothing_of_the_frames_before() {
    let mut cut = Stage::new([48, 32], [96, 64]);
    for _ in 0..10 {
        cut.show(first_scene);
    }
    let mut fresh = Stage::new([48, 32], [96, 64]);
    fresh.frame = cut.frame;
    for frame in 0..6 {
        let mut inputs = cut.inputs(second_scene);
        inputs.reset = frame == 0;
        let expected = fresh.show(second_scene);
        assert_eq!(
            cut.show_inputs(inputs),
            expected,
            "frame {frame} after the cut"
        );
    }
}

#[test]
fn a_cut_without_reset_is_gone_in_a_few_frames() {
    let mut stage = Stage::new([48, 32], [96, 64]);
    for _ in 0..30 {
        stage.show(first_scene);
    }
    let truth = stage.truth(second_scene);
    let old = rms(&stage.truth(first_scene), &truth);
    let mut error = old;
    for _ in 0..6 {
        error = rms(&stage.show(second_scene), &truth);
    }
    assert!(error < 0.05 * old, "{error} of {old} is left");
}

#[test]
fn a_wire_that_is_switched_off_leaves_no_outline() {
    let wire = |at: [f32; 2], value: f32| {
        let is_wire = (at[0] - 20.25).abs() < 0.25 || (at[1] - 11.75).abs() < 0.25;
        Surface::grey(if is_wire { value } else { 0.02 })
    };
    let mut stage = Stage::new([48, 32], [96, 64]);
    for _ in 0..12 {
        stage.show(|at| wire(at, 1.0));
    }
    let dark = stage.truth(|at| wire(at, 0.02));
    let lit = stage.truth(|at| wire(at, 1.0));
    let full: f64 = rms(&lit, &dark);
    let mut left = full;
    for _ in 0..5 {
        left = rms(&stage.show(|at| wire(at, 0.02)), &dark);
    }
    assert!(left < 0.05 * full, "{} of the wire is left", left / full);
}

#[test]
fn a_hull_that_goes_dark_leaves_no_outline() {
    // A solid body with a bright, thin rim over dark ground: its light goes out, the body stays, nothing moves.
    const RIM: f32 = 4.0;
    let hull = |at: [f32; 2], light: f32| {
        let radius = (at[0] - 24.3).hypot((at[1] - 15.6) * 1.3);
        if radius > 11.5 {
            return Surface::grey(0.02);
        }
        let reflected = if radius > 11.0 { RIM } else { 1.0 };
        Surface::grey(light * reflected).at_depth(4.0)
    };
    for render in [[96, 64], [64, 43], [48, 32], [32, 22]] {
        let scale = render[0] as f32 / 48.0;
        let world = |light| move |at: [f32; 2]| hull([at[0] / scale, at[1] / scale], light);
        for lit_frames in [12, 64] {
            let mut stage = Stage::new(render, [96, 64]);
            let (lit, dark) = (stage.truth(world(1.0)), stage.truth(world(0.03)));
            let full = rms(&lit, &dark);
            let mut picture = stage.show(world(1.0));
            for _ in 1..lit_frames {
                picture = stage.show(world(1.0));
            }
            assert!(rms(&picture, &dark) > 0.8 * full, "the hull was not lit");
            for _ in 0..5 {
                picture = stage.show(world(0.03));
            }
            let left = rms(&picture, &dark) / full;
            assert!(left < 0.03, "{render:?}, {lit_frames} frames: {left} left");
            for (i, (got, wanted)) in picture.texels.iter().zip(&dark.texels).enumerate() {
                let excess = (got[0] - wanted[0]) / RIM;
                let place = (i % 96, i / 96);
                assert!(excess < 0.03, "{render:?} at {place:?}: {excess} left");
            }
        }
    }
}

#[test]
fn a_still_wire_keeps_its_light() {
    // The clamp of a single frame would erase what that frame's samples happen to miss.
    let wire = |at: [f32; 2]| {
        Surface::grey(if (at[0] - 20.2 - 0.1 * at[1]).abs() < 0.25 {
            1.0
        } else {
            0.02
        })
    };
    for render in [[48, 32], [32, 22]] {
        let scale = render[0] as f32 / 48.0;
        let world = |at: [f32; 2]| wire([at[0] / scale, at[1] / scale]);
        let mut stage = Stage::new(render, [96, 64]);
        let truth = stage.truth(world);
        let light = |image: &reconstruction_shaders::cpu::Image| {
            image
                .texels
                .iter()
                .map(|t| f64::from(t[0]) - 0.02)
                .sum::<f64>()
        };
        let wanted = light(&truth);
        for frame in 0..40 {
            let got = light(&stage.show(world));
            if frame >= 16 {
                let share = got / wanted;
                assert!(
                    (0.85..1.1).contains(&share),
                    "{render:?} frame {frame}: {share}"
                );
            }
        }
    }
}

#[test]
fn bypass_shows_the_input_and_its_end_begins_anew() {
    let mut stage = Stage::new([48, 32], [48, 32]);
    for _ in 0..8 {
        stage.show(first_scene);
    }
    let mut inputs = stage.inputs(second_scene);
    inputs.bypass = Bypass::Source;
    let source = inputs.color.clone();
    let shown = stage.show_inputs(inputs);
    for (got, given) in shown.texels.iter().zip(&source.texels) {
        let stored = reconstruction_core::exact::unpack_halves(
            reconstruction_core::exact::to_half(given[0]),
        )[0];
        assert_eq!(got[0], stored);
    }
    let mut fresh = Stage::new([48, 32], [48, 32]);
    fresh.frame = stage.frame;
    let expected = fresh.show(second_scene);
    assert_eq!(stage.show(second_scene), expected);
}
