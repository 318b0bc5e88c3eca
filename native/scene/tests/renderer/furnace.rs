//! Energy: what reflects everything vanishes in front of an even sky, and a box adds up its bounces.

use crate::stage::{ball, block, look_at, material, matte, stage, world, Driver, DRIVERS, SIZE};
use glam::{DVec3, Vec3};
use reconstruction_scene::flat::FlatMaterial;
use reconstruction_scene::renderer::Request;

/// The mean of a white ball in front of a white sky; `slack` is what the fit of the environment BRDF may be off.
fn assert_vanishes(driver: Driver, what: &str, material: FlatMaterial, seeds: u32, slack: f64) {
    let view = look_at(Vec3::new(0.0, 0.0, 2.2), Vec3::ZERO);
    let ball = ball(Vec3::ZERO, 1.0, 0);
    let world = world(view, 1.0, vec![material], vec![ball], Vec::new());
    let average = stage(driver).average(&world, seeds, |seed| {
        Request::noisy(SIZE, [0.0; 2], seed, 0)
    });
    average.assert_is(&format!("{driver:?}: {what}"), slack, |_| Some(DVec3::ONE));
}

#[test]
fn white_vanishes_rough_and_mirror_metal_and_dielectric() {
    let white = [1.0; 3];
    for (driver, seeds) in [(Driver::Lavapipe, 1024), (Driver::SwiftShader, 128)] {
        for (what, roughness, metallic, slack) in [
            ("matte metal", 1.0, 1.0, 0.008),
            ("rough metal", 0.6, 1.0, 0.008),
            ("glossy metal", 0.2, 1.0, 0.008),
            ("mirror", 0.0, 1.0, 0.001),
            ("matte dielectric", 1.0, 0.0, 0.012),
            ("glossy dielectric", 0.2, 0.0, 0.012),
            ("varnish", 0.0, 0.0, 0.001),
        ] {
            assert_vanishes(
                driver,
                what,
                material(white, roughness, metallic),
                seeds,
                slack,
            );
        }
    }
}

#[test]
fn grey_does_not_vanish() {
    let view = look_at(Vec3::new(0.0, 0.0, 2.2), Vec3::ZERO);
    let ball = ball(Vec3::ZERO, 1.0, 0);
    let world = world(view, 1.0, vec![matte([0.5; 3])], vec![ball], Vec::new());
    let request = |seed| Request::noisy(SIZE, [0.0; 2], seed, 0);
    let average = stage(Driver::Lavapipe).average(&world, 64, request);
    let middle = average.mean[(SIZE.height / 2 * SIZE.width + SIZE.width / 2) as usize];
    assert!((middle - 0.5).abs().max_element() < 0.01, "{middle}");
}

#[test]
fn a_box_that_glows_adds_up_its_bounces() {
    // Inside a closed box every ray sees radiance e, reflected once and twice: e (1 + a + a^2).
    let albedo = DVec3::new(0.8, 0.5, 0.2);
    let mut walls = matte(albedo.as_vec3().to_array());
    walls.emission = [0.5, 0.5, 0.5, 0.0];
    let view = look_at(Vec3::new(0.2, 0.1, 0.3), Vec3::new(1.0, -0.5, -2.0));
    let room = block(Vec3::ZERO, Vec3::new(2.0, 1.5, 3.0), 0);
    let world = world(view, 7.0, vec![walls], vec![room], Vec::new());
    for (driver, seeds) in DRIVERS.into_iter().zip([1024, 128]) {
        for has_indirect in [false, true] {
            let request = |seed| Request {
                has_indirect,
                ..Request::noisy(SIZE, [0.0; 2], seed, 0)
            };
            let average = stage(driver).average(&world, seeds, request);
            let twice = if has_indirect {
                albedo * albedo
            } else {
                DVec3::ZERO
            };
            let expected = 0.5 * (DVec3::ONE + albedo + twice);
            average.assert_is(&format!("{driver:?}"), 0.001, |_| Some(expected));
        }
    }
}
