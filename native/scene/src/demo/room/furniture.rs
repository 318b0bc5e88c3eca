//! What stands and hangs in the room.

use crate::demo::pictures;
use crate::demo::set::{placed, turned, turned_form};
use crate::shapes;
use crate::world::{scramble, Material, Motion, Move, Pictures, Pose, Surface, World};
use glam::{Quat, Vec3};

pub(super) fn seats(world: &mut World) {
    let ochre = world.material(Material::matte(0.62, 0.33, 0.07));
    let soft = shapes::superellipsoid(40, 24, 0.42);
    let mut chair = Surface::default();
    chair.add(&soft, placed([0.0, 0.36, 0.0], [0.38, 0.12, 0.38]));
    chair.add(
        &soft,
        turned([0.0, 0.68, -0.36], [0.4, 0.4, 0.11], Vec3::X, -12.0),
    );
    for x in [-0.42, 0.42] {
        chair.add(&soft, placed([x, 0.46, -0.02], [0.08, 0.2, 0.4]));
    }
    let pose = Pose::at(1.75, 0.0, -1.55).turned(Vec3::Y, -38.0);
    world.form(&chair, ochre, pose);
    let wood = world.material(Material::glossy(0.2, 0.11, 0.06, 0.4));
    for (x, z) in [(-0.33, -0.3), (0.33, -0.3), (0.33, 0.3), (-0.33, 0.3)] {
        let foot = pose.translation + pose.rotation * Vec3::new(1.1 * x, 0.0, 1.1 * z);
        let knee = pose.translation + pose.rotation * Vec3::new(x, 0.3, z);
        world.rod(wood, foot, knee, 0.02);
    }
    let cloth = world.pictured(
        pictures::stripes(Vec3::new(0.93, 0.9, 0.82), Vec3::new(0.12, 0.36, 0.4), 8),
        0.95,
    );
    let cushion = shapes::superellipsoid(32, 18, 0.55);
    let lean = Quat::from_rotation_y((-38f32).to_radians())
        * Quat::from_rotation_x((-0.35f32).to_degrees().to_radians());
    world.form(
        &cushion,
        cloth,
        Pose {
            translation: Vec3::new(1.82, 0.66, -1.6),
            rotation: lean,
            scale: Vec3::new(0.24, 0.24, 0.09),
        },
    );
    let rug = world.pictured(
        pictures::rug(
            Vec3::new(0.66, 0.2, 0.16),
            Vec3::new(0.92, 0.8, 0.6),
            Vec3::new(0.12, 0.16, 0.26),
        ),
        1.0,
    );
    world.panel(
        rug,
        Vec3::new(0.35, 0.012, -0.55),
        Vec3::X * 1.35,
        Vec3::NEG_Z * 1.0,
        1.0,
    );
}

pub(super) fn table(world: &mut World) {
    let ash = world.pictured(pictures::planks(Vec3::new(0.8, 0.64, 0.46), 4, 21), 0.25);
    let black = world.material(Material::glossy(0.02, 0.02, 0.02, 0.35));
    let (x, z) = (0.25, -0.5);
    let top = turned_form(&[0.97, 1.0, 1.0, 0.97], 64, 8);
    world.form(&top, ash, Pose::at(x, 0.4, z).scaled(0.46, 0.04, 0.46));
    for i in 0..3 {
        let (sine, cosine) = (i as f32 * std::f32::consts::TAU / 3.0 + 0.4).sin_cos();
        let foot = Vec3::new(x + 0.42 * cosine, 0.0, z + 0.42 * sine);
        world.rod(
            black,
            foot,
            Vec3::new(x + 0.2 * cosine, 0.4, z + 0.2 * sine),
            0.012,
        );
    }
    let china = world.material(Material::glossy(0.82, 0.8, 0.74, 0.12));
    let pot = turned_form(&[0.5, 0.9, 1.0, 0.95, 0.7, 0.42, 0.4, 0.12, 0.18], 40, 40);
    world.form(
        &pot,
        china,
        Pose::at(x - 0.12, 0.44, z - 0.06).scaled(0.12, 0.2, 0.12),
    );
    let spout: Vec<Vec3> = (0..=10)
        .map(|i| {
            let t = i as f32 / 10.0;
            Vec3::new(0.1 + 0.13 * t, 0.05 + 0.12 * t * t, 0.0)
        })
        .collect();
    world.form(
        &shapes::tube(&spout, 0.014, 10),
        china,
        Pose::at(x - 0.12, 0.45, z - 0.06),
    );
    let handle = Pose::at(x - 0.25, 0.53, z - 0.06)
        .scaled(0.055, 0.055, 0.055)
        .turned(Vec3::X, 90.0);
    world.form(&shapes::torus(32, 8, 0.17), china, handle);
    let cup = turned_form(&[0.55, 0.8, 0.95, 1.0], 32, 12);
    world.form(
        &cup,
        china,
        Pose::at(x + 0.2, 0.44, z + 0.12).scaled(0.045, 0.065, 0.045),
    );
}

pub(super) fn shelf(world: &mut World) {
    // Behind the camera, seen in the mirror.
    let wood = world.material(Material::glossy(0.3, 0.19, 0.11, 0.5));
    for i in 0..5 {
        world.block(
            wood,
            [-0.6, 0.25 + 0.5 * i as f32, 2.82],
            [1.5, 0.018, 0.16],
        );
    }
    for x in [-2.1, -0.6, 0.9] {
        world.block(wood, [x, 1.25, 2.82], [0.018, 1.02, 0.16]);
    }
    let covers: Vec<usize> = [
        (0.5, 0.08, 0.06),
        (0.07, 0.2, 0.26),
        (0.75, 0.55, 0.2),
        (0.8, 0.76, 0.66),
        (0.1, 0.12, 0.1),
        (0.28, 0.36, 0.2),
    ]
    .map(|(r, g, b)| world.material(Material::glossy(r, g, b, 0.6)))
    .to_vec();
    for level in 0..4u32 {
        let mut x = -2.04f32;
        let mut i = 0;
        while x < 0.82 {
            let draw = |what: u32| scramble(i + 97 * level, what);
            let (half, tall) = (0.012 + 0.02 * draw(1), 0.13 + 0.09 * draw(2));
            if draw(3) > 0.12 && (x + 0.6).abs() > 0.05 {
                let y = 0.27 + 0.5 * level as f32 + tall;
                world.block(
                    covers[(draw(4) * 6.0) as usize],
                    [x + half, y, 2.8],
                    [half, tall, 0.11],
                );
            }
            x += 2.0 * half + 0.004;
            i += 1;
        }
    }
}

pub(super) fn plant(world: &mut World) {
    let picture = world.picture(shapes::leaf_picture(128, 9, 0.2, [0.32, 0.72, 0.3], 11));
    let leaf = world.material(Material {
        alpha_cutoff: 0.5,
        subsurface: 0.5,
        pictures: Pictures {
            base: Some(picture),
            ..Pictures::default()
        },
        ..Material::glossy(1.0, 1.0, 1.0, 0.35)
    });
    let mut fronds = Surface::default();
    for i in 0..34u32 {
        let turn = i as f32 * 2.4;
        let lean = 15.0 + 60.0 * scramble(i, 4);
        let rise = 0.55 + 0.75 * scramble(i, 5);
        let rotation = Quat::from_rotation_y(turn) * Quat::from_rotation_x(lean.to_radians());
        let root = Quat::from_rotation_y(turn) * Vec3::Z * 0.1 * scramble(i, 6);
        fronds.add(
            &shapes::card(),
            glam::Affine3A::from_scale_rotation_translation(
                Vec3::splat(0.26),
                rotation,
                root + Vec3::Y * rise + rotation * Vec3::Y * 0.26,
            ),
        );
    }
    world.form(&fronds, leaf, Pose::at(-2.3, 0.25, -2.05));
    let bark = world.material(Material::matte(0.2, 0.14, 0.08));
    world.form(
        &shapes::branch(9, 31),
        bark,
        Pose::at(-2.3, 0.35, -2.05).scaled(0.9, 1.2, 0.9),
    );
    let pot = turned_form(&[0.62, 0.7, 0.78, 0.88, 0.96, 1.0, 0.98], 40, 14);
    let clay = world.material(Material::matte(0.72, 0.68, 0.62));
    world.form(
        &pot,
        clay,
        Pose::at(-2.3, 0.0, -2.05).scaled(0.24, 0.42, 0.24),
    );
}

pub(super) fn mobile(world: &mut World) {
    // One rigid body of wires and leaves of sheet metal for each colour, turning together.
    let wire = world.material(Material::glossy(0.02, 0.02, 0.02, 0.4));
    let paints = [(0.7, 0.06, 0.04), (0.85, 0.6, 0.08), (0.03, 0.03, 0.035)]
        .map(|(r, g, b)| world.material(Material::glossy(r, g, b, 0.35)));
    let spin = |pose: Pose| {
        Motion::from(pose).with(Move::Spin {
            axis: Vec3::Y,
            turn: 0.02,
        })
    };
    let at = Pose::at(-1.05, 2.2, -0.9);
    let mut arms = Surface::default();
    let mut leaves = [Surface::default(), Surface::default(), Surface::default()];
    let disc = turned_form(&[1.0, 1.0, 1.0], 28, 4);
    for i in 0..7u32 {
        let (sine, cosine) = (i as f32 * 2.1).sin_cos();
        let reach = 0.16 + 0.07 * i as f32;
        let drop = -0.05 - 0.07 * ((i * 3) % 5) as f32;
        let tip = Vec3::new(reach * cosine, drop, reach * sine);
        let hub = Vec3::Y * (0.12 - 0.02 * i as f32);
        let bow: Vec<Vec3> = (0..=8)
            .map(|k| {
                let t = k as f32 / 8.0;
                hub.lerp(tip, t) + Vec3::Y * 0.12 * t * (1.0 - t) * 4.0
            })
            .collect();
        arms.add(&shapes::tube(&bow, 0.003, 5), glam::Affine3A::IDENTITY);
        let size = 0.1 - 0.007 * i as f32;
        let place = placed(tip.to_array(), [1.3 * size, 0.006, size]);
        leaves[(i % 3) as usize].add(&disc, place);
    }
    arms.add(
        &shapes::tube(&[Vec3::ZERO, Vec3::Y * 0.7], 0.002, 5),
        glam::Affine3A::IDENTITY,
    );
    let shape = world.mesh(&arms);
    world.body(shape, wire, spin(at));
    for (leaf, paint) in leaves.iter().zip(paints) {
        let shape = world.mesh(leaf);
        world.body(shape, paint, spin(at));
    }
}
