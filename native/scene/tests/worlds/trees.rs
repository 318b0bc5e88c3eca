//! Trees against brute force.

use glam::{Quat, Vec3};
use proptest::prelude::*;
use reconstruction_scene::bvh::{self, Bounds};
use reconstruction_scene::flat::{FlatWorld, MAX_TREE_DEPTH};
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::shapes;
use reconstruction_scene::trace::{nearest_hit, nearest_hit_by_force, Ray};
use reconstruction_scene::world::{Material, Motion, Move, Pose, Shape, World};
use std::sync::Arc;

fn vector(range: std::ops::Range<f32>) -> impl Strategy<Value = Vec3> {
    (range.clone(), range.clone(), range).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

/// Bodies of every kind, turned, stretched and moving.
fn motions() -> impl Strategy<Value = Vec<(u8, Motion)>> {
    let motion = (
        vector(-4.0..4.0),
        vector(-1.0..1.0),
        0.1f32..6.2,
        vector(0.05..1.5),
        vector(-0.1..0.1),
    );
    prop::collection::vec((0u8..6, motion), 1..24).prop_map(|list| {
        list.into_iter()
            .map(|(kind, (place, axis, angle, scale, drift))| {
                let pose = Pose {
                    translation: place,
                    rotation: Quat::from_axis_angle(axis.normalize_or(Vec3::X), angle),
                    scale,
                };
                let spin = Move::Spin {
                    axis: Vec3::Y,
                    turn: 0.1,
                };
                (kind, Motion::from(pose).with(Move::Drift(drift)).with(spin))
            })
            .collect()
    })
}

fn world(motions: Vec<(u8, Motion)>) -> World {
    let mut world = World::empty("trees");
    let leaves = world.picture(shapes::leaf_picture(32, 7, 0.2, [0.3, 0.6, 0.2], 1));
    let plain = world.material(Material::matte(0.5, 0.5, 0.5));
    let holes = world.material(Material {
        alpha_cutoff: 0.5,
        pictures: reconstruction_scene::world::Pictures {
            base: Some(leaves),
            ..Default::default()
        },
        ..Material::matte(0.5, 0.5, 0.5)
    });
    let stone = world.mesh(&shapes::boulder(2, 0.4, 2.0, 9));
    let crown = world.mesh(&shapes::tree_crown(20, 0.4, 3));
    for (kind, motion) in motions {
        let (shape, material) = match kind {
            0 => (Shape::Sphere, plain),
            1 => (Shape::Box, plain),
            2 => (Shape::Cylinder, plain),
            3 => (crown, holes),
            _ => (stone, plain),
        };
        world.body(shape, material, motion);
    }
    world
}

fn check_rays(flat: &FlatWorld, rays: &[(Vec3, Vec3)]) -> std::result::Result<(), TestCaseError> {
    for &(from, to) in rays {
        let ray = Ray {
            origin: from,
            direction: (to - from).normalize_or(Vec3::X),
        };
        let by_tree = nearest_hit(flat, ray, 1e-4, 1e4).map(|hit| (hit.distance, hit.position));
        let by_force =
            nearest_hit_by_force(flat, ray, 1e-4, 1e4).map(|hit| (hit.distance, hit.position));
        prop_assert_eq!(by_tree, by_force);
    }
    Ok(())
}

fn rays() -> impl Strategy<Value = Vec<(Vec3, Vec3)>> {
    // Origins on a lattice as well: rays along axes and through planes of boxes.
    let lattice = (-8i32..8, -8i32..8, -8i32..8)
        .prop_map(|(x, y, z)| Vec3::new(x as f32, y as f32, z as f32));
    let point = prop_oneof![vector(-8.0..8.0), lattice];
    prop::collection::vec((point.clone(), point), 60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn trees_find_what_testing_everything_finds(motions in motions(), rays in rays()) {
        let flat = world(motions).flatten(3, 1.5).unwrap();
        check_rays(&flat, &rays)?;
    }

    #[test]
    fn refitted_trees_find_what_new_ones_find(motions in motions(), rays in rays(), frames in 2u32..60) {
        let world = Arc::new(world(motions));
        let mut flattener = Flattener::new(world.clone(), 1.5).unwrap();
        for frame in 0..frames {
            flattener.frame(frame);
        }
        let refitted = flattener.frame(frames);
        let anew = world.flatten(frames, 1.5).unwrap();
        check_rays(refitted, &rays)?;
        for &(from, to) in &rays {
            let ray = Ray { origin: from, direction: (to - from).normalize_or(Vec3::X) };
            let of = |flat: &FlatWorld| nearest_hit(flat, ray, 1e-4, 1e4)
                .map(|hit| (hit.distance, flat.instances[hit.instance].object));
            prop_assert_eq!(of(refitted), of(&anew));
        }
    }

    #[test]
    fn trees_are_never_too_deep(count in 1usize..3000, crowd in 0.0f32..1.0, seed in 0u64..1000) {
        // Boxes that crowd at a point by powers: the worst for planes at even distances.
        let mut state = seed | 1;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let bounds: Vec<Bounds> = (0..count)
            .map(|i| {
                let far = if draw() < crowd { 0.5f32.powi((i % 120) as i32) } else { 1.0 };
                let at = Vec3::new(draw(), draw(), draw()) * far;
                Bounds { min: at, max: at + Vec3::splat(0.01 * far) }
            })
            .collect();
        for leaf in [1, bvh::LEAF] {
            let tree = bvh::build(&bounds, leaf);
            prop_assert!(bvh::depth(&tree.nodes) <= MAX_TREE_DEPTH);
            prop_assert!(tree.nodes.iter().all(|node| node.count as usize <= leaf));
            let mut order = tree.order.clone();
            order.sort_unstable();
            prop_assert_eq!(order, (0..count as u32).collect::<Vec<_>>());
        }
    }
}
