//! Pictures that move: signs, parallax, sky, lines, particles, missing and wrong vectors.

mod stage;

use stage::{assert_legal, pattern, rms, Stage, Surface};

/// Error of the last of `frames` frames of a picture that moves by `step` render pixels a frame, with the motion
/// vectors transformed by `told`.
fn pan_error(step: [f32; 2], frames: i64, told: impl Fn([f32; 2]) -> [f32; 2]) -> f64 {
    let mut stage = Stage::new([64, 48], [128, 96]);
    let mut error = 0.0;
    for frame in 0..frames {
        let shift = [step[0] * frame as f32, step[1] * frame as f32];
        let world = |at: [f32; 2]| {
            let value = pattern([at[0] - shift[0], at[1] - shift[1]], 3.5);
            Surface::grey(value).moving(told([-step[0], -step[1]]))
        };
        let picture = stage.show(world);
        error = rms(&picture, &stage.truth(world));
    }
    error
}

#[test]
fn motion_points_to_the_previous_place_on_both_axes() {
    for step in [[4.0, 0.0], [0.0, 4.0], [3.0, -2.0], [0.4, 0.3]] {
        let right = pan_error(step, 10, |m| m);
        for (name, wrong) in [
            ("opposite sign", pan_error(step, 10, |m| [-m[0], -m[1]])),
            ("double", pan_error(step, 10, |m| [2.0 * m[0], 2.0 * m[1]])),
            ("half", pan_error(step, 10, |m| [0.5 * m[0], 0.5 * m[1]])),
        ] {
            assert!(
                right < wrong / 1.15,
                "step {step:?}: right {right}, {name} {wrong}"
            );
        }
    }
}

#[test]
fn moving_detail_is_sharper_than_one_frame() {
    let once = pan_error([1.3, 0.7], 1, |m| m);
    let settled = pan_error([1.3, 0.7], 12, |m| m);
    assert!(
        settled < once * 0.95,
        "first frame {once}, moving {settled}"
    );
}

/// How far a world is from its own mean: the error of a picture that lost all detail.
fn contrast(world: impl Fn([f32; 2]) -> Surface) -> f64 {
    let truth = Stage::new([64, 48], [128, 96]).truth(world);
    let mean =
        truth.texels.iter().map(|t| f64::from(t[0])).sum::<f64>() / truth.texels.len() as f64;
    let mut flat = truth.clone();
    flat.texels
        .fill([mean as f32, mean as f32, mean as f32, 1.0]);
    rms(&truth, &flat)
}

/// A near plane in front of a far one, the camera sliding sideways; `factor` scales the vectors told.
fn parallax_error(factor: f32) -> f64 {
    let mut stage = Stage::new([64, 48], [128, 96]);
    let mut error = 0.0;
    for frame in 0..12 {
        let t = frame as f32;
        let world = |at: [f32; 2]| {
            let near_x = at[0] + 3.0 * t;
            if (near_x * 0.1).rem_euclid(3.0) < 1.0 {
                Surface::grey(0.2 + 0.6 * pattern([near_x, at[1]], 4.0))
                    .at_depth(2.0)
                    .moving([3.0 * factor, 0.0])
            } else {
                Surface::grey(pattern([at[0] + 0.5 * t, at[1]], 5.0))
                    .at_depth(12.0)
                    .moving([0.5 * factor, 0.0])
            }
        };
        let picture = stage.show(world);
        assert_legal(&picture);
        error = rms(&picture, &stage.truth(world));
    }
    error
}

#[test]
fn parallax_is_clean_with_vectors_and_does_not_stick_without() {
    let right = parallax_error(1.0);
    let zero = parallax_error(0.0);
    let blurred = contrast(|at| Surface::grey(pattern(at, 4.5)));
    assert!(right < 0.5 * zero, "right {right}, zero {zero}");
    assert!(
        zero < blurred,
        "zero motion {zero}, all detail lost {blurred}"
    );
}

#[test]
fn stars_of_a_turning_sky_stay_sharp_with_its_motion() {
    let star_error = |told: f32| {
        let mut stage = Stage::new([64, 48], [128, 96]);
        let mut error = 0.0;
        for frame in 0..12 {
            let shift = 1.7 * frame as f32;
            let world = |at: [f32; 2]| {
                let (x, y) = (at[0] + shift, at[1]);
                let cell = [(x / 8.0).floor(), (y / 8.0).floor()];
                let star = [
                    8.0 * cell[0] + 4.0 + 2.0 * (cell[0] * 7.0 + cell[1]).sin(),
                    8.0 * cell[1] + 4.0 + 2.0 * (cell[1] * 5.0 - cell[0]).cos(),
                ];
                let is_star = (x - star[0]).hypot(y - star[1]) < 0.8;
                Surface::grey(if is_star { 3.0 } else { 0.01 })
                    .at_depth(65504.0)
                    .moving([1.7 * told, 0.0])
            };
            let picture = stage.show(world);
            error = rms(&picture, &stage.truth(world));
        }
        error
    };
    let (right, zero) = (star_error(1.0), star_error(0.0));
    assert!(right < 0.8 * zero, "right {right}, zero {zero}");
}

/// A dot of a swarm on a screen of 64 x 48 render pixels, as particles are: it adds light and has no vectors.
struct Dot {
    at: [f32; 2],
    width: f32,
    light: f32,
}

impl Dot {
    /// Dots of 1, 2 and 3 pixels, of three lights, each on its own way at 0.7 to 3.9 pixels a frame.
    fn of_swarm(index: u8, frame: i64) -> Self {
        let k = f32::from(index);
        let along = (0.7 + 0.11 * k) * frame as f32;
        let direction = (2.4 * k).sin_cos();
        Dot {
            at: [
                (7.3 * k + 3.1 + along * direction.1).rem_euclid(64.0),
                (11.7 * k + 5.2 + along * direction.0).rem_euclid(48.0),
            ],
            width: f32::from(1 + index % 3),
            light: [8.0, 2.0, 0.6][usize::from(index / 10)],
        }
    }

    /// Whether a place lies on the dot or at most `margin` beside it.
    fn is_at(&self, place: [f32; 2], margin: f32) -> bool {
        (0..2).all(|k| (place[k] - self.at[k]).abs() < 0.5 * self.width + margin)
    }
}

#[test]
fn thirty_moving_dots_leave_nothing_at_their_old_places() {
    let ground = |at: [f32; 2]| 0.2 + 0.1 * pattern(at, 9.0);
    let mut stage = Stage::new([64, 48], [128, 96]);
    let mut empty = Stage::new([64, 48], [128, 96]);
    // Frames since a dot was within a sample's reach of an output pixel.
    let mut since = vec![i64::MAX / 2; 128 * 96];
    let mut brightest = 0.0f32;
    for frame in 0..48 {
        let dots: Vec<Dot> = (0..30).map(|i| Dot::of_swarm(i, frame)).collect();
        let light = |at: [f32; 2]| -> f32 {
            let on = dots.iter().filter(|dot| dot.is_at(at, 0.0));
            on.map(|dot| dot.light).sum()
        };
        let picture = stage.show(|at| Surface::grey(ground(at) + light(at)));
        let without = empty.show(|at| Surface::grey(ground(at)));
        for (i, since) in since.iter_mut().enumerate() {
            let (x, y) = (i % 128, i / 128);
            let place = [0.5 * x as f32 + 0.25, 0.5 * y as f32 + 0.25];
            let is_near = dots.iter().any(|dot| dot.is_at(place, 1.5));
            *since = if is_near { 0 } else { *since + 1 };
            let left = (picture.texels[i][0] - without.texels[i][0]).abs();
            brightest = brightest.max(left);
            // A tenth of the faintest dot, after three frames.
            assert!(
                *since < 3 || left < 0.06,
                "frame {frame} at {x}, {y}, {since} frames later: {left}"
            );
        }
    }
    assert!(brightest > 4.0, "the dots were not seen: {brightest}");
}

#[test]
fn a_rectangle_without_motion_damages_only_itself() {
    let mut with_hole = Stage::new([64, 48], [128, 96]);
    let mut whole = Stage::new([64, 48], [128, 96]);
    for frame in 0..10 {
        let shift = 2.0 * frame as f32;
        let world =
            |at: [f32; 2]| Surface::grey(pattern([at[0] - shift, at[1]], 4.0)).moving([-2.0, 0.0]);
        let mut inputs = with_hole.inputs(world);
        for y in 16..32 {
            for x in 24..40 {
                inputs.motion.texels[y * 64 + x] = [0.0, 0.0, 0.0, 1.0];
            }
        }
        let damaged = with_hole.show_inputs(inputs);
        let good = whole.show(world);
        // History carries the damage along with the motion; what lies before it stays untouched.
        for y in 0..96 {
            for x in 0..128 {
                let is_near = (28..68).contains(&y) && x >= 44;
                if !is_near {
                    assert_eq!(
                        damaged.texels[y * 128 + x],
                        good.texels[y * 128 + x],
                        "frame {frame} at {x}, {y}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_pattern_that_scrolls_without_vectors_falls_back_to_the_current_frame() {
    let mut stage = Stage::new([64, 48], [128, 96]);
    let mut error = 0.0;
    let scrolled = |at: [f32; 2], frame: i32| {
        Surface::grey(pattern([at[0] - 2.0 * frame as f32, at[1]], 12.0))
    };
    for frame in 0..24 {
        let picture = stage.show(|at| scrolled(at, frame));
        assert_legal(&picture);
        error = rms(&picture, &stage.truth(|at| scrolled(at, frame)));
    }
    let behind = rms(
        &stage.truth(|at| scrolled(at, 23)),
        &stage.truth(|at| scrolled(at, 22)),
    );
    assert!(error < behind, "{error}, one frame behind {behind}");
}

#[test]
fn turning_lines_are_stable_with_vectors_of_their_own_surface() {
    // Lines of 1, 2 and 4 output pixels around the middle; vectors from each point's own rotation.
    let mut stage = Stage::new([64, 64], [128, 128]);
    let angle_step = 0.02f32;
    let mut errors = Vec::new();
    for frame in 0..16 {
        let angle = angle_step * frame as f32;
        let world = |at: [f32; 2]| {
            let (x, y) = (at[0] - 32.0, at[1] - 32.0);
            let (sin, cos) = angle.sin_cos();
            let v = -x * sin + y * cos;
            let on_line = [(-12.0, 0.25), (0.0, 0.5), (12.0, 1.0)]
                .iter()
                .any(|(place, half_width)| (v - place).abs() < *half_width);
            let (back_sin, back_cos) = (-angle_step).sin_cos();
            let prev = [x * back_cos - y * back_sin, x * back_sin + y * back_cos];
            Surface::grey(if on_line { 1.0 } else { 0.05 }).moving([prev[0] - x, prev[1] - y])
        };
        let picture = stage.show(world);
        errors.push(rms(&picture, &stage.truth(world)));
    }
    let settled = errors[8..].iter().sum::<f64>() / 8.0;
    assert!(
        settled < 0.85 * errors[0],
        "first {}, settled {settled}",
        errors[0]
    );
}

#[test]
fn vectors_that_point_outside_wrap_around_nowhere() {
    let mut stage = Stage::new([48, 32], [96, 64]);
    for frame in 0..8 {
        let picture = stage.show(|at| {
            let value = if at[0] > 46.0 { 50.0 } else { 0.1 };
            // Everything claims to have come from beyond the left border.
            Surface::grey(value).moving([-3.0, 0.0])
        });
        for y in 0..64 {
            let left = picture.texels[y * 96][0];
            assert!((left - 0.1).abs() < 0.01, "frame {frame}, row {y}: {left}");
        }
    }
}
