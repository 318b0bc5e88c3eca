//! One sample averaged over seeds is the reference; with reuse over time it is less noisy.

use crate::stage::{
    ball, block, look_at, material, matte, sphere_light, stage, world, Driver, SIZE,
};
use glam::{DVec3, Vec3};
use reconstruction_core::jitter;
use reconstruction_core::Size;
use reconstruction_scene::flat::{FlatWorld, INSTANCE_NEW, LIGHT_RECTANGLE};
use reconstruction_scene::renderer::{Plane, Request};

/// Balls from mirror to matte on a floor, a lamp, a panel and a sky.
fn mixed() -> FlatWorld {
    let lamp = Vec3::new(-1.5, 2.5, 0.5);
    let panel = Vec3::new(2.0, 1.5, -2.0);
    let instances = vec![
        block(Vec3::new(0.0, -1.0, 0.0), Vec3::new(6.0, 1.0, 6.0), 0),
        ball(Vec3::new(-1.4, 0.6, 0.0), 0.6, 1),
        ball(Vec3::new(0.0, 0.6, -0.4), 0.6, 2),
        ball(Vec3::new(1.4, 0.6, 0.0), 0.6, 3),
        ball(lamp, 0.3, 4),
        block(panel - Vec3::Z * 0.01, Vec3::new(0.7, 0.5, 0.01), 4),
    ];
    let materials = vec![
        material([0.7, 0.7, 0.6], 0.5, 0.0),
        material([0.9, 0.9, 0.9], 0.0, 1.0),
        material([0.9, 0.6, 0.3], 0.3, 1.0),
        material([0.3, 0.5, 0.9], 0.1, 0.0),
        matte([0.0; 3]),
    ];
    let mut rectangle = sphere_light(panel - Vec3::new(0.7, 0.5, 0.0), 0.0, [6.0, 6.0, 9.0], 5);
    rectangle.kind = LIGHT_RECTANGLE;
    rectangle.edge_u[..3].copy_from_slice(&[1.4, 0.0, 0.0]);
    rectangle.edge_v[..3].copy_from_slice(&[0.0, 1.0, 0.0]);
    let lights = vec![sphere_light(lamp, 0.3, [12.0, 10.0, 8.0], 4), rectangle];
    let view = look_at(Vec3::new(0.0, 1.6, 4.5), Vec3::new(0.0, 0.6, 0.0));
    world(view, 0.3, materials, instances, lights)
}

#[test]
fn one_sample_over_seeds_is_the_reference() {
    let world = mixed();
    let mut stage = stage(Driver::Lavapipe);
    let count = 1024;
    // Jitter of this many phases covers the pixel as the box filter does.
    let (one, many) = (Size::new(64, 64), Size::new(720, 720));
    let noisy = |seed: u32| Request::noisy(SIZE, jitter::halton(seed.into(), one, many), seed, 0);
    let average = stage.average(&world, count, noisy);
    let reference = stage.average(&world, 16, |seed| {
        Request::reference(SIZE, 5000 + seed, 0, 64)
    });
    // The reference's own noise, and half a bit of its halves.
    average.assert_is("seeds", 0.002, |pixel| {
        let own = reference.deviation[pixel] * 4.0;
        let nearest =
            average.mean[pixel].clamp(reference.mean[pixel] - own, reference.mean[pixel] + own);
        Some(nearest)
    });
    // What a missing bounce would do is far more than that.
    let direct = stage.average(&world, 4, |seed| Request {
        has_indirect: false,
        ..Request::reference(SIZE, seed, 0, 64)
    });
    let sum = |of: &[DVec3]| of.iter().sum::<DVec3>().y;
    assert!(
        sum(&direct.mean) < 0.99 * sum(&reference.mean),
        "{} {}",
        sum(&direct.mean),
        sum(&reference.mean)
    );
    assert!((sum(&average.mean) / sum(&reference.mean) - 1.0).abs() < 0.003);
}

#[test]
fn references_of_two_seeds_are_two_pictures_and_agree() {
    let world = mixed();
    let mut stage = stage(Driver::Lavapipe);
    let picture = |stage: &mut crate::stage::Stage, seed| {
        stage.plane(&world, Request::reference(SIZE, seed, 0, 256), Plane::Color)
    };
    let (a, b) = (picture(&mut stage, 1), picture(&mut stage, 2));
    assert_ne!(a, b);
    let tone = |x: f32| f64::from((1.0 + 8.0 * x).ln() / 9f32.ln());
    let squares: f64 = a
        .iter()
        .zip(&b)
        .map(|(a, b)| (tone(*a) - tone(*b)).powi(2))
        .sum();
    let psnr = -10.0 * (squares / (a.len() as f64 * 0.75)).log10();
    assert!(psnr > 34.0, "{psnr} dB");
}

#[test]
fn reuse_over_time_is_less_noisy_and_keeps_the_mean() {
    let world = mixed();
    let mut stage = stage(Driver::Lavapipe);
    let truth = stage.plane(
        &world,
        Request {
            has_indirect: false,
            ..Request::clean(SIZE, [0.0; 2], 9, 0, 1024)
        },
        Plane::Color,
    );
    let mut error = |is_reusing: bool| {
        stage.renderer.forget(3);
        let (mut squares, mut mean) = (0.0, 0.0);
        for frame in 0..24 {
            let history = Some(3);
            let request = Request {
                is_reusing,
                // Direct light from a single light sample: what reuse is for.
                candidates: 1,
                has_indirect: false,
                history,
                ..Request::noisy(SIZE, [0.0; 2], 4, frame)
            };
            let noisy = stage.plane(&world, request, Plane::Color);
            if frame >= 8 {
                for (a, b) in noisy.iter().zip(&truth) {
                    squares += f64::from((a.min(4.0) - b.min(4.0)).powi(2));
                    mean += f64::from(a - b);
                }
            }
        }
        (squares, mean / 16.0 / f64::from(truth.iter().sum::<f32>()))
    };
    let (plain, plain_mean) = error(false);
    let (reused, reused_mean) = error(true);
    assert!(reused < 0.7 * plain, "{reused} against {plain}");
    assert!(
        plain_mean.abs() < 0.02 && reused_mean.abs() < 0.04,
        "{plain_mean} {reused_mean}"
    );
}

#[test]
fn a_new_object_is_disoccluded_and_old_ones_are_not() {
    let mut world = mixed();
    let mut stage = stage(Driver::Lavapipe);
    stage.renderer.forget(4);
    let request = |frame| Request {
        history: Some(4),
        ..Request::noisy(SIZE, [0.0; 2], 1, frame)
    };
    let first = stage.plane(&world, request(0), Plane::Specular);
    assert!(
        first.chunks_exact(4).all(|texel| texel[3] == 1.0),
        "nothing was there before"
    );
    world.instances[2].flags |= INSTANCE_NEW;
    let second = stage.plane(&world, request(1), Plane::Specular);
    let hidden = second
        .chunks_exact(4)
        .filter(|texel| texel[3] == 1.0)
        .count();
    let diffuse = stage.plane(&world, request(2), Plane::Specular);
    // The new ball alone, whose specular albedo is that of no other thing: reddish.
    let of_ball = diffuse
        .chunks_exact(4)
        .filter(|texel| texel[0] > 1.2 * texel[2])
        .count();
    assert!(hidden > 10 && hidden == of_ball, "{hidden} {of_ball}");
}
