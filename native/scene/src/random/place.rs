//! Where a random world takes place: a room with or without openings, or open ground.

use super::dice::Dice;
use super::{finish, RandomWorld};
use crate::shapes;
use crate::world::{Pose, Shape, World};
use glam::Vec3;

/// Half the thickness of walls, world units.
const WALL: f32 = 0.06;

/// The space that is free for things and the camera.
pub(super) struct Place {
    /// Half extent in x and z; the ground is y = 0 and the middle is the origin.
    pub half: Vec3,
    /// Height of the ceiling, or as high as things go.
    pub height: f32,
    /// Height of the ground by x and z where it is not flat.
    pub relief: Option<(f32, u32)>,
}

impl Place {
    /// Height of the ground.
    pub fn ground(&self, x: f32, z: f32) -> f32 {
        self.relief
            .map_or(0.0, |(tall, seed)| relief(x, z, tall, seed))
    }
}

fn relief(x: f32, z: f32, tall: f32, seed: u32) -> f32 {
    tall * shapes::rough_noise(Vec3::new(0.22 * x, 0.0, 0.22 * z), seed)
}

pub(super) fn build(draft: &mut RandomWorld, dice: &mut Dice) -> Place {
    if draft.recipe.is_open {
        open(draft, dice)
    } else {
        room(draft, dice)
    }
}

fn open(draft: &mut RandomWorld, dice: &mut Dice) -> Place {
    let knobs = draft.recipe.knobs.clone();
    let world = &mut draft.world;
    let ground = finish::surface(world, dice, &knobs, 0.02);
    let half = dice.range(4.0, 8.0);
    let is_hilly = draft.recipe.has_meshes && dice.chance(0.6);
    let relief_of = is_hilly.then(|| (dice.range(0.15, 0.7), dice.number()));
    match relief_of {
        Some((tall, seed)) => {
            const REACH: f32 = 30.0;
            let surface = shapes::heights(40, 20.0, |x, z| {
                relief(x * REACH, z * REACH, tall, seed) / REACH
            });
            let shape = world.mesh(&surface);
            world.body(shape, ground, Pose::default().scaled(REACH, REACH, REACH));
        }
        None => {
            let pose = Pose::at(0.0, -0.5, 0.0).scaled(60.0, 0.5, 60.0);
            world.body(Shape::Box, ground, pose);
        }
    }
    // Walls and blocks that stand around: something for light to be caught between.
    for _ in 0..dice.below(5) {
        let material = finish::surface(world, dice, &knobs, 0.05);
        let (sine, cosine) = dice.range(0.0, std::f32::consts::TAU).sin_cos();
        let away = dice.range(1.15, 2.2) * half;
        let tall = dice.range(0.5, 3.5);
        let pose = Pose::at(away * cosine, tall - 0.6, away * sine)
            .scaled(dice.range(0.3, 3.0), tall, dice.range(0.2, 1.5))
            .turned(Vec3::Y, dice.range(0.0, 360.0));
        world.body(Shape::Box, material, pose);
    }
    world.far = 300.0;
    Place {
        half: Vec3::new(half, 0.0, half),
        height: 4.0,
        relief: relief_of,
    }
}

fn room(draft: &mut RandomWorld, dice: &mut Dice) -> Place {
    let knobs = draft.recipe.knobs.clone();
    let world = &mut draft.world;
    let half = Vec3::new(dice.range(2.2, 5.0), 0.0, dice.range(2.2, 5.0));
    let height = dice.range(2.3, 4.5);
    let floor = finish::surface(world, dice, &knobs, 0.05);
    let walls = finish::wall(world, dice, &knobs);
    let pose = Pose::at(0.0, -WALL, 0.0).scaled(half.x + 0.2, WALL, half.z + 0.2);
    world.body(Shape::Box, floor, pose);
    if !dice.chance(0.08) {
        let ceiling = if dice.chance(0.6) {
            walls
        } else {
            finish::wall(world, dice, &knobs)
        };
        let pose = Pose::at(0.0, height + WALL, 0.0).scaled(half.x + 0.2, WALL, half.z + 0.2);
        world.body(Shape::Box, ceiling, pose);
    }
    for (side, reach, turn) in [
        (Vec3::X, half.x, 90.0),
        (Vec3::NEG_X, half.x, 90.0),
        (Vec3::Z, half.z, 0.0),
        (Vec3::NEG_Z, half.z, 0.0),
    ] {
        let material = if dice.chance(0.7) {
            walls
        } else {
            finish::wall(world, dice, &knobs)
        };
        let wide = if turn == 0.0 { half.x } else { half.z };
        let middle = side * (reach + WALL);
        let opening = dice.chance(0.3).then(|| {
            let size = (dice.range(0.2, 0.6) * wide, dice.range(0.25, 0.42) * height);
            let room = wide - size.0;
            (
                size,
                dice.range(-0.8, 0.8) * room,
                dice.range(0.4, 0.6) * height,
            )
        });
        wall(world, material, middle, turn, wide, height, opening);
    }
    // Columns and a step or platform.
    for _ in 0..dice.below(3) {
        let material = finish::surface(world, dice, &knobs, 0.05);
        let at = Vec3::new(
            dice.sign() * 0.8 * half.x,
            height / 2.0,
            dice.sign() * 0.8 * half.z,
        );
        let thick = dice.range(0.08, 0.25);
        let shape = dice.pick(&[Shape::Box, Shape::Cylinder]);
        let pose = Pose::at(at.x, at.y, at.z).scaled(thick, height / 2.0, thick);
        world.body(shape, material, pose);
    }
    world.far = 200.0;
    Place {
        half,
        height,
        relief: None,
    }
}

/// A wall, whole or of four parts around an opening of half size, offset along the wall and height of its middle.
fn wall(
    world: &mut World,
    material: usize,
    middle: Vec3,
    turn: f32,
    wide: f32,
    height: f32,
    opening: Option<((f32, f32), f32, f32)>,
) {
    let along = if turn == 0.0 { Vec3::X } else { Vec3::Z };
    let mut part = |from: f32, to: f32, low: f32, high: f32| {
        if to - from > 1e-3 && high - low > 1e-3 {
            let at = middle + along * ((from + to) / 2.0) + Vec3::Y * ((low + high) / 2.0);
            let (half, tall) = ((to - from) / 2.0, (high - low) / 2.0);
            let size = if turn == 0.0 {
                Vec3::new(half, tall, WALL)
            } else {
                Vec3::new(WALL, tall, half)
            };
            world.body(
                Shape::Box,
                material,
                Pose::at(at.x, at.y, at.z).scaled(size.x, size.y, size.z),
            );
        }
    };
    match opening {
        None => part(-wide, wide, 0.0, height),
        Some(((half, tall), offset, level)) => {
            part(-wide, offset - half, 0.0, height);
            part(offset + half, wide, 0.0, height);
            part(offset - half, offset + half, 0.0, level - tall);
            part(offset - half, offset + half, level + tall, height);
        }
    }
}
