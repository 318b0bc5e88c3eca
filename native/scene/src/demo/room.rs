//! A living room in the evening: a low sun through the window, two lamps, a round mirror that shows the rest.

mod furniture;

use super::pictures;
use super::set::turned_form;
use crate::shapes;
use crate::world::{Light, LightShape, Material, Pose, Shape, Sky, Sun, World};
use glam::{Vec2, Vec3};

pub(super) fn world() -> World {
    let mut world = World::empty("room");
    walls(&mut world);
    window(&mut world);
    mirror_and_sideboard(&mut world);
    furniture::seats(&mut world);
    furniture::table(&mut world);
    furniture::shelf(&mut world);
    furniture::plant(&mut world);
    furniture::mobile(&mut world);
    lights(&mut world);
    world.camera = super::path(
        (Vec3::new(1.15, 1.42, 2.3), Vec3::new(-0.55, 1.05, -2.4)),
        Vec3::new(1.75, 1.5, 2.05),
        Vec3::new(-0.45, 1.08, -2.4),
        Vec3::new(0.0, 1.05, -2.4),
        52.0,
    );
    world.near = 0.05;
    world.far = 100.0;
    world.exposure = 5.0;
    world
}

fn walls(world: &mut World) {
    let oak = world.pictured(pictures::planks(Vec3::new(0.8, 0.6, 0.42), 8, 2), 0.42);
    world.panel(oak, Vec3::ZERO, Vec3::X * 3.0, Vec3::NEG_Z * 3.0, 2.0);
    let teal = world.material(Material::glossy(0.07, 0.24, 0.25, 0.75));
    let cream = world.material(Material::matte(0.74, 0.68, 0.58));
    let white = world.material(Material::matte(0.8, 0.79, 0.76));
    world.block(teal, [0.0, 1.45, -2.66], [3.1, 1.45, 0.06]);
    world.block(cream, [3.06, 1.45, 0.0], [0.06, 1.45, 2.7]);
    world.block(cream, [0.0, 1.45, 3.06], [3.1, 1.45, 0.06]);
    world.block(white, [0.0, 2.96, 0.2], [3.1, 0.06, 2.9]);
    for (middle, half) in [
        ([-3.06, 0.4, 0.2], [0.06, 0.4, 2.86]),
        ([-3.06, 2.65, 0.2], [0.06, 0.25, 2.86]),
        ([-3.06, 1.6, -2.0], [0.06, 0.8, 0.66]),
        ([-3.06, 1.6, 1.9], [0.06, 0.8, 1.16]),
    ] {
        world.block(cream, middle, half);
    }
    // Skirting and a picture rail: fine level lines.
    world.block(white, [0.0, 0.06, -2.58], [3.0, 0.06, 0.02]);
    world.block(white, [2.98, 0.06, 0.0], [0.02, 0.06, 2.6]);
    world.block(white, [0.0, 2.55, -2.585], [3.0, 0.02, 0.015]);
}

fn window(world: &mut World) {
    let frame = world.material(Material::glossy(0.85, 0.84, 0.8, 0.4));
    // The opening: z from -1.34 to 0.74, y from 0.8 to 2.4.
    for z in [-1.32, -0.64, 0.04, 0.72] {
        world.block(frame, [-3.03, 1.6, z], [0.03, 0.8, 0.02]);
    }
    for y in [0.82, 1.85, 2.38] {
        world.block(frame, [-3.03, y, -0.3], [0.03, 0.02, 1.04]);
    }
    world.block(frame, [-2.95, 0.78, -0.3], [0.14, 0.02, 1.12]);
    let linen = world.material(Material {
        subsurface: 0.6,
        ..Material::matte(0.78, 0.7, 0.58)
    });
    let fall = shapes::cloth(48, 5.0, 0.12);
    let shape = world.mesh(&fall);
    for z in [-1.72, 1.1] {
        let pose = Pose::at(-2.88, 1.3, z)
            .scaled(0.38, 1.25, 0.6)
            .turned(Vec3::Y, 90.0);
        world.body(shape, linen, pose);
    }
    let brass = world.material(Material::metal(0.9, 0.66, 0.3, 0.25));
    world.rod(
        brass,
        Vec3::new(-2.9, 2.56, -2.2),
        Vec3::new(-2.9, 2.56, 1.6),
        0.014,
    );
}

fn mirror_and_sideboard(world: &mut World) {
    let mirror = world.material(Material::metal(0.93, 0.93, 0.92, 0.0));
    let brass = world.material(Material::metal(0.9, 0.66, 0.3, 0.22));
    let round = Pose::at(-0.35, 1.62, -2.575)
        .scaled(0.62, 0.012, 0.62)
        .turned(Vec3::X, 90.0);
    world.body(Shape::Cylinder, mirror, round);
    let rim = Pose::at(-0.35, 1.62, -2.565)
        .scaled(0.63, 0.63, 0.63)
        .turned(Vec3::X, 90.0);
    world.form(&shapes::torus(72, 10, 0.035), brass, rim);

    // Two prints on the wall beside the mirror.
    let frame = world.material(Material::glossy(0.05, 0.035, 0.025, 0.4));
    let paper = Vec3::new(0.92, 0.88, 0.78);
    let inks = [
        Vec3::new(0.72, 0.25, 0.12),
        Vec3::new(0.1, 0.3, 0.34),
        Vec3::new(0.86, 0.62, 0.2),
    ];
    for (x, y, half, seed) in [(0.78, 1.86, 0.2, 5), (1.3, 1.72, 0.27, 12)] {
        let print = world.pictured(pictures::circles(paper, inks, seed), 0.7);
        world.panel(
            print,
            Vec3::new(x, y, -2.574),
            Vec3::X * half,
            Vec3::Y * half * 1.3,
            1.0,
        );
        world.block(
            frame,
            [x, y, -2.588],
            [half + 0.02, half * 1.3 + 0.02, 0.013],
        );
    }
    let walnut = world.pictured(pictures::planks(Vec3::new(0.42, 0.26, 0.17), 3, 9), 0.35);
    let dark = world.material(Material::glossy(0.03, 0.025, 0.02, 0.5));
    world.block(walnut, [-0.35, 0.5, -2.3], [0.95, 0.24, 0.24]);
    for x in [-0.97, -0.35, 0.27] {
        world.block(dark, [x, 0.5, -2.055], [0.004, 0.22, 0.006]);
    }
    for (x, z) in [(-1.2, -2.48), (-1.2, -2.12), (0.5, -2.48), (0.5, -2.12)] {
        world.rod(brass, Vec3::new(x, 0.0, z), Vec3::new(x, 0.27, z), 0.016);
    }
    let clay = world.material(Material::glossy(0.55, 0.17, 0.08, 0.55));
    let vase = turned_form(&[0.2, 0.34, 0.42, 0.36, 0.2, 0.13, 0.16, 0.2], 40, 40);
    world.form(
        &vase,
        clay,
        Pose::at(-1.05, 0.74, -2.28).scaled(0.34, 0.4, 0.34),
    );
    let glaze = world.material(Material::glossy(0.06, 0.2, 0.32, 0.08));
    let bottle = turned_form(&[0.3, 0.4, 0.4, 0.38, 0.15, 0.1, 0.1, 0.12], 32, 32);
    world.form(
        &bottle,
        glaze,
        Pose::at(-0.78, 0.74, -2.2).scaled(0.16, 0.27, 0.16),
    );
    let paper = [(0.62, 0.1, 0.08), (0.75, 0.62, 0.4), (0.08, 0.16, 0.2)];
    for (i, (r, g, b)) in paper.into_iter().enumerate() {
        let cover = world.material(Material::glossy(r, g, b, 0.6));
        let y = 0.76 + 0.045 * i as f32;
        let pose = Pose::at(0.02, y, -2.26)
            .scaled(0.16, 0.02, 0.11)
            .turned(Vec3::Y, 12.0 * i as f32 - 9.0);
        world.body(Shape::Box, cover, pose);
    }
    let chrome = world.material(Material::metal(0.8, 0.8, 0.82, 0.06));
    world.body(
        Shape::Sphere,
        chrome,
        Pose::at(0.02, 0.93, -2.26).scaled(0.055, 0.055, 0.055),
    );
}

fn lights(world: &mut World) {
    world.sky = Sky {
        zenith: Vec3::new(0.15, 0.24, 0.45),
        horizon: Vec3::new(0.7, 0.52, 0.38),
        ground: Vec3::new(0.11, 0.1, 0.08),
    };
    world.sun = Some(Sun::with_irradiance(
        Vec3::new(-0.86, 0.42, 0.12),
        0.012,
        Vec3::new(4.6, 2.9, 1.5),
    ));
    // Most of the daylight comes from a pane in the window: a ray from within seldom finds the sky behind it.
    let pane = Pose::facing(Vec3::new(-2.99, 1.6, -0.3), Vec3::new(0.0, 1.6, -0.3));
    let mut daylight = Light::new(
        LightShape::Rectangle(Vec2::new(1.02, 0.78)),
        Vec3::new(0.85, 0.88, 1.05),
        pane,
    );
    daylight.has_body = false;
    world.lights.push(daylight);
    let warm = Vec3::new(1.0, 0.6, 0.28);
    let brass = world.material(Material::metal(0.9, 0.66, 0.3, 0.25));
    // On the sideboard.
    world.rod(
        brass,
        Vec3::new(0.38, 0.74, -2.3),
        Vec3::new(0.38, 1.0, -2.3),
        0.012,
    );
    world.rod(
        brass,
        Vec3::new(0.38, 0.74, -2.3),
        Vec3::new(0.38, 0.755, -2.3),
        0.07,
    );
    world.lights.push(Light::new(
        LightShape::Sphere(0.095),
        warm * 30.0,
        Pose::at(0.38, 1.08, -2.3),
    ));
    // Behind the chair, on a stem.
    world.rod(
        brass,
        Vec3::new(2.45, 0.0, -2.2),
        Vec3::new(2.45, 1.62, -2.2),
        0.013,
    );
    world.rod(
        brass,
        Vec3::new(2.45, 0.0, -2.2),
        Vec3::new(2.45, 0.02, -2.2),
        0.15,
    );
    world.lights.push(Light::new(
        LightShape::Sphere(0.13),
        warm * 22.0,
        Pose::at(2.45, 1.74, -2.2),
    ));
}
