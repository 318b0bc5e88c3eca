//! A white hall with a mezzanine: thin railings near and far, paintings, sculptures, daylight panels.

use super::pictures;
use super::set::{placed, turned_form};
use crate::shapes;
use crate::world::{
    Cone, Light, LightShape, Material, Motion, Move, Pose, Shape, Sky, Surface, World,
};
use glam::{Affine3A, Vec2, Vec3};

/// Height of the mezzanine's floor.
const DECK: f32 = 2.7;

pub(super) fn world() -> World {
    let mut world = World::empty("gallery");
    hall(&mut world);
    railings(&mut world);
    stairs(&mut world);
    sculptures(&mut world);
    paintings(&mut world);
    lights(&mut world);
    world.camera = super::path(
        (Vec3::new(3.05, 4.25, 3.1), Vec3::new(-0.3, 2.0, -4.5)),
        Vec3::new(2.95, 4.3, 2.0),
        Vec3::new(-0.5, 1.9, -5.0),
        Vec3::new(0.5, 1.95, -6.0),
        54.0,
    );
    world.near = 0.05;
    world.far = 100.0;
    world.exposure = 2.0;
    world
}

fn hall(world: &mut World) {
    let floor = world.pictured(pictures::tiles(Vec3::new(0.62, 0.61, 0.59), 4, 3), 0.16);
    world.panel(
        floor,
        Vec3::new(0.0, 0.0, -3.0),
        Vec3::X * 7.0,
        Vec3::NEG_Z * 7.0,
        4.0,
    );
    let white = world.material(Material::matte(0.82, 0.81, 0.79));
    let warm = world.material(Material::matte(0.78, 0.74, 0.68));
    world.block(white, [-6.1, 3.0, -3.0], [0.1, 3.0, 7.0]);
    world.block(white, [6.1, 3.0, -3.0], [0.1, 3.0, 7.0]);
    world.block(warm, [0.0, 3.0, -9.1], [6.2, 3.0, 0.1]);
    world.block(white, [0.0, 3.0, 4.1], [6.2, 3.0, 0.1]);
    world.block(white, [0.0, 6.1, -2.5], [6.2, 0.1, 6.7]);
    // Beams between the daylight panels.
    for i in 0..6 {
        world.block(white, [0.0, 5.75, -8.0 + 2.2 * i as f32], [6.0, 0.25, 0.07]);
    }
    // The mezzanine along the right side, and a bridge across the far end.
    let slab = world.material(Material::glossy(0.5, 0.49, 0.47, 0.5));
    world.block(slab, [4.1, DECK - 0.12, -2.5], [1.9, 0.12, 6.6]);
    world.block(slab, [-1.9, DECK - 0.12, -7.4], [4.1, 0.12, 0.8]);
    for z in [-6.0, -2.6, 0.8] {
        world.rod(
            white,
            Vec3::new(2.5, 0.0, z),
            Vec3::new(2.5, DECK - 0.24, z),
            0.11,
        );
    }
    // A gap of shadow above the floor.
    let dark = world.material(Material::matte(0.05, 0.05, 0.05));
    world.block(dark, [0.0, 0.03, -8.99], [6.0, 0.03, 0.02]);
    world.block(dark, [-5.99, 0.03, -3.0], [0.02, 0.03, 7.0]);
}

/// A run of railing from `a` to `b` along the edge of a floor: posts, thin bars, a handrail.
fn railing(a: Vec3, b: Vec3) -> (Surface, Surface) {
    let (mut bars, mut rail) = (Surface::default(), Surface::default());
    let along = b - a;
    let count = (along.length() / 0.12).round() as u32;
    let bar =
        |from: Vec3, to: Vec3, radius: f32, around: u32| shapes::tube(&[from, to], radius, around);
    for i in 0..=count {
        let foot = a + along * (i as f32 / count as f32);
        let radius = if i % 10 == 0 { 0.016 } else { 0.0055 };
        bars.add(
            &bar(foot, foot + Vec3::Y * 0.98, radius, 6),
            Affine3A::IDENTITY,
        );
    }
    bars.add(
        &bar(a + Vec3::Y * 0.08, b + Vec3::Y * 0.08, 0.009, 6),
        Affine3A::IDENTITY,
    );
    rail.add(
        &bar(a + Vec3::Y, b + Vec3::Y, 0.026, 12),
        Affine3A::IDENTITY,
    );
    (bars, rail)
}

fn railings(world: &mut World) {
    let steel = world.material(Material::glossy(0.03, 0.03, 0.032, 0.4));
    let brass = world.material(Material::metal(0.9, 0.68, 0.36, 0.22));
    let (x, y) = (2.26, DECK);
    for (a, b) in [
        (Vec3::new(x, y, 4.0), Vec3::new(x, y, -6.55)),
        (Vec3::new(x, y, -6.65), Vec3::new(-4.4, y, -6.65)),
        (Vec3::new(2.2, y, -8.15), Vec3::new(-6.0, y, -8.15)),
    ] {
        let (bars, rail) = railing(a, b);
        world.form(&bars, steel, Pose::default());
        world.form(&rail, brass, Pose::default());
    }
    // Lamps hang on wires that cross the whole picture.
    for (i, z) in [-5.2, -3.4, -1.6].into_iter().enumerate() {
        let drop = 3.1 + 0.35 * i as f32;
        world.rod(
            steel,
            Vec3::new(-0.6, 6.0, z),
            Vec3::new(-0.6, drop + 0.12, z),
            0.004,
        );
    }
}

fn stairs(world: &mut World) {
    let tread = world.pictured(pictures::planks(Vec3::new(0.68, 0.52, 0.36), 4, 5), 0.4);
    let steel = world.material(Material::glossy(0.03, 0.03, 0.032, 0.4));
    let brass = world.material(Material::metal(0.9, 0.68, 0.36, 0.22));
    const STEPS: u32 = 16;
    // Along the left wall, up to the bridge.
    let at = |i: f32| Vec3::new(-5.2, DECK * i / STEPS as f32, -2.2 - 4.4 * i / STEPS as f32);
    let mut boards = Surface::default();
    for i in 1..=STEPS {
        let p = at(i as f32);
        boards.add(
            &shapes::cuboid(),
            placed([p.x, p.y - 0.03, p.z], [0.75, 0.03, 0.15]),
        );
    }
    world.form(&boards, tread, Pose::default());
    for side in [-0.72, 0.72] {
        let shift = Vec3::new(side, -0.12, 0.0);
        let mut beam = Pose::between(at(0.0) + shift, at(STEPS as f32) + shift, 1.0);
        beam.scale = Vec3::new(0.02, beam.scale.y, 0.09);
        world.body(Shape::Box, steel, beam);
    }
    let (mut bars, mut rail) = (Surface::default(), Surface::default());
    let edge = Vec3::X * 0.72;
    for i in 0..2 * STEPS {
        let p = at(i as f32 / 2.0 + 0.5) + edge;
        bars.add(
            &shapes::tube(&[p, p + Vec3::Y * 0.95], 0.0055, 6),
            Affine3A::IDENTITY,
        );
    }
    let hand = [
        at(0.0) + edge + Vec3::Y * 0.97,
        at(STEPS as f32) + edge + Vec3::Y * 0.97,
    ];
    rail.add(&shapes::tube(&hand, 0.024, 12), Affine3A::IDENTITY);
    world.form(&bars, steel, Pose::default());
    world.form(&rail, brass, Pose::default());
}

fn sculptures(world: &mut World) {
    let plinth = world.material(Material::matte(0.8, 0.8, 0.79));
    let gold = world.material(Material::metal(0.95, 0.7, 0.32, 0.18));
    let red = world.material(Material::glossy(0.72, 0.035, 0.025, 0.1));
    let marble = world.pictured(
        pictures::stone(
            Vec3::new(0.7, 0.69, 0.7),
            Vec3::new(0.93, 0.92, 0.9),
            9.0,
            14,
        ),
        0.3,
    );
    let chrome = world.material(Material::metal(0.86, 0.87, 0.88, 0.02));
    let blue = world.material(Material::glossy(0.03, 0.07, 0.42, 0.6));

    // A golden knot, turning slowly.
    world.block(plinth, [-0.6, 0.35, -3.4], [0.55, 0.35, 0.55]);
    let knot = shapes::knot(2, 3, 0.13, 220, 18);
    let pose = Pose::at(-0.6, 1.62, -3.4)
        .scaled(0.8, 0.8, 0.8)
        .turned(Vec3::X, 72.0);
    let shape = world.mesh(&knot);
    let turning = Motion::from(pose).with(Move::Orbit {
        center: Vec3::new(-0.6, 0.0, -3.4),
        axis: Vec3::Y,
        turn: 0.012,
    });
    world.body(shape, gold, turning);
    // A red ring leans on its own edge.
    let ring = shapes::torus(96, 24, 0.14);
    world.form(
        &ring,
        red,
        Pose::at(-3.1, 1.2, -0.5)
            .scaled(1.05, 1.05, 1.05)
            .turned(Vec3::X, 84.0)
            .turned(Vec3::Y, 58.0),
    );
    // A worn stone on a thin table.
    world.block(plinth, [0.95, 0.28, -0.9], [0.5, 0.28, 0.5]);
    world.form(
        &shapes::boulder(4, 0.34, 1.5, 40),
        marble,
        Pose::at(0.95, 1.08, -0.9).scaled(0.5, 0.62, 0.46),
    );
    // A column of mirror balls.
    world.block(plinth, [0.9, 0.2, -5.6], [0.4, 0.2, 0.4]);
    for (i, radius) in [0.36f32, 0.28, 0.21, 0.15, 0.1].into_iter().enumerate() {
        let below: f32 = [0.36f32, 0.28, 0.21, 0.15, 0.1][..i]
            .iter()
            .map(|r| 2.0 * r)
            .sum();
        world.body(
            Shape::Sphere,
            chrome,
            Pose::at(0.9, 0.4 + below + radius, -5.6).scaled(radius, radius, radius),
        );
    }
    // A blue turned form.
    let radii = [0.5, 0.62, 0.34, 0.2, 0.42, 0.58, 0.36, 0.14, 0.22, 0.1];
    world.form(
        &turned_form(&radii, 64, 72),
        blue,
        Pose::at(-3.2, 0.0, -4.6).scaled(0.72, 2.1, 0.72),
    );
    // On the mezzanine: a black form, and a bench along the wall.
    let black = world.material(Material::glossy(0.02, 0.02, 0.024, 0.12));
    world.block(plinth, [4.9, DECK + 0.3, -5.2], [0.32, 0.3, 0.32]);
    let slender = [0.3, 0.5, 0.46, 0.26, 0.14, 0.2, 0.34, 0.3, 0.12];
    world.form(
        &turned_form(&slender, 56, 64),
        black,
        Pose::at(4.9, DECK + 0.6, -5.2).scaled(0.5, 1.25, 0.5),
    );
    let walnut = world.pictured(pictures::planks(Vec3::new(0.5, 0.34, 0.22), 3, 16), 0.4);
    world.block(walnut, [5.4, DECK + 0.42, -1.6], [0.24, 0.03, 0.9]);
    for z in [-2.35, -0.85] {
        world.block(chrome, [5.4, DECK + 0.2, z], [0.22, 0.2, 0.015]);
    }
    // A bench in the middle.
    let oak = world.pictured(pictures::planks(Vec3::new(0.6, 0.44, 0.3), 5, 6), 0.45);
    world.panel(
        oak,
        Vec3::new(-1.7, 0.44, 1.1),
        Vec3::X * 0.95,
        Vec3::NEG_Z * 0.24,
        1.0,
    );
    world.block(oak, [-1.7, 0.4, 1.1], [0.95, 0.038, 0.24]);
    for x in [-2.5, -0.9] {
        world.block(chrome, [x, 0.18, 1.1], [0.02, 0.18, 0.22]);
    }
}

fn paintings(world: &mut World) {
    let frame = world.material(Material::glossy(0.04, 0.035, 0.03, 0.4));
    let fields = [
        pictures::fields(
            Vec3::new(0.5, 0.1, 0.08),
            [
                (0.06, 0.42, Vec3::new(0.85, 0.32, 0.1)),
                (0.46, 0.6, Vec3::new(0.35, 0.05, 0.1)),
                (0.64, 0.94, Vec3::new(0.93, 0.6, 0.2)),
            ],
        ),
        pictures::circles(
            Vec3::new(0.9, 0.86, 0.76),
            [
                Vec3::new(0.75, 0.15, 0.1),
                Vec3::new(0.1, 0.25, 0.5),
                Vec3::new(0.9, 0.65, 0.1),
            ],
            7,
        ),
        pictures::fields(
            Vec3::new(0.1, 0.16, 0.3),
            [
                (0.05, 0.3, Vec3::new(0.16, 0.3, 0.55)),
                (0.34, 0.7, Vec3::new(0.06, 0.09, 0.2)),
                (0.74, 0.95, Vec3::new(0.5, 0.65, 0.75)),
            ],
        ),
    ];
    let [warm, paper, cold] = fields.map(|picture| world.pictured(picture, 0.8));
    // On the far wall below the bridge, above it, and along the left wall.
    for (canvas, middle, half, side) in [
        (
            paper,
            Vec3::new(5.94, DECK + 1.6, -1.6),
            Vec2::new(0.9, 0.9),
            -1.0,
        ),
        (
            warm,
            Vec3::new(5.94, DECK + 1.6, -6.0),
            Vec2::new(1.3, 0.9),
            -1.0,
        ),
        (warm, Vec3::new(-2.2, 4.2, -8.94), Vec2::new(1.5, 1.05), 0.0),
        (
            paper,
            Vec3::new(1.4, 4.2, -8.94),
            Vec2::new(0.95, 0.95),
            0.0,
        ),
        (cold, Vec3::new(-5.94, 1.75, 0.4), Vec2::new(1.25, 0.9), 1.0),
        (
            paper,
            Vec3::new(-0.8, 1.3, -8.94),
            Vec2::new(0.75, 0.75),
            0.0,
        ),
        (cold, Vec3::new(1.2, 1.3, -8.94), Vec2::new(0.75, 0.75), 0.0),
    ] {
        let (u, out) = if side == 0.0 {
            (Vec3::X, Vec3::Z)
        } else {
            (Vec3::NEG_Z * side, Vec3::X * side)
        };
        world.panel(canvas, middle, u * half.x, Vec3::Y * half.y, 1.0);
        let behind = middle - out * 0.025;
        let thick = u.abs() * (half.x + 0.03) + Vec3::Y * (half.y + 0.03) + out.abs() * 0.02;
        world.block(frame, behind.to_array(), thick.to_array());
    }
}

fn lights(world: &mut World) {
    world.sky = Sky::NONE;
    let day = Vec3::new(0.95, 1.0, 1.06) * 7.5;
    for z in [-6.9, -2.5, 1.9] {
        let pose = Pose::facing(Vec3::new(-1.2, 5.98, z), Vec3::new(-1.2, 0.0, z));
        world.lights.push(Light::new(
            LightShape::Rectangle(Vec2::new(3.4, 0.42)),
            day,
            pose,
        ));
    }
    // Lamps over the sculptures.
    let warm = Vec3::new(1.0, 0.72, 0.42);
    for (i, z) in [-5.2, -3.4, -1.6].into_iter().enumerate() {
        let height = 3.1 + 0.35 * i as f32;
        world.lights.push(Light::new(
            LightShape::Sphere(0.11),
            warm * 26.0,
            Pose::at(-0.6, height, z),
        ));
    }
    // A spot washes the large painting.
    let mut wash = Light::new(
        LightShape::Sphere(0.05),
        warm * 900.0,
        Pose::facing(Vec3::new(-2.2, 5.55, -6.2), Vec3::new(-2.2, 4.1, -9.0)),
    );
    wash.cone = Some(Cone {
        inner: 0.32,
        outer: 0.55,
    });
    world.lights.push(wash);
}
