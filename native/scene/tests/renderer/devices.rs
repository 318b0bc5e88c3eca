//! The same pictures on two drivers, and what a renderer refuses.

use crate::stage::{
    ball, block, look_at, material, sphere_light, stage, world, Driver, Stage, SIZE,
};
use glam::Vec3;
use reconstruction_core::Size;
use reconstruction_scene::flat::{FlatParticle, FlatWorld, KIND_MESH};
use reconstruction_scene::renderer::{Place, Plane, Request, View};

fn some_world() -> FlatWorld {
    let lamp = Vec3::new(1.0, 3.0, 1.0);
    let instances = vec![
        block(Vec3::new(0.0, -1.0, 0.0), Vec3::new(6.0, 1.0, 6.0), 0),
        ball(Vec3::new(-0.7, 0.8, 0.0), 0.8, 1),
        ball(lamp, 0.3, 0),
    ];
    let mut floor = material([0.8, 0.7, 0.6], 0.4, 0.0);
    floor.pattern = reconstruction_scene::flat::PATTERN_CHECKER;
    let materials = vec![floor, material([0.9, 0.8, 0.7], 0.2, 1.0)];
    let view = look_at(Vec3::new(0.0, 1.5, 4.0), Vec3::new(0.0, 0.5, 0.0));
    let lights = vec![sphere_light(lamp, 0.3, [20.0, 18.0, 15.0], 2)];
    world(view, 0.4, materials, instances, lights)
}

#[test]
fn both_drivers_agree() {
    let world = some_world();
    let planes = |driver| {
        let request = Request {
            planes: Plane::ALL.to_vec(),
            ..Request::noisy(SIZE, [0.1, 0.2], 3, 5)
        };
        let mut stage = stage(driver);
        let rendered = stage.render(&world, vec![request]);
        Plane::ALL.map(|plane| rendered.floats(0, 0, plane).unwrap())
    };
    let (a, b) = (planes(Driver::Lavapipe), planes(Driver::SwiftShader));
    for (i, plane) in Plane::ALL.into_iter().enumerate() {
        let texels = a[i]
            .chunks_exact(plane.channels())
            .zip(b[i].chunks_exact(plane.channels()));
        // Another rounding may turn a choice between lights, or send a ray past an edge: one pixel in fifty.
        let differing = texels.filter(|(a, b)| {
            (a.iter().zip(*b)).any(|(a, b)| (a - b).abs() > 2e-3 * (a.abs() + b.abs()) + 1e-3)
        });
        let count = differing.count();
        assert!(
            count <= SIZE.area() as usize / 50,
            "{plane:?}: {count} pixels differ"
        );
    }
}

#[test]
fn the_same_request_gives_the_same_bytes_alone_and_among_others() {
    let world = some_world();
    let mut stage = stage(Driver::Lavapipe);
    let request = Request::noisy(SIZE, [0.0; 2], 3, 5);
    let alone = stage.plane(&world, request.clone(), Plane::Color);
    let other = Request::reference(Size::new(40, 30), 1, 0, 40);
    let views = [
        View {
            world: &world,
            requests: vec![other.clone(), request.clone()],
        },
        View {
            world: &world,
            requests: vec![request],
        },
    ];
    let Stage { renderer, host } = &mut *stage;
    let rendered = renderer.render(host, &views).unwrap();
    assert_eq!(rendered.floats(0, 1, Plane::Color).unwrap(), alone);
    assert_eq!(rendered.floats(1, 0, Plane::Color).unwrap(), alone);
    assert_eq!(rendered.size(0, 0), Size::new(40, 30));
    let milliseconds = rendered.milliseconds;
    assert!(milliseconds > 0.0);
    let together = rendered.floats(0, 0, Plane::Color).unwrap();
    // At once, in bands of eight rows, and row by row with the samples in three waves.
    let paths = renderer.wave_paths();
    for few in [40 * 40 * 8, 40 * 15] {
        renderer.set_wave_paths(few);
        let views = [View {
            world: &world,
            requests: vec![other.clone()],
        }];
        let parts = renderer.render(host, &views).unwrap();
        let parts = parts.floats(0, 0, Plane::Color).unwrap();
        for (a, b) in together.iter().zip(&parts) {
            assert!((a - b).abs() <= 2e-3 * a.abs(), "{few} paths: {a} {b}");
        }
    }
    renderer.set_wave_paths(paths);
}

#[test]
fn guides_and_history_do_not_depend_on_the_size_of_a_wave() {
    let world = some_world();
    let mut stage = stage(Driver::Lavapipe);
    let paths = stage.renderer.wave_paths();
    let mut frames = |wave_paths: u32| {
        stage.renderer.set_wave_paths(wave_paths);
        stage.renderer.forget(6);
        [0, 1].map(|frame| {
            let request = Request {
                is_reusing: true,
                history: Some(6),
                planes: Plane::ALL.to_vec(),
                ..Request::noisy(SIZE, [0.1, 0.2], 3, frame)
            };
            let rendered = stage.render(&world, vec![request]);
            Plane::ALL.map(|plane| rendered.bytes(0, 0, plane).unwrap().to_vec())
        })
    };
    let whole = frames(paths);
    let bands = frames(SIZE.width * 5);
    stage.renderer.set_wave_paths(paths);
    assert!(whole == bands);
}

#[test]
fn worlds_stay_on_the_device_until_they_change() {
    let mut stage = stage(Driver::Lavapipe);
    let request = || Request::noisy(SIZE, [0.0; 2], 3, 5);
    let of = |revision: u64, shade: f32| {
        let mut world = some_world();
        world.geometry_revision = revision;
        world.materials[0].base_color = [shade, shade, shade, 1.0];
        // Two of these fill the room that there is at first.
        world.texels = vec![0; 1 << 18];
        world
    };
    // Revisions of their own, far from those that flatteners count.
    let worlds: Vec<_> = (0..6)
        .map(|i| of((1 << 60) + i, 0.1 + 0.1 * i as f32))
        .collect();
    let alone: Vec<_> = worlds
        .iter()
        .map(|world| {
            let unkept = FlatWorld {
                geometry_revision: 0,
                ..world.clone()
            };
            stage.plane(&unkept, request(), Plane::Color)
        })
        .collect();
    // Backwards, so that a world that was left behind is fetched again.
    for order in [
        vec![0, 1, 2, 3, 4, 5],
        vec![5, 4, 3, 2, 1, 0],
        vec![2, 2, 3],
    ] {
        for i in order {
            let picture = stage.plane(&worlds[i], request(), Plane::Color);
            assert!(picture == alone[i], "world {i}");
        }
    }
    let changed = of((1 << 60) + 6, 0.9);
    assert!(stage.plane(&changed, request(), Plane::Color) != alone[5]);
    // What a revision stands for may not change: the old one is still there.
    let same = of(1 << 60, 0.9);
    stage.plane(&worlds[0], request(), Plane::Color);
    assert!(stage.plane(&same, request(), Plane::Color) == alone[0]);
}

#[test]
fn what_cannot_be_rendered_is_refused_in_one_line() {
    let world = some_world();
    let mut stage = stage(Driver::Lavapipe);
    let fine = Request::noisy(SIZE, [0.0; 2], 1, 0);
    let refused = [
        (
            "size",
            Request {
                size: Size::new(0, 18),
                ..fine.clone()
            },
        ),
        (
            "size",
            Request {
                size: Size::new(8193, 18),
                ..fine.clone()
            },
        ),
        (
            "samples",
            Request {
                samples: 0,
                ..fine.clone()
            },
        ),
        (
            "candidates",
            Request {
                candidates: 65,
                ..fine.clone()
            },
        ),
        (
            "jitter",
            Request {
                place: Place::Jittered([f32::NAN, 0.0]),
                ..fine.clone()
            },
        ),
        (
            "place",
            Request {
                place: Place::BoxFilter,
                ..fine.clone()
            },
        ),
        (
            "is_reusing",
            Request {
                is_reusing: true,
                ..fine.clone()
            },
        ),
        (
            "planes",
            Request {
                samples: 64,
                ..fine.clone()
            },
        ),
    ];
    let Stage { renderer, host } = &mut *stage;
    let paths = renderer.wave_paths();
    renderer.set_wave_paths(SIZE.width * 32);
    let mut line_of = |world: &FlatWorld, requests: Vec<Request>| {
        let refused = renderer.submit(host, &[View { world, requests }]);
        refused.expect_err("a refused request").to_string()
    };
    for (what, request) in refused {
        let line = line_of(&world, vec![request]);
        assert!(
            line.starts_with(&format!("{what}: expected")) && line.is_ascii(),
            "{line}"
        );
    }
    let with_history = Request {
        history: Some(1),
        ..fine.clone()
    };
    assert!(line_of(&world, vec![with_history.clone(), with_history]).starts_with("history"));
    assert!(line_of(&world, Vec::new()).starts_with("views"));
    let mut broken = world.clone();
    broken.instances[0].material = 9;
    assert!(line_of(&broken, vec![fine.clone()]).starts_with("instance 0: material"));
    broken = world.clone();
    broken.top[0].count += 1;
    assert!(line_of(&broken, vec![fine.clone()]).starts_with("top node 0: last item"));
    broken = world.clone();
    broken.top[0].count = 0;
    assert!(line_of(&broken, vec![fine.clone()]).starts_with("top node 0: first child"));
    broken = world.clone();
    broken.instances[0].kind = KIND_MESH;
    assert!(line_of(&broken, vec![fine]).starts_with("instance 0: root"));
    renderer.set_wave_paths(paths);
}

#[test]
fn no_sample_is_lost_behind_many_particles() {
    // More particles times samples than a software driver lets one invocation loop.
    let samples = 200;
    let request = || Request::clean(SIZE, [0.0; 2], 3, 5, samples);
    let mut world = some_world();
    for driver in [Driver::Lavapipe, Driver::SwiftShader] {
        let mut stage = stage(driver);
        world.particles.clear();
        let without = stage.plane(&world, request(), Plane::Color);
        let unseen = FlatParticle {
            position: [0.0, 1.0, 0.0, 0.5],
            color: [0.0; 4],
        };
        world.particles = vec![unseen; 400];
        assert!(stage.plane(&world, request(), Plane::Color) == without);
    }
}
