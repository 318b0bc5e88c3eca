//! A garden an hour before sunset: foliage against the light, grass, a stone path, still water.

use super::pictures;
use super::set::placed;
use crate::shapes;
use crate::world::{
    scramble, Light, LightShape, Material, Motion, Move, Pattern, Pictures, Pose, Shape, Sky, Sun,
    Surface, World,
};
use glam::Vec3;
use std::f32::consts::TAU;

pub(super) fn world() -> World {
    let mut world = World::empty("garden");
    ground(&mut world);
    path_and_pond(&mut world);
    trees(&mut world);
    grasses(&mut world);
    wall_and_bench(&mut world);
    lanterns(&mut world);
    world.sky = Sky {
        zenith: Vec3::new(0.28, 0.42, 0.8),
        horizon: Vec3::new(1.5, 0.95, 0.55),
        ground: Vec3::new(0.16, 0.14, 0.1),
    };
    world.sun = Some(Sun::with_irradiance(
        Vec3::new(-0.62, 0.26, -0.74),
        0.014,
        Vec3::new(15.0, 8.8, 4.0),
    ));
    world.camera = super::path(
        (Vec3::new(1.3, 1.25, 5.9), Vec3::new(-0.3, 1.1, -1.5)),
        Vec3::new(0.75, 1.3, 5.1),
        Vec3::new(-0.45, 1.15, -2.0),
        Vec3::new(0.25, 1.2, -2.0),
        50.0,
    );
    world.near = 0.05;
    world.far = 300.0;
    world.exposure = 2.2;
    world
}

/// Height of the ground: a hollow for the pond on the right, a rise at the back.
fn height(x: f32, z: f32) -> f32 {
    let hollow = (-((x - 2.0) / 1.7).powi(2) - ((z - 0.2) / 1.35).powi(2)).exp();
    let rise = ((-z - 4.0) / 12.0).clamp(0.0, 1.0);
    0.12 * shapes::rough_noise(Vec3::new(0.35 * x, 0.0, 0.35 * z), 77) - 0.5 * hollow
        + 2.2 * rise * rise
}

fn ground(world: &mut World) {
    const REACH: f32 = 26.0;
    let earth = world.pictured(
        pictures::stone(
            Vec3::new(0.26, 0.3, 0.12),
            Vec3::new(0.44, 0.5, 0.2),
            20.0,
            5,
        ),
        1.0,
    );
    let surface = shapes::heights(96, 14.0, |x, z| height(x * REACH, z * REACH) / REACH);
    world.form(&surface, earth, Pose::default().scaled(REACH, REACH, REACH));
}

fn path_and_pond(world: &mut World) {
    let slate = world.pictured(
        pictures::stone(
            Vec3::new(0.42, 0.4, 0.38),
            Vec3::new(0.7, 0.67, 0.62),
            8.0,
            6,
        ),
        0.6,
    );
    let slab = shapes::boulder(3, 0.22, 1.8, 17);
    let shape = world.mesh(&slab);
    for i in 0..13u32 {
        let t = i as f32 / 12.0;
        let x = 0.35 - 1.5 * t + 0.75 * (4.2 * t).sin() + 0.12 * (scramble(i, 1) - 0.5);
        let z = 4.4 - 9.0 * t;
        let pose = Pose::at(x, height(x, z) + 0.005, z)
            .scaled(0.36 - 0.06 * scramble(i, 2), 0.055, 0.3)
            .turned(Vec3::Y, 360.0 * scramble(i, 3));
        world.body(shape, slate, pose);
    }
    let water = world.material(Material::glossy(0.012, 0.022, 0.02, 0.0));
    world.body(
        Shape::Cylinder,
        water,
        Pose::at(2.0, -0.22, 0.2).scaled(1.75, 0.02, 1.4),
    );
    let rock = world.mesh(&shapes::boulder(3, 0.3, 1.6, 3));
    for i in 0..22u32 {
        let (sine, cosine) = (TAU * (i as f32 + 0.5 * scramble(i, 4)) / 22.0).sin_cos();
        let (x, z) = (2.0 + 1.62 * cosine, 0.2 + 1.26 * sine);
        let size = 0.1 + 0.16 * scramble(i, 5);
        let pose = Pose::at(x, -0.18, z)
            .scaled(size * 1.3, size * 0.85, size)
            .turned(Vec3::Y, 360.0 * scramble(i, 6));
        world.body(rock, slate, pose);
    }
    // Leaves of water lilies and a few flowers.
    let pad = world.material(Material::glossy(0.1, 0.26, 0.06, 0.3));
    let petal = world.material(Material {
        subsurface: 0.6,
        ..Material::matte(0.85, 0.42, 0.5)
    });
    let flower = world.mesh(&shapes::boulder(2, 0.5, 3.0, 8));
    for i in 0..11u32 {
        let (x, z) = (1.35 + 1.25 * scramble(i, 7), -0.45 + 1.3 * scramble(i, 8));
        let size = 0.08 + 0.07 * scramble(i, 9);
        let float =
            Motion::from(Pose::at(x, -0.196, z).scaled(size, 0.004, size * 0.9)).with(Move::Sway {
                span: Vec3::new(0.015, 0.0, 0.01),
                period: 70.0,
                phase: scramble(i, 10),
            });
        world.body(Shape::Cylinder, pad, float);
        if i % 3 == 0 {
            world.body(
                flower,
                petal,
                Pose::at(x + 0.03, -0.16, z).scaled(0.045, 0.035, 0.045),
            );
        }
    }
}

/// A material of leaves cut out of a picture.
fn leaves(world: &mut World, tint: [f32; 3], count: u32, wide: f32, seed: u32) -> usize {
    let base = Some(world.picture(shapes::leaf_picture(128, count, wide, tint, seed)));
    world.material(Material {
        alpha_cutoff: 0.5,
        subsurface: 0.65,
        pictures: Pictures {
            base,
            ..Pictures::default()
        },
        ..Material::glossy(1.0, 1.0, 1.0, 0.55)
    })
}

fn trees(world: &mut World) {
    let green = leaves(world, [0.5, 0.78, 0.2], 11, 0.22, 2);
    let amber = leaves(world, [0.95, 0.52, 0.14], 9, 0.3, 3);
    let deep = leaves(world, [0.22, 0.46, 0.2], 13, 0.16, 5);
    let bark = world.pictured(
        pictures::stone(
            Vec3::new(0.2, 0.15, 0.1),
            Vec3::new(0.42, 0.33, 0.25),
            16.0,
            9,
        ),
        0.95,
    );
    let trunk = world.mesh(&shapes::branch(14, 12));
    let full = world.mesh(&shapes::tree_crown(760, 0.125, 31));
    let loose = world.mesh(&shapes::tree_crown(520, 0.14, 57));
    let sway = |pose: Pose, phase: f32| {
        Motion::from(pose).with(Move::Rock {
            axis: Vec3::new(0.7, 0.0, 0.7),
            angle: 0.012,
            period: 64.0,
            phase,
        })
    };
    for (i, &(x, z, tall, wide, leaf)) in [
        (-2.5, -1.4, 3.2, 1.35, green),
        (1.5, -4.6, 3.9, 1.6, amber),
        (-5.6, -6.5, 5.0, 2.2, deep),
        (5.6, -6.2, 4.4, 2.0, green),
        (-0.9, -9.5, 5.4, 2.4, deep),
        (4.9, 0.6, 3.0, 1.2, amber),
    ]
    .iter()
    .enumerate()
    {
        let y = height(x, z) - 0.05;
        let phase = i as f32 * 0.19;
        world.body(
            trunk,
            bark,
            Pose::at(x, y, z)
                .scaled(tall, tall * 0.8, tall)
                .turned(Vec3::Y, 67.0 * i as f32),
        );
        let crown = Pose::at(x, y + tall * 0.86, z)
            .scaled(wide, wide * 0.8, wide)
            .turned(Vec3::Y, 41.0 * i as f32);
        world.body(
            if i % 2 == 0 { full } else { loose },
            leaf,
            sway(crown, phase),
        );
    }
    // A line of trees far off.
    for i in 0..16u32 {
        let (x, z) = (-21.0 + 2.7 * i as f32, -15.0 - 6.0 * scramble(i, 20));
        let (tall, wide) = (3.2 + 2.4 * scramble(i, 21), 1.7 + 1.1 * scramble(i, 22));
        let pose = Pose::at(x, height(x, z) + 0.4 * tall, z)
            .scaled(wide, 0.55 * tall, wide)
            .turned(Vec3::Y, 73.0 * i as f32);
        world.body(loose, [deep, green, deep, amber][(i % 4) as usize], pose);
    }
    // Bushes along the wall and by the water.
    for i in 0..9u32 {
        let (x, z) = if i < 6 {
            (-4.3 + 1.75 * i as f32, -5.6 + 0.8 * scramble(i, 11))
        } else {
            (3.7 + 0.4 * scramble(i, 12), 2.2 - 1.5 * (i - 6) as f32)
        };
        let size = 0.42 + 0.4 * scramble(i, 13);
        let pose = Pose::at(x, height(x, z) + 0.55 * size, z)
            .scaled(size * 1.2, size, size * 1.2)
            .turned(Vec3::Y, 80.0 * i as f32);
        let leaf = [deep, green, deep][(i % 3) as usize];
        world.body(loose, leaf, sway(pose, scramble(i, 14)));
    }
}

fn grasses(world: &mut World) {
    let fresh = world.material(Material {
        subsurface: 0.6,
        ..Material::glossy(0.22, 0.36, 0.06, 0.55)
    });
    let dry = world.material(Material {
        subsurface: 0.6,
        ..Material::glossy(0.5, 0.42, 0.14, 0.65)
    });
    let lawn = world.mesh(&shapes::grass(420, 0.16, 0.008, 21));
    let tall = world.mesh(&shapes::grass(150, 0.62, 0.009, 22));
    for i in 0..70u32 {
        let (x, z) = (-5.0 + 10.5 * scramble(i, 15), 4.6 - 10.0 * scramble(i, 16));
        let is_wet = ((x - 2.0) / 1.9).powi(2) + ((z - 0.2) / 1.55).powi(2) < 1.0;
        let t = (4.4 - z) / 9.0;
        let on_path = (x - (0.35 - 1.5 * t + 0.75 * (4.2 * t).sin())).abs() < 0.75;
        if is_wet || (on_path && i % 4 != 0) {
            continue;
        }
        let pose = Pose::at(x, height(x, z) - 0.02, z).turned(Vec3::Y, 360.0 * scramble(i, 17));
        world.body(
            lawn,
            fresh,
            pose.scaled(0.95, 0.8 + 0.5 * scramble(i, 18), 0.95),
        );
    }
    // Reeds by the pond and the wall.
    for i in 0..12u32 {
        let (x, z) = if i < 7 {
            let (sine, cosine) = (TAU * (0.52 + 0.055 * i as f32)).sin_cos();
            (2.0 + 1.95 * cosine, 0.2 + 1.6 * sine)
        } else {
            (-3.9 + 1.7 * (i - 7) as f32, -5.0)
        };
        let pose = Pose::at(x, height(x, z) - 0.03, z)
            .scaled(0.3, 1.0 + 0.6 * scramble(i, 19), 0.3)
            .turned(Vec3::Y, 50.0 * i as f32);
        world.body(tall, dry, pose);
    }
}

fn wall_and_bench(world: &mut World) {
    let brick = world.material(Material::matte(0.5, 0.3, 0.2).patterned(
        Pattern::Noise,
        0.2,
        0.36,
        0.2,
        0.14,
    ));
    let coping = world.material(Material::matte(0.56, 0.52, 0.45));
    for (x, half) in [(-4.6, 2.6), (3.6, 3.2)] {
        world.block(brick, [x, 0.55, -6.6], [half, 0.75, 0.14]);
        world.block(coping, [x, 1.34, -6.6], [half + 0.04, 0.05, 0.2]);
    }
    // A gate of thin iron between both parts.
    let iron = world.material(Material::glossy(0.02, 0.02, 0.022, 0.45));
    world.form(
        &shapes::grid(15, 3, 0.012),
        iron,
        Pose::at(-0.8, 1.0, -6.6).scaled(1.15, 0.95, 1.0),
    );
    let teak = world.pictured(pictures::planks(Vec3::new(0.56, 0.42, 0.3), 2, 30), 0.6);
    let mut bench = Surface::default();
    for i in 0..4 {
        bench.add(
            &shapes::cuboid(),
            placed([0.0, 0.42, -0.18 + 0.12 * i as f32], [0.75, 0.016, 0.048]),
        );
    }
    for i in 0..3 {
        bench.add(
            &shapes::cuboid(),
            placed([0.0, 0.56 + 0.13 * i as f32, -0.25], [0.75, 0.045, 0.014]),
        );
    }
    for x in [-0.68, 0.68] {
        bench.add(
            &shapes::cuboid(),
            placed([x, 0.2, 0.16], [0.03, 0.22, 0.03]),
        );
        bench.add(
            &shapes::cuboid(),
            placed([x, 0.43, -0.24], [0.03, 0.45, 0.03]),
        );
    }
    let at = (-2.05, 1.05);
    world.form(
        &bench,
        teak,
        Pose::at(at.0, height(at.0, at.1), at.1).turned(Vec3::Y, 38.0),
    );
}

fn lanterns(world: &mut World) {
    // Paper lanterns on a wire between two trees, and one on the bench.
    let wire = world.material(Material::glossy(0.02, 0.02, 0.02, 0.5));
    let (a, b) = (Vec3::new(-2.5, 2.35, -1.4), Vec3::new(1.5, 2.6, -4.6));
    let at = |t: f32| a.lerp(b, t) - Vec3::Y * 0.55 * 4.0 * t * (1.0 - t);
    let points: Vec<Vec3> = (0..=24).map(|i| at(i as f32 / 24.0)).collect();
    world.form(&shapes::tube(&points, 0.005, 5), wire, Pose::default());
    let warm = Vec3::new(1.0, 0.52, 0.2);
    for t in [0.22, 0.5, 0.78] {
        let p = at(t);
        let lamp = Light::new(
            LightShape::Sphere(0.12),
            warm * 18.0,
            Pose::at(p.x, p.y - 0.16, p.z),
        );
        world.lights.push(lamp);
    }
}
