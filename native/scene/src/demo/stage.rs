//! A dark stage: four spotlights that sweep, a turning mirror form, dust in the beams, sparks.
//!
//! Direct light reuses its reservoirs from frame to frame here.

use super::pictures;
use super::set::{placed, turned_form};
use crate::shapes;
use crate::world::{
    Cone, Emitter, Flicker, Lifetime, Light, LightShape, Material, Motion, Move, Pose, Shape, Sky,
    Surface, World,
};
use glam::{Affine3A, Quat, Vec2, Vec3};
use std::f32::consts::TAU;

pub(super) fn world() -> World {
    let mut world = World::empty("stage");
    boards_and_curtains(&mut world);
    centre(&mut world);
    instruments(&mut world);
    rigging(&mut world);
    spots(&mut world);
    washes(&mut world);
    footlights(&mut world);
    particles(&mut world);
    world.sky = Sky::NONE;
    world.camera = super::path(
        (Vec3::new(-1.7, 1.25, 6.3), Vec3::new(0.0, 1.45, -0.5)),
        Vec3::new(-0.85, 1.3, 5.7),
        Vec3::new(0.05, 1.5, -0.5),
        Vec3::new(0.5, 1.55, -0.5),
        50.0,
    );
    world.near = 0.05;
    world.far = 100.0;
    world.exposure = 3.5;
    world.is_reusing_light = true;
    world
}

fn boards_and_curtains(world: &mut World) {
    let boards = world.pictured(pictures::planks(Vec3::new(0.46, 0.34, 0.26), 10, 4), 0.2);
    world.panel(
        boards,
        Vec3::new(0.0, 0.0, 0.4),
        Vec3::X * 6.0,
        Vec3::NEG_Z * 4.4,
        2.0,
    );
    let black = world.material(Material::matte(0.02, 0.02, 0.024));
    world.block(black, [0.0, -0.6, 8.4], [9.0, 0.05, 3.6]);
    world.block(black, [0.0, -0.35, 4.85], [6.0, 0.34, 0.05]);
    world.block(black, [0.0, 3.0, -4.1], [8.0, 3.4, 0.1]);
    let velvet = world.material(Material {
        subsurface: 0.15,
        ..Material::matte(0.42, 0.025, 0.035)
    });
    let back = world.mesh(&shapes::cloth(160, 17.0, 0.3));
    world.body(
        back,
        velvet,
        Pose::at(0.0, 2.6, -3.5).scaled(6.0, 2.62, 0.8),
    );
    let side = world.mesh(&shapes::cloth(64, 6.0, 0.35));
    for (x, turn) in [(-4.6, 16.0), (4.6, -16.0)] {
        world.body(
            side,
            velvet,
            Pose::at(x, 2.6, 1.9)
                .scaled(1.25, 2.62, 0.7)
                .turned(Vec3::Y, turn),
        );
    }
    // A valance with a golden hem across the top.
    world.body(side, velvet, Pose::at(0.0, 4.75, 2.3).scaled(4.6, 0.5, 0.4));
    let gold = world.material(Material::metal(0.9, 0.62, 0.24, 0.35));
    world.rod(
        gold,
        Vec3::new(-4.6, 4.26, 2.42),
        Vec3::new(4.6, 4.26, 2.42),
        0.02,
    );
}

fn centre(world: &mut World) {
    // A stack of round steps with a thin brass edge.
    let ivory = world.material(Material::glossy(0.62, 0.58, 0.52, 0.3));
    let brass = world.material(Material::metal(0.92, 0.66, 0.3, 0.2));
    for (i, radius) in [1.55f32, 1.15, 0.75].into_iter().enumerate() {
        let y = 0.1 + 0.2 * i as f32;
        world.body(
            Shape::Cylinder,
            ivory,
            Pose::at(0.0, y, -0.5).scaled(radius, 0.1, radius),
        );
        let edge = shapes::torus(96, 8, 0.012 / radius);
        world.form(
            &edge,
            brass,
            Pose::at(0.0, y + 0.1, -0.5).scaled(radius, radius, radius),
        );
    }
    // The mirror form, turning above them.
    let chrome = world.material(Material::metal(0.93, 0.93, 0.94, 0.15));
    let shape = world.mesh(&shapes::knot(3, 2, 0.12, 260, 20));
    let pose = Pose::at(0.0, 1.72, -0.5)
        .scaled(0.85, 0.85, 0.85)
        .turned(Vec3::X, 60.0);
    let turning = Motion::from(pose).with(Move::Orbit {
        center: Vec3::new(0.0, 0.0, -0.5),
        axis: Vec3::Y,
        turn: 0.02,
    });
    world.body(shape, chrome, turning);
    // Glass-like beads on a ring that tilts as it turns.
    let bead = world.material(Material::glossy(0.05, 0.4, 0.55, 0.04));
    for i in 0..14 {
        let (sine, cosine) = (TAU * i as f32 / 14.0).sin_cos();
        let size = if i % 2 == 0 { 0.055 } else { 0.035 };
        let at = Vec3::new(1.3 * cosine, 1.72 + 0.3 * cosine, -0.5 + 1.3 * sine);
        let orbit =
            Motion::from(Pose::at(at.x, at.y, at.z).scaled(size, size, size)).with(Move::Orbit {
                center: Vec3::new(0.0, 1.72, -0.5),
                axis: Vec3::new(-0.22, 0.97, 0.0).normalize(),
                turn: -0.025,
            });
        world.body(Shape::Sphere, bead, orbit);
    }
}

fn instruments(world: &mut World) {
    // A grand piano on the right: a curved case, its lid up, a stool.
    let lacquer = world.material(Material::glossy(0.012, 0.012, 0.014, 0.12));
    let ivory = world.material(Material::glossy(0.8, 0.77, 0.68, 0.25));
    let brass = world.material(Material::metal(0.92, 0.66, 0.3, 0.2));
    let at = Pose::at(2.65, 0.0, -1.0).turned(Vec3::Y, 62.0);
    let mut case = Surface::default();
    let body = turned_form(&[0.98, 1.0, 1.0, 0.98], 72, 6);
    case.add(&body, placed([0.0, 0.72, -0.2], [0.72, 0.26, 0.95]));
    case.add(
        &shapes::cuboid(),
        placed([0.0, 0.85, 0.55], [0.72, 0.13, 0.3]),
    );
    for (x, z) in [(-0.5, 0.6), (0.5, 0.6), (0.0, -0.85)] {
        case.add(
            &shapes::tube(&[Vec3::new(x, 0.02, z), Vec3::new(x, 0.75, z)], 0.05, 12),
            Affine3A::IDENTITY,
        );
    }
    let lid = Affine3A::from_scale_rotation_translation(
        Vec3::new(0.72, 0.012, 0.95),
        Quat::from_rotation_z(0.62),
        Vec3::new(-0.12, 1.4, -0.2),
    );
    case.add(&body, lid);
    world.form(&case, lacquer, at);
    let mut keys = Surface::default();
    for i in 0..40 {
        let x = -0.64 + 1.28 * i as f32 / 39.0;
        keys.add(
            &shapes::cuboid(),
            placed([x, 0.9, 0.98], [0.014, 0.012, 0.12]),
        );
    }
    world.form(&keys, ivory, at);
    let prop = at.translation + at.rotation * Vec3::new(0.45, 0.98, -0.1);
    let top = at.translation + at.rotation * Vec3::new(0.42, 1.76, -0.1);
    world.rod(brass, prop, top, 0.008);
    // A microphone on a thin stand, left; a high chair beside it.
    let steel = world.material(Material::metal(0.75, 0.76, 0.78, 0.18));
    let foot = Vec3::new(-1.95, 0.0, 0.6);
    world.body(
        Shape::Cylinder,
        steel,
        Pose::at(foot.x, 0.015, foot.z).scaled(0.17, 0.015, 0.17),
    );
    world.rod(steel, foot, foot + Vec3::Y * 1.48, 0.009);
    let mouth = foot + Vec3::new(0.1, 1.62, 0.06);
    world.rod(steel, foot + Vec3::Y * 1.46, mouth, 0.016);
    let grille = world.material(Material::metal(0.35, 0.35, 0.36, 0.3).patterned(
        crate::world::Pattern::Grid,
        0.02,
        0.05,
        0.05,
        0.05,
    ));
    world.form(
        &shapes::superellipsoid(32, 20, 0.9),
        grille,
        Pose::at(mouth.x + 0.015, mouth.y + 0.03, mouth.z).scaled(0.05, 0.065, 0.05),
    );
    let wood = world.material(Material::glossy(0.3, 0.13, 0.06, 0.3));
    let seat = Vec3::new(-2.75, 0.78, 0.05);
    world.form(
        &turned_form(&[0.9, 1.0, 1.0, 0.94], 40, 6),
        wood,
        Pose::at(seat.x, seat.y, seat.z).scaled(0.2, 0.05, 0.2),
    );
    for i in 0..4 {
        let (sine, cosine) = (TAU * (i as f32 + 0.5) / 4.0).sin_cos();
        let low = Vec3::new(seat.x + 0.24 * cosine, 0.0, seat.z + 0.24 * sine);
        world.rod(
            wood,
            low,
            Vec3::new(seat.x + 0.13 * cosine, seat.y, seat.z + 0.13 * sine),
            0.014,
        );
    }
    world.form(
        &shapes::torus(40, 8, 0.06),
        brass,
        Pose::at(seat.x, 0.3, seat.z).scaled(0.2, 0.2, 0.2),
    );
}

fn rigging(world: &mut World) {
    // A truss of thin tubes that the lamps hang on.
    let steel = world.material(Material::metal(0.5, 0.5, 0.52, 0.35));
    let mut truss = Surface::default();
    let bar = |a: Vec3, b: Vec3, radius: f32| shapes::tube(&[a, b], radius, 6);
    for (y, z) in [(0.0, 0.0), (0.0, 0.28), (0.26, 0.14)] {
        truss.add(
            &bar(Vec3::new(-4.2, y, z), Vec3::new(4.2, y, z), 0.018),
            Affine3A::IDENTITY,
        );
    }
    for i in 0..28 {
        let x = -4.2 + 0.3 * i as f32;
        let (low, high) = (Vec3::new(x, 0.0, 0.0), Vec3::new(x + 0.15, 0.26, 0.14));
        truss.add(&bar(low, high, 0.008), Affine3A::IDENTITY);
        truss.add(
            &bar(high, Vec3::new(x + 0.3, 0.0, 0.28), 0.008),
            Affine3A::IDENTITY,
        );
        truss.add(
            &bar(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 0.3, 0.0, 0.28), 0.006),
            Affine3A::IDENTITY,
        );
    }
    world.form(&truss, steel, Pose::at(0.0, 4.05, 0.6));
    for x in [-3.0, 3.0] {
        world.rod(
            steel,
            Vec3::new(x, 4.3, 0.74),
            Vec3::new(x, 6.0, 0.74),
            0.006,
        );
    }
}

fn spots(world: &mut World) {
    let housing = world.material(Material::glossy(0.02, 0.02, 0.02, 0.35));
    let can = world.mesh(&turned_form(&[0.7, 0.72, 0.95, 1.0], 28, 10));
    let beams = [
        (
            Vec3::new(-3.0, 3.85, 0.74),
            Vec3::new(-0.3, 1.2, -0.5),
            Vec3::new(1.0, 0.55, 0.22),
            0.0,
            150.0,
        ),
        (
            Vec3::new(-1.0, 3.85, 0.74),
            Vec3::new(-1.9, 0.8, 0.3),
            Vec3::new(0.4, 0.6, 1.0),
            0.3,
            110.0,
        ),
        (
            Vec3::new(1.1, 3.85, 0.74),
            Vec3::new(0.2, 1.5, -0.5),
            Vec3::new(1.0, 0.85, 0.7),
            0.55,
            180.0,
        ),
        (
            Vec3::new(3.0, 3.85, 0.74),
            Vec3::new(2.4, 0.6, -0.9),
            Vec3::new(0.85, 0.22, 0.6),
            0.8,
            130.0,
        ),
    ];
    for (from, to, color, phase, period) in beams {
        let sweep = Move::Rock {
            axis: Vec3::Y,
            angle: 0.22,
            period,
            phase,
        };
        let nod = Move::Rock {
            axis: Vec3::X,
            angle: 0.1,
            period: 0.7 * period,
            phase: phase + 0.2,
        };
        let pose = Pose::facing(from, to);
        let mut spot = Light::new(
            LightShape::Sphere(0.12),
            color * 4000.0,
            Motion::from(pose).with(sweep).with(nod),
        );
        spot.cone = Some(Cone {
            inner: 0.18,
            outer: 0.28,
        });
        world.lights.push(spot);
        // The can shares the lamp's place and turning; it is open towards the front.
        let turn = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        let back = pose.rotation * Vec3::Z * -0.36;
        let body = Pose {
            translation: from + back,
            rotation: pose.rotation * turn,
            scale: Vec3::new(0.13, 0.26, 0.13),
        };
        world.body(can, housing, body);
        world.rod(
            housing,
            from + back * 0.5,
            Vec3::new(from.x, 4.05, from.z),
            0.012,
        );
    }
}

/// Two long strips behind the valance graze the curtain, so that the dark has a colour.
fn washes(world: &mut World) {
    for (x, color) in [
        (-2.6, Vec3::new(0.9, 0.16, 0.3)),
        (2.6, Vec3::new(0.35, 0.16, 0.9)),
    ] {
        let pose = Pose::facing(Vec3::new(x, 5.1, -2.5), Vec3::new(x, 1.6, -3.5));
        let strip = LightShape::Rectangle(Vec2::new(1.9, 0.06));
        world.lights.push(Light::new(strip, color * 17.0, pose));
    }
}

fn footlights(world: &mut World) {
    // Shells along the edge of the stage; two of them flicker.
    let shell = world.material(Material::metal(0.9, 0.6, 0.25, 0.3));
    let cup = world.mesh(&turned_form(&[0.4, 0.8, 1.0], 24, 8));
    for i in 0..7 {
        let x = -3.6 + 1.2 * i as f32;
        world.body(cup, shell, Pose::at(x, 0.0, 4.42).scaled(0.09, 0.1, 0.09));
        let mut bulb = Light::new(
            LightShape::Sphere(0.045),
            Vec3::new(1.0, 0.5, 0.18) * 120.0,
            Pose::at(x, 0.14, 4.42),
        );
        if i == 1 || i == 4 {
            bulb.flicker = Flicker::Jumps {
                depth: 0.5,
                hold: 2,
                seed: i as u32,
            };
        }
        world.lights.push(bulb);
    }
}

fn particles(world: &mut World) {
    let dust = Emitter {
        origin: Vec3::new(0.0, 2.0, 0.2),
        spread: Vec3::new(3.4, 1.7, 1.6),
        velocity: Vec3::new(0.001, -0.001, 0.0),
        scatter: Vec3::splat(0.003),
        gravity: Vec3::ZERO,
        swirl: 0.15,
        count: 220,
        life: 120.0,
        radius: (0.004, 0.012),
        colors: (Vec3::new(0.5, 0.42, 0.34), Vec3::new(0.34, 0.36, 0.5)),
        opacity: 0.55,
        seed: 12,
        lifetime: Lifetime::ALWAYS,
    };
    // Sparks rise from both sides of the steps.
    let sparks = |x: f32, seed: u32| Emitter {
        origin: Vec3::new(x, 0.05, -0.2),
        spread: Vec3::new(0.08, 0.02, 0.08),
        velocity: Vec3::new(-0.004 * x, 0.075, 0.0),
        scatter: Vec3::new(0.014, 0.02, 0.014),
        gravity: Vec3::new(0.0, -0.0018, 0.0),
        swirl: 0.02,
        count: 90,
        life: 62.0,
        radius: (0.006, 0.016),
        colors: (Vec3::new(12.0, 6.5, 2.2), Vec3::new(4.0, 0.8, 0.15)),
        opacity: 0.9,
        seed,
        lifetime: Lifetime::ALWAYS,
    };
    world.emitters = vec![dust, sparks(-1.75, 5), sparks(1.75, 6)];
}
