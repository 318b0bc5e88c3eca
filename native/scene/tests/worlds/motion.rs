//! Motion: where the same point was in the frame before, against double-precision projections of the description.

use glam::{DMat4, DVec2, DVec3, DVec4, Vec2, Vec3};
use proptest::prelude::*;
use reconstruction_core::size::Size;
use reconstruction_scene::flat::{FlatWorld, INSTANCE_NEW};
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::trace::{camera_ray, nearest_hit, sky_motion_px, surface_motion_px};
use reconstruction_scene::world::{
    CameraKey, CameraPath, Lifetime, Material, Motion, Move, Pose, Shape, Shot, World,
};
use reconstruction_scene::{demo, shapes};
use std::sync::Arc;

const SIZE: Size = Size::new(1920, 1080);
const ASPECT: f64 = 1920.0 / 1080.0;

/// Place of a point (w 1) or direction (w 0) in a frame's picture, in pixels, from the description alone.
fn project(world: &World, frame: u32, point: DVec4) -> DVec2 {
    let view = world.camera.at(f64::from(frame), &world.nodes);
    let p = view.world_to_view * point;
    let zoom = 1.0 / (view.fov_y / 2.0).tan();
    let ndc = DVec2::new(p.x * zoom / ASPECT, -p.y * zoom) / -p.z;
    (ndc * 0.5 + 0.5) * DVec2::new(f64::from(SIZE.width), f64::from(SIZE.height))
}

/// p + motion against the truth, for the surface or sky behind a place of the picture.
fn error_px(world: &World, flat: &FlatWorld, frame: u32, place: Vec2) -> f64 {
    let ray = camera_ray(&flat.camera, place, SIZE);
    let (motion, before) = match nearest_hit(flat, ray, 0.05, 1e3) {
        Some(hit) => {
            let body = &world.bodies[flat.instances[hit.instance].object as usize];
            let now = body.motion.at(f64::from(frame), &world.nodes);
            let was = body.motion.at(f64::from(frame - 1), &world.nodes);
            let point =
                was.transform_point3(now.inverse().transform_point3(hit.position.as_dvec3()));
            (surface_motion_px(flat, &hit, SIZE), point.extend(1.0))
        }
        None => (
            sky_motion_px(&flat.camera, ray.direction, SIZE),
            ray.direction.as_dvec3().extend(0.0),
        ),
    };
    let truth = project(world, frame - 1, before);
    ((place + motion).as_dvec2() - truth).length()
}

/// A field of turning, drifting, pulsing, stretched things before a camera that does everything at once.
fn busy_world() -> World {
    let mut world = World::empty("busy");
    let material = world.material(Material::matte(0.5, 0.5, 0.5));
    let stone = world.mesh(&shapes::boulder(3, 0.3, 2.0, 4));
    for i in 0..24u32 {
        let at = Vec3::new(
            (i % 6) as f32 * 1.4 - 3.5,
            (i / 6) as f32 * 1.2 - 1.8,
            -(((i * 7) % 5) as f32),
        );
        let pose = Pose::at(at.x, at.y, at.z)
            .scaled(
                0.3 + 0.1 * (i % 3) as f32,
                0.7,
                0.12 + 0.15 * (i % 4) as f32,
            )
            .turned(Vec3::new(1.0, 0.4, 0.2), 33.0 * i as f32);
        let step = match i % 6 {
            0 => Move::Drift(Vec3::new(0.03, -0.02, 0.05)),
            1 => Move::Spin {
                axis: Vec3::new(0.3, 1.0, 0.1),
                turn: 0.2,
            },
            2 => Move::Orbit {
                center: at + Vec3::X,
                axis: Vec3::Y,
                turn: -0.1,
            },
            3 => Move::Pulse {
                span: Vec3::new(0.3, 0.1, 0.5),
                period: 17.0,
                phase: 0.2,
            },
            4 => Move::Rock {
                axis: Vec3::Z,
                angle: 0.7,
                period: 23.0,
                phase: 0.4,
            },
            _ => Move::Sway {
                span: Vec3::new(0.2, 0.3, 0.1),
                period: 31.0,
                phase: 0.7,
            },
        };
        let shape = [Shape::Sphere, Shape::Box, Shape::Cylinder, stone][(i % 4) as usize];
        world.body(shape, material, Motion::from(pose).with(step));
    }
    let key = |frame: f32, eye: Vec3, roll: f32, fov: f32| CameraKey {
        frame,
        eye,
        target: Vec3::new(0.2 * frame / 30.0, 0.0, -1.0),
        roll,
        fov_y: fov,
    };
    world.camera = CameraPath::Shots(vec![Shot {
        from: 0,
        keys: vec![
            key(0.0, Vec3::new(-1.0, 0.3, 6.0), 0.0, 0.9),
            key(30.0, Vec3::new(2.0, 1.0, 5.0), 0.4, 1.1),
            key(60.0, Vec3::new(0.0, 2.0, 4.0), -0.2, 0.8),
        ],
        shake: 0.01,
    }]);
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_point_was_where_its_motion_says(frame in 1u32..60, places in prop::collection::vec((0.0f32..1920.0, 0.0f32..1080.0), 40)) {
        let world = busy_world();
        let flat = world.flatten(frame, ASPECT as f32).unwrap();
        for (x, y) in places {
            let error = error_px(&world, &flat, frame, Vec2::new(x, y));
            prop_assert!(error < 0.01, "{} px at {}, {}", error, x, y);
        }
    }
}

#[test]
fn demo_scenes_move_exactly() {
    for name in demo::NAMES {
        let mut world = demo::world(name).unwrap();
        // Lights have bodies outside the list of bodies; their motion is that of `Motion` alike.
        world.lights.clear();
        let flat = world.flatten(9, ASPECT as f32).unwrap();
        for i in 0..600u32 {
            let place = Vec2::new((i * 197 % 1920) as f32 + 0.3, (i * 89 % 1080) as f32 + 0.6);
            let error = error_px(&world, &flat, 9, place);
            assert!(error < 0.01, "{name}: {error} px at {place}");
        }
    }
}

#[test]
fn the_matrices_are_inverse_and_depth_runs_from_near_to_far() {
    let flat = busy_world().flatten(7, ASPECT as f32).unwrap();
    let mat = |m: &[f32; 16]| DMat4::from_cols_array(&m.map(f64::from));
    let product = mat(&flat.camera.world_to_view) * mat(&flat.camera.view_to_world);
    assert!(product.abs_diff_eq(DMat4::IDENTITY, 1e-5));
    let projection = mat(&flat.camera.projection);
    for (distance, depth) in [(flat.camera.near, 0.0), (flat.camera.far, 1.0)] {
        let clip = projection * DVec3::new(0.0, 0.0, -f64::from(distance)).extend(1.0);
        assert!((clip.z / clip.w - depth).abs() < 1e-5);
    }
}

#[test]
fn standing_still_is_exact() {
    let world = demo::world("gallery").unwrap();
    let mut flattener = Flattener::new(Arc::new(world), 16.0 / 9.0).unwrap();
    flattener.frame(47);
    let camera = flattener.frame(48).camera;
    assert_eq!(camera.world_to_view, camera.prev_world_to_view);
    assert_eq!(camera.projection, camera.prev_projection);
}

#[test]
fn the_frame_before_is_the_one_recorded_before() {
    let mut world = busy_world();
    world.bodies[3].lifetime = Lifetime {
        from: 12,
        until: 20,
    };
    let mut flattener = Flattener::new(Arc::new(world), 1.5).unwrap();
    let first = flattener.frame(5).clone();
    assert!(first.is_cut);
    assert!(first
        .instances
        .iter()
        .all(|i| i.to_world == i.prev_to_world && i.flags & INSTANCE_NEW == 0));
    let later = flattener.frame(12).clone();
    assert!(!later.is_cut);
    assert_eq!(later.camera.prev_world_to_view, first.camera.world_to_view);
    for instance in &later.instances {
        let before = first.instances.iter().find(|i| i.object == instance.object);
        match before {
            Some(before) => assert_eq!(instance.prev_to_world, before.to_world),
            None => assert_eq!(
                (instance.object, instance.flags & INSTANCE_NEW),
                (3, INSTANCE_NEW)
            ),
        }
    }
    assert_eq!(flattener.frame(20).instances.len(), first.instances.len());
}

#[test]
fn a_cut_has_no_frame_before() {
    let mut world = busy_world();
    let CameraPath::Shots(shots) = &mut world.camera else {
        panic!()
    };
    let mut second = shots[0].clone();
    second.from = 10;
    second.keys[0].eye = Vec3::new(5.0, 0.0, 5.0);
    shots.push(second);
    let mut flattener = Flattener::new(Arc::new(world), 1.5).unwrap();
    flattener.frame(9);
    let cut = flattener.frame(10);
    assert!(cut.is_cut);
    assert_eq!(cut.camera.world_to_view, cut.camera.prev_world_to_view);
    assert!(!flattener.frame(11).is_cut);
}
