//! Light: high range, sparks, exposure, alpha, and values that are none.

mod stage;

use reconstruction_core::convention::{Alpha, ColorEncoding, Depth};
use reconstruction_core::frame_params::{Conventions, Exposure};
use stage::{assert_legal, pattern, rms, Stage, Surface};

fn spark(at: [f32; 2], size: f32, value: f32) -> Surface {
    let is_spark = (at[0] - 24.0).abs() < 0.5 * size && (at[1] - 16.0).abs() < 0.5 * size;
    Surface::grey(if is_spark { value } else { 0.01 })
}

#[test]
fn sparks_ring_neither_below_zero_nor_far() {
    for value in [5000.0, 65504.0] {
        for exposure in [Exposure::Auto, Exposure::Scalar(1.0)] {
            let mut stage = Stage::new([48, 32], [96, 64]);
            stage.exposure = exposure;
            for _ in 0..20 {
                let picture = stage.show(|at| spark(at, 1.0, value));
                assert_legal(&picture);
                for (i, texel) in picture.texels.iter().enumerate() {
                    let (x, y) = (i % 96, i / 96);
                    let is_far = x.abs_diff(48) > 6 || y.abs_diff(32) > 6;
                    assert!(
                        !is_far || (texel[0] - 0.01).abs() < 1e-3,
                        "{x}, {y}: {}",
                        texel[0]
                    );
                    assert!(texel[0] <= value * 1.001);
                }
            }
        }
    }
}

#[test]
fn no_dark_rim_follows_a_moving_light() {
    let mut stage = Stage::new([48, 32], [96, 64]);
    for frame in 0..16 {
        let t = frame as f32;
        let picture = stage.show(|at| {
            let (dx, dy) = (at[0] - 14.0 - 0.83 * t, at[1] - 12.0 - 0.37 * t);
            let is_lamp = dx * dx + dy * dy < 25.0;
            Surface::grey(if is_lamp { 20.0 } else { 0.2 }).moving([-0.83, -0.37])
        });
        for (i, texel) in picture.texels.iter().enumerate() {
            let place = (frame, i % 96, i / 96);
            assert!(texel[0] > 0.199, "frame, x, y {place:?}: {}", texel[0]);
        }
    }
}

#[test]
fn sparks_of_one_frame_are_gone_soon_and_stay_near() {
    for size in [1.0, 2.0, 3.0] {
        let mut stage = Stage::new([48, 32], [96, 64]);
        for _ in 0..12 {
            stage.show(|at| spark(at, size, 0.01));
        }
        for after in 0..8 {
            let picture = stage.show(|at| spark(at, size, if after == 0 { 10.0 } else { 0.01 }));
            for (i, texel) in picture.texels.iter().enumerate() {
                let (x, y) = (i % 96, i / 96);
                let is_far = x.abs_diff(48) > 8 || y.abs_diff(32) > 8;
                if is_far || after >= 6 {
                    assert!(
                        (texel[0] - 0.01).abs() < 0.02,
                        "size {size}, {after} frames later, {x}, {y}: {}",
                        texel[0]
                    );
                }
            }
        }
    }
}

/// The last of twelve frames of a scene of HDR range, moving a little, with colours times `factor`.
fn scaled(factor: f32, exposure: Exposure) -> reconstruction_shaders::cpu::Image {
    let mut stage = Stage::new([48, 32], [96, 64]);
    stage.exposure = exposure;
    let mut picture = None;
    for frame in 0..12 {
        let shift = 0.7 * frame as f32;
        picture = Some(stage.show(|at| {
            let x = at[0] - shift;
            let value = pattern([x, at[1]], 6.0);
            Surface::grey(factor * (0.05 + 30.0 * value * value * value)).moving([-0.7, 0.0])
        }));
    }
    picture.expect("twelve frames")
}

#[test]
fn a_power_of_two_passes_through_exactly() {
    for factor in [0.25f32, 8.0, 64.0] {
        for (one, other) in [
            (Exposure::Auto, Exposure::Auto),
            (Exposure::Scalar(1.0), Exposure::Scalar(1.0 / factor)),
        ] {
            let plain = scaled(1.0, one);
            let bright = scaled(factor, other);
            for (a, b) in plain.texels.iter().zip(&bright.texels) {
                for k in 0..3 {
                    assert_eq!(a[k] * factor, b[k], "factor {factor}");
                }
            }
        }
    }
}

#[test]
fn any_other_factor_passes_through_within_half_a_percent() {
    let plain = scaled(1.0, Exposure::Auto);
    for factor in [0.3f32, 1.7, 100.0] {
        let bright = scaled(factor, Exposure::Auto);
        let mean = |image: &reconstruction_shaders::cpu::Image| {
            image.texels.iter().map(|t| f64::from(t[1])).sum::<f64>()
        };
        let ratio = mean(&bright) / mean(&plain) / f64::from(factor);
        assert!((ratio - 1.0).abs() < 0.005, "factor {factor}: {ratio}");
        // A pixel that stands at a threshold may fall on its other side, so not quite all of them.
        let off = plain
            .texels
            .iter()
            .zip(&bright.texels)
            .filter(|(a, b)| (b[1] / (a[1] * factor) - 1.0).abs() > 0.005)
            .count();
        assert!(
            off * 100 <= plain.texels.len(),
            "factor {factor}: {off} pixels are off"
        );
    }
}

#[test]
fn a_jump_of_exposure_does_not_trail() {
    for factor in [64.0f32, 1.0 / 64.0] {
        let mut stage = Stage::new([48, 32], [96, 64]);
        stage.exposure = Exposure::Auto;
        let world =
            |factor: f32| move |at: [f32; 2]| Surface::grey(factor * (0.2 + pattern(at, 7.0)));
        for _ in 0..30 {
            stage.show(world(1.0));
        }
        let truth = stage.truth(world(factor));
        let mut settled = Stage::new([48, 32], [96, 64]);
        settled.exposure = Exposure::Auto;
        let mut picture = stage.show(world(factor));
        let mut alone = settled.show(world(factor));
        for _ in 0..7 {
            picture = stage.show(world(factor));
            alone = settled.show(world(factor));
        }
        let (error, best) = (rms(&picture, &truth), rms(&alone, &truth));
        assert!(
            error < 1.5 * best + 0.01 * f64::from(factor),
            "factor {factor}: {error}, without the jump {best}"
        );
    }
}

#[test]
fn pre_exposed_history_follows_a_changed_factor() {
    // The host doubles its pre-exposure: the stored colours double, the radiance does not change.
    let world = |factor: f32| move |at: [f32; 2]| Surface::grey(factor * (0.2 + pattern(at, 5.0)));
    let mut changed = Stage::new([48, 32], [96, 64]);
    let mut constant = Stage::new([48, 32], [96, 64]);
    for frame in 0..12 {
        let factor = if frame < 8 { 1.0 } else { 2.0 };
        changed.exposure = Exposure::PreExposed(factor);
        constant.exposure = Exposure::PreExposed(1.0);
        let picture = changed.show(world(factor));
        let reference = constant.show(world(1.0));
        if frame >= 8 {
            let doubled: f64 = picture.texels.iter().map(|t| f64::from(t[0])).sum();
            let plain: f64 = reference.texels.iter().map(|t| f64::from(t[0])).sum();
            assert!(
                (doubled / plain / 2.0 - 1.0).abs() < 0.01,
                "frame {frame}: {}",
                doubled / plain
            );
        }
    }
}

#[test]
fn the_mean_radiance_is_kept() {
    let mut stage = Stage::new([48, 32], [96, 64]);
    stage.exposure = Exposure::Auto;
    let world = |at: [f32; 2]| Surface::grey(0.1 + pattern(at, 4.0));
    let truth = stage.truth(world);
    let mean = |image: &reconstruction_shaders::cpu::Image| {
        image.texels.iter().map(|t| f64::from(t[1])).sum::<f64>()
    };
    let mut ratio = 0.0;
    for _ in 0..32 {
        ratio = mean(&stage.show(world)) / mean(&truth);
    }
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
}

#[test]
fn values_that_are_none_stay_where_they_are_and_die_out() {
    let specials = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let world = |at: [f32; 2]| Surface::grey(0.2 + pattern(at, 6.0));
    let near = |i: usize| (i % 96).abs_diff(48) <= 6 && (i / 96).abs_diff(32) <= 6;
    let mut sound = Stage::new([48, 32], [96, 64]);
    let truth = sound.truth(world);
    let worst = |picture: &reconstruction_shaders::cpu::Image| {
        (0..picture.texels.len())
            .filter(|&i| near(i))
            .map(|i| (picture.texels[i][0] - truth.texels[i][0]).abs())
            .fold(0.0, f32::max)
    };
    let expected: Vec<_> = (0..12).map(|_| sound.show(world)).collect();
    // What a view shows that lost all history in frame 6.
    let mut forgetful = Stage::new([48, 32], [96, 64]);
    forgetful.frame = 6;
    let lost: Vec<f32> = (6..12).map(|_| worst(&forgetful.show(world))).collect();
    for target in ["color", "motion", "depth"] {
        for special in specials {
            let mut hurt = Stage::new([48, 32], [96, 64]);
            for frame in 0..12 {
                let mut inputs = hurt.inputs(world);
                if frame == 6 {
                    let at = 16 * 48 + 24;
                    match target {
                        "color" => inputs.color.texels[at] = [special; 4],
                        "motion" => inputs.motion.texels[at] = [special; 4],
                        _ => inputs.depth.texels[at] = [special; 4],
                    }
                }
                let picture = hurt.show_inputs(inputs);
                assert_legal(&picture);
                for (i, (a, b)) in picture
                    .texels
                    .iter()
                    .zip(&expected[frame].texels)
                    .enumerate()
                {
                    assert!(
                        near(i) || a == b,
                        "{target} {special} frame {frame} at {i}: {a:?} {b:?}"
                    );
                }
                if frame > 8 {
                    let error = worst(&picture);
                    let bound = lost[frame - 6];
                    assert!(
                        error <= 1.1 * bound,
                        "{target} {special} frame {frame}: {error}, without history {bound}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_frame_of_values_that_are_none_is_no_worse_than_lost_history() {
    let world = |at: [f32; 2]| Surface::grey(0.2 + pattern(at, 6.0));
    let automatic = || {
        let mut stage = Stage::new([48, 32], [96, 64]);
        stage.exposure = Exposure::Auto;
        stage
    };
    let truth = automatic().truth(world);
    let mut forgetful = automatic();
    // No sample in frame 6: what follows is at best a view that began in frame 7.
    forgetful.frame = 7;
    let lost: Vec<f64> = (7..12)
        .map(|_| rms(&forgetful.show(world), &truth))
        .collect();
    for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, -1e38] {
        for target in ["color", "motion", "depth", "all"] {
            let mut hurt = automatic();
            for frame in 0..12 {
                let mut inputs = hurt.inputs(world);
                if frame == 6 {
                    for (name, image) in [
                        ("color", &mut inputs.color),
                        ("motion", &mut inputs.motion),
                        ("depth", &mut inputs.depth),
                    ] {
                        if target == name || target == "all" {
                            image.texels.fill([special; 4]);
                        }
                    }
                }
                let picture = hurt.show_inputs(inputs);
                assert_legal(&picture);
                if frame > 7 {
                    let (error, bound) = (rms(&picture, &truth), lost[frame - 7]);
                    assert!(
                        error <= 1.1 * bound,
                        "{target} {special} frame {frame}: {error}, without history {bound}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_frame_without_any_sample_shows_the_history() {
    for step in [[0.0, 0.0], [0.8, 0.3]] {
        let mut stage = Stage::new([48, 32], [96, 64]);
        let mut before = 0.0;
        for frame in 0..10 {
            let t = frame as f32;
            let world = |at: [f32; 2]| {
                Surface::grey(0.2 + pattern([at[0] - step[0] * t, at[1] - step[1] * t], 6.0))
                    .moving([-step[0], -step[1]])
            };
            let mut inputs = stage.inputs(world);
            if frame == 8 {
                inputs.color.texels.fill([f32::NAN; 4]);
            }
            let (mut picture, mut truth) = (stage.show_inputs(inputs), stage.truth(world));
            // What comes in over the border has no history.
            for i in (0..96 * 64).filter(|i| i % 96 < 3 || i / 96 < 3) {
                picture.texels[i] = [0.0; 4];
                truth.texels[i] = [0.0; 4];
            }
            let error = rms(&picture, &truth);
            assert!(
                frame < 8 || error < 1.25 * before,
                "step {step:?}, frame {frame}: {error}, before {before}"
            );
            before = error;
        }
    }
}

#[test]
fn alpha_follows_its_rule() {
    // A disc of premultiplied colour whose alpha falls off towards its rim, over nothing.
    let disc = |at: [f32; 2]| {
        let alpha = (1.4 - (at[0] - 24.0).hypot(at[1] - 16.0) / 8.0).clamp(0.0, 1.0);
        (alpha, Surface::grey(0.8 * alpha))
    };
    for rule in [Alpha::Ignore, Alpha::Reconstruct, Alpha::CopyNearest] {
        let mut stage = Stage::with(
            [48, 32],
            [96, 64],
            Conventions {
                depth: Depth::ViewLinear,
                alpha: rule,
                ..Conventions::default()
            },
        );
        let mut last: Option<reconstruction_shaders::cpu::Image> = None;
        for frame in 0..40 {
            let mut inputs = stage.inputs(|at| disc(at).1);
            let jitter = inputs.jitter_px;
            for (i, texel) in inputs.color.texels.iter_mut().enumerate() {
                let at = [
                    (i % 48) as f32 + 0.5 - jitter[0],
                    (i / 48) as f32 + 0.5 - jitter[1],
                ];
                texel[3] = disc(at).0;
            }
            let picture = stage.show_inputs(inputs);
            assert_legal(&picture);
            assert!(picture.texels.iter().all(|t| t[3] <= 1.0));
            match rule {
                Alpha::Ignore => assert!(picture.texels.iter().all(|t| t[3] == 1.0)),
                Alpha::Reconstruct => {
                    // No colour where there is no alpha, and alpha does not tremble once settled.
                    assert!(picture.texels.iter().all(|t| t[3] > 0.0 || t[0] == 0.0));
                    if let (Some(last), true) = (&last, frame > 24) {
                        let worst = picture
                            .texels
                            .iter()
                            .zip(&last.texels)
                            .map(|(a, b)| (a[3] - b[3]).abs())
                            .fold(0.0, f32::max);
                        assert!(worst < 0.02, "frame {frame}: {worst}");
                    }
                }
                Alpha::CopyNearest => assert_eq!(picture.texels[32 * 96 + 48][3], 1.0),
            }
            last = Some(picture);
        }
    }
}

#[test]
fn encoded_input_comes_back_encoded() {
    let mut stage = Stage::with(
        [48, 32],
        [96, 64],
        Conventions {
            depth: Depth::ViewLinear,
            color_encoding: ColorEncoding::SrgbLdr,
            ..Conventions::default()
        },
    );
    for value in [0.0f32, 0.02, 0.25, 0.5, 1.0] {
        let picture = stage.show(|_| Surface::grey(value));
        for _ in 0..8 {
            stage.show(|_| Surface::grey(value));
        }
        let settled = stage.show(|_| Surface::grey(value));
        assert_legal(&picture);
        assert!(
            (settled.texels[100][0] - value).abs() < 2e-3,
            "{value}: {}",
            settled.texels[100][0]
        );
    }
}
