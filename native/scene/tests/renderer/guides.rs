//! Guides against the CPU's rays through the same worlds, and against the light they explain.

use crate::stage::{
    ball, block, center_ray, disc, look_at, material, stage, world, Driver, DRIVERS, FAR, NEAR,
    SIZE,
};
use glam::{Vec2, Vec3};
use reconstruction_core::convention::Depth;
use reconstruction_scene::demo;
use reconstruction_scene::flat::FlatWorld;
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::renderer::{Plane, Request};
use reconstruction_scene::trace;
use std::sync::Arc;

#[test]
fn a_mirror_tells_how_far_the_wall_is() {
    // A mirror at z = 0 before the camera, a wall at z = 6 behind it.
    let instances = vec![
        block(Vec3::new(0.0, 0.0, -1.0), Vec3::new(20.0, 20.0, 1.0), 0),
        block(Vec3::new(0.0, 0.0, 7.0), Vec3::new(40.0, 40.0, 1.0), 1),
    ];
    let materials = vec![material([1.0; 3], 0.0, 1.0), material([0.5; 3], 1.0, 0.0)];
    let view = look_at(Vec3::new(0.0, 0.0, 2.0), Vec3::ZERO);
    let world = world(view, 1.0, materials, instances, Vec::new());
    for driver in DRIVERS {
        let request = Request::noisy(SIZE, [0.0; 2], 1, 0);
        let distances = stage(driver).plane(&world, request, Plane::HitDistance);
        for (pixel, distance) in distances.iter().enumerate() {
            let (_, direction) = center_ray(&world, pixel);
            let expected = 6.0 / -direction.z;
            let off = (f64::from(*distance) / expected - 1.0).abs();
            assert!(
                off < 1e-3,
                "{driver:?}: pixel {pixel}: {distance} for {expected}"
            );
        }
    }
}

#[test]
fn a_thin_disc_is_flat_all_over() {
    // As thin as a mirror on a wall, and seen from afar: rounding moves points through it.
    let center = Vec3::new(-3.0, 1.6, -5.0);
    let disc = disc(center, Vec3::new(0.9, 0.012, 0.9), 0);
    let view = look_at(center + Vec3::new(0.3, 4.0, 0.2), center);
    let materials = vec![material([0.5; 3], 0.0, 1.0)];
    let world = world(view, 1.0, materials, vec![disc], Vec::new());
    for driver in DRIVERS {
        let request = Request::noisy(SIZE, [0.0; 2], 1, 0);
        let normals = stage(driver).plane(&world, request, Plane::Normal);
        // The sky counts as rough.
        let seen: Vec<&[f32]> = normals.chunks(4).filter(|n| n[3] == 0.0).collect();
        assert!(seen.len() > 40, "{driver:?}: {} pixels", seen.len());
        for n in seen {
            assert!(n[1] > 0.999, "{driver:?}: {n:?}");
        }
    }
}

#[test]
fn depth_is_stored_in_every_way() {
    let instances = vec![ball(Vec3::ZERO, 1.0, 0)];
    let view = look_at(Vec3::new(0.0, 0.0, 3.0), Vec3::ZERO);
    let world = world(
        view,
        1.0,
        vec![material([0.5; 3], 1.0, 0.0)],
        instances,
        Vec::new(),
    );
    let mut stage = stage(Driver::Lavapipe);
    let mut depth_of = |depth| {
        let request = Request {
            depth,
            ..Request::noisy(SIZE, [0.0; 2], 1, 0)
        };
        stage.plane(&world, request, Plane::Depth)
    };
    let linear = depth_of(Depth::ViewLinear);
    let kinds = [
        Depth::Hardware,
        Depth::HardwareReversed,
        Depth::HardwareReversedInfinite,
    ];
    let [hardware, reversed, infinite] = kinds.map(depth_of);
    let mut surfaces = 0;
    for i in 0..linear.len() {
        let z = f64::from(linear[i]);
        if linear[i] == 65504.0 {
            assert_eq!((hardware[i], reversed[i], infinite[i]), (1.0, 0.0, 0.0));
            continue;
        }
        surfaces += 1;
        let (near, far) = (f64::from(NEAR), f64::from(FAR));
        let expected = far / (far - near) * (1.0 - near / z);
        for (got, expected) in [
            (hardware[i], expected),
            (reversed[i], 1.0 - expected),
            (infinite[i], near / z),
        ] {
            assert!(
                (f64::from(got) - expected).abs() < 1e-6,
                "{got} for {expected} at {z}"
            );
        }
    }
    assert!(surfaces > 50 && surfaces < linear.len());
    let middle = linear[(SIZE.height / 2 * SIZE.width + SIZE.width / 2) as usize];
    assert!((middle - 2.0).abs() < 0.01, "{middle}");
}

/// Each demo scene in the middle of its motion.
fn demos() -> Vec<(&'static str, FlatWorld)> {
    let aspect = SIZE.width as f32 / SIZE.height as f32;
    let flat = |name: &'static str| {
        let mut flattener = Flattener::new(Arc::new(demo::world(name).unwrap()), aspect).unwrap();
        flattener.frame(6);
        (name, flattener.frame(7).clone())
    };
    demo::NAMES.into_iter().map(flat).collect()
}

#[test]
fn places_and_motion_are_those_of_the_cpu() {
    let jitter = [0.25, -0.375];
    for (name, world) in demos() {
        let request = Request {
            depth: Depth::ViewLinear,
            ..Request::noisy(SIZE, jitter, 1, 7)
        };
        let mut stage = stage(Driver::Lavapipe);
        let rendered = stage.render(&world, vec![request]);
        let depth = rendered.floats(0, 0, Plane::Depth).unwrap();
        let motion = rendered.floats(0, 0, Plane::Motion).unwrap();
        let mut differing = 0;
        for pixel in 0..depth.len() {
            let at = Vec2::new(
                (pixel as u32 % SIZE.width) as f32,
                (pixel as u32 / SIZE.width) as f32,
            );
            let ray = trace::camera_ray(&world.camera, at + 0.5 - Vec2::from(jitter), SIZE);
            let hit = trace::nearest_hit(&world, ray, 0.0, f32::INFINITY);
            let (expected_z, expected_motion) = match &hit {
                Some(hit) => {
                    let view = glam::Mat4::from_cols_array(&world.camera.world_to_view);
                    let z = -view.transform_point3(hit.position).z;
                    (z, trace::surface_motion_px(&world, hit, SIZE))
                }
                None => (
                    65504.0,
                    trace::sky_motion_px(&world.camera, ray.direction, SIZE),
                ),
            };
            let off =
                (Vec2::new(motion[2 * pixel], motion[2 * pixel + 1]) - expected_motion).length();
            if (depth[pixel] / expected_z - 1.0).abs() > 1e-3 || off > 0.01 {
                differing += 1;
            }
        }
        // Rays that graze an edge may fall on either side of it.
        assert!(
            differing <= 3,
            "{name}: {differing} pixels of {}",
            depth.len()
        );
    }
}

#[test]
fn guides_are_legal_and_explain_the_colour() {
    for (name, world) in demos() {
        let request = Request {
            planes: Plane::ALL.to_vec(),
            ..Request::noisy(SIZE, [0.0; 2], 1, 7)
        };
        let mut stage = stage(Driver::Lavapipe);
        let rendered = stage.render(&world, vec![request]);
        let planes = Plane::ALL.map(|plane| (plane, rendered.floats(0, 0, plane).unwrap()));
        let of = |wanted| &planes.iter().find(|(plane, _)| *plane == wanted).unwrap().1;
        for (plane, values) in &planes {
            assert!(values.iter().all(|v| v.is_finite()), "{name}: {plane:?}");
        }
        for pixel in 0..SIZE.area() as usize {
            let texel = |plane| &of(plane)[4 * pixel..4 * pixel + 4];
            let normal = texel(Plane::Normal);
            let length = normal[..3].iter().map(|v| v * v).sum::<f32>().sqrt();
            assert!(
                (length - 1.0).abs() < 2e-3,
                "{name}: pixel {pixel}: normal of length {length}"
            );
            for plane in [Plane::Diffuse, Plane::Specular] {
                assert!(
                    texel(plane).iter().all(|v| (0.0..=1.0).contains(v)),
                    "{name}: {plane:?}"
                );
            }
            let emissive = texel(Plane::Emissive);
            for c in 0..3 {
                let light = texel(Plane::Diffuse)[c] * texel(Plane::Irradiance)[c]
                    + texel(Plane::SpecularLight)[c];
                let color = texel(Plane::Color)[c];
                // Particles hide light and bring their own, which is in the emissive layer.
                let expected = light * (1.0 - emissive[3]) + emissive[c];
                let off = (color - expected).abs();
                assert!(
                    off <= 0.004 * (color + light) + 1e-4,
                    "{name}: pixel {pixel}: {color} for {expected}"
                );
            }
        }
    }
}
