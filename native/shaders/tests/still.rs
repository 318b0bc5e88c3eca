//! Pictures that stand still: they settle, stay settled, and show what is there.

mod stage;

use stage::{assert_legal, largest_difference, pattern, rms, Stage, Surface};

/// Ratios of a 96 x 64 output, odd ones included.
const RATIOS: [[u32; 2]; 6] = [[96, 64], [72, 48], [70, 47], [64, 43], [48, 32], [32, 22]];

/// Black and white stripes, a wire and a disc: everything that fizzes.
fn thin_geometry(at: [f32; 2], render: [u32; 2]) -> Surface {
    let (u, v) = (at[0] / render[0] as f32, at[1] / render[1] as f32);
    let stripes = (u * 37.0 + v * 5.0).fract() < 0.5;
    let wire = (u - 0.3 - v * 0.37).abs() < 0.004;
    let disc = (u - 0.7).hypot((v - 0.5) * 0.67) < 0.1;
    Surface::grey(if wire || disc || (stripes && v > 0.7) {
        1.0
    } else {
        0.02
    })
}

#[test]
fn high_contrast_stills_do_not_fizz_at_any_ratio() {
    for render in RATIOS {
        let mut stage = Stage::new(render, [96, 64]);
        let world = |at| thin_geometry(at, render);
        let mut frames = Vec::new();
        for frame in 0..96 {
            let picture = stage.show(world);
            if frame >= 64 {
                frames.push(picture);
            }
        }
        let pixels = frames[0].texels.len();
        let mut variance = 0.0;
        for i in 0..pixels {
            let mean: f64 = frames
                .iter()
                .map(|f| f64::from(f.texels[i][1]))
                .sum::<f64>()
                / 32.0;
            variance += frames
                .iter()
                .map(|f| (f64::from(f.texels[i][1]) - mean).powi(2))
                .sum::<f64>()
                / 32.0;
        }
        let deviation = (variance / pixels as f64).sqrt();
        assert!(deviation < 0.02, "{render:?}: {deviation}");
    }
}

#[test]
fn a_settled_still_hardly_changes_from_frame_to_frame() {
    let mut stage = Stage::new([48, 32], [96, 64]);
    let world = |at| Surface::grey(pattern(at, 3.0));
    let mut last = stage.show(world);
    for frame in 1..64 {
        let picture = stage.show(world);
        if frame >= 32 {
            let change = rms(&picture, &last);
            assert!(change < 0.004, "frame {frame}: {change}");
        }
        last = picture;
    }
}

#[test]
fn detail_beyond_the_input_appears_within_sixteen_frames() {
    let mut stage = Stage::new([48, 32], [96, 64]);
    let world = |at| Surface::grey(pattern(at, 2.2));
    let truth = stage.truth(world);
    let first = rms(&stage.show(world), &truth);
    let mut error = first;
    for _ in 1..16 {
        error = rms(&stage.show(world), &truth);
    }
    assert!(
        error < first / 2.5,
        "first frame {first}, after sixteen {error}"
    );
}

#[test]
fn errors_fall_while_the_picture_stands_still() {
    for render in RATIOS {
        let mut stage = Stage::new(render, [96, 64]);
        let period = 2.5 * render[0] as f32 / 48.0;
        let world = |at| Surface::grey(pattern(at, period));
        let truth = stage.truth(world);
        let mut best = f64::MAX;
        for frame in 0..48 {
            let error = rms(&stage.show(world), &truth);
            if frame < 16 {
                // The jitter has not been round yet: the first frame's happens to be nearly centred.
                continue;
            }
            assert!(
                error < best * 1.1 + 0.002,
                "{render:?} frame {frame}: {error} after {best}"
            );
            best = best.min(error);
        }
    }
}

#[test]
fn flat_areas_keep_their_value_exactly() {
    for value in [0.001f32, 0.18, 1.0, 300.0, 60000.0] {
        let stored =
            reconstruction_core::exact::unpack_halves(reconstruction_core::exact::to_half(value))
                [0];
        let mut stage = Stage::new([48, 32], [96, 64]);
        for _ in 0..20 {
            let picture = stage.show(|_| Surface::grey(value));
            let worst = picture
                .texels
                .iter()
                .map(|t| (t[0] / stored - 1.0).abs())
                .fold(0.0, f32::max);
            assert!(worst <= 1.0 / 1024.0, "{value}: {worst}");
        }
    }
}

#[test]
fn a_feedback_loop_stays_finite_and_decays() {
    let mut stage = Stage::new([64, 64], [64, 64]);
    let mut fed = stage.truth(|at| Surface::grey(pattern(at, 9.0)));
    let mean = |image: &reconstruction_shaders::cpu::Image| {
        image.texels.iter().map(|t| f64::from(t[1])).sum::<f64>() / image.texels.len() as f64
    };
    let start = mean(&fed);
    let mut before = start;
    for _ in 0..200 {
        let mut inputs = stage.inputs(|_| Surface::grey(0.0));
        for (to, from) in inputs.color.texels.iter_mut().zip(&fed.texels) {
            *to = [from[0] * 0.98, from[1] * 0.98, from[2] * 0.98, 1.0];
        }
        fed = stage.show_inputs(inputs);
        assert_legal(&fed);
        let now = mean(&fed);
        assert!(now < before, "{now} after {before}");
        before = now;
    }
    // History answers with the mean of many frames, so the loop decays more slowly than 0.98 a frame.
    assert!(before < 0.9 * start, "{before} of {start} is left");
}

#[test]
fn an_unmoving_picture_without_jitter_is_not_disturbed() {
    let mut stage = Stage::new([64, 64], [64, 64]);
    let world = |at: [f32; 2]| Surface::grey(((at[0] as i32 + at[1] as i32) % 2) as f32);
    let mut last = None;
    for _ in 0..8 {
        let mut inputs = stage.inputs(|_| Surface::grey(0.0));
        inputs.jitter_px = [0.0; 2];
        for (i, texel) in inputs.color.texels.iter_mut().enumerate() {
            let color = world([(i % 64) as f32, (i / 64) as f32]).color;
            *texel = [color[0], color[1], color[2], 1.0];
        }
        let picture = stage.show_inputs(inputs);
        assert_legal(&picture);
        assert!(
            picture.texels.iter().all(|t| t[0] <= 1.001),
            "a checkerboard of 0 and 1 overshoots"
        );
        if let Some(last) = &last {
            assert!(largest_difference(&picture, last) < 2e-3);
        }
        last = Some(picture);
    }
}
