//! Demo scenes: complete, lit, moving first and still at the end.

use crate::check_finite;
use reconstruction_scene::demo;
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::meter;
use std::sync::Arc;

#[test]
fn every_scene_is_complete() {
    for name in demo::NAMES {
        let world = Arc::new(demo::world(name).unwrap());
        assert_eq!(world.name, name);
        assert!(
            world.triangle_count() >= 2_000,
            "{name}: {}",
            world.triangle_count()
        );
        let mut flattener = Flattener::new(world, 16.0 / 9.0).unwrap();
        let mut before = None;
        for frame in [0, 6, 12, 18, 24, 30, 36, 40, 41, 60] {
            let flat = flattener.frame(frame);
            check_finite(name, flat);
            let reading = meter::measure(flat);
            assert!(
                !reading.is_inside && reading.nearest > 0.2,
                "{name} {frame}: {reading:?}"
            );
            assert!(reading.lit_share > 0.5, "{name} {frame}: {reading:?}");
            let view = flat.camera.world_to_view;
            let stands = before == Some(view);
            assert_eq!(stands, frame > 40, "{name} {frame}");
            before = Some(view);
        }
    }
}

#[test]
fn one_scene_reuses_its_light_and_has_particles() {
    let reusing: Vec<&str> = demo::NAMES
        .into_iter()
        .filter(|name| demo::world(name).unwrap().is_reusing_light)
        .collect();
    assert_eq!(reusing, ["stage"]);
    let flat = demo::world("stage").unwrap().flatten(10, 1.5).unwrap();
    assert!(flat.particles.len() > 100);
    // Sorted from far to near.
    let view = glam::Mat4::from_cols_array(&flat.camera.world_to_view);
    let depths: Vec<f32> = flat
        .particles
        .iter()
        .map(|p| {
            -view
                .transform_point3(glam::Vec3::from_slice(&p.position[..3]))
                .z
        })
        .collect();
    assert!(depths.windows(2).all(|pair| pair[0] >= pair[1] - 1e-4));
}

#[test]
fn an_unknown_scene_is_refused_with_the_names() {
    let error = demo::world("kitchen\n").unwrap_err().to_string();
    assert_eq!(
        error,
        "scene: expected one of room, gallery, garden, stage, got kitchen\\n; choose one of these names, a seed or a glTF file"
    );
}
