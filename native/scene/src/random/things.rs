//! Things in random worlds: what they are, where they stand, how they move.

use super::dice::Dice;
use super::place::Place;
use super::{finish, Knobs, RandomWorld, MESH_TRIANGLES};
use crate::shapes;
use crate::world::{CameraPath, Lifetime, Material, Motion, Move, Pose, Shape, Surface, World};
use glam::{Affine3A, Quat, Vec2, Vec3};
use std::f32::consts::{PI, TAU};

/// Most things, whatever the knobs say.
const MOST: u32 = 40;

pub(super) fn build(draft: &mut RandomWorld, dice: &mut Dice, place: &Place, frames: u32) {
    let knobs = draft.recipe.knobs.clone();
    let has_meshes = draft.recipe.has_meshes;
    let library = if has_meshes {
        meshes(&mut draft.world, dice)
    } else {
        Vec::new()
    };
    let count = 3 + (knobs.clutter * dice.range(4.0, 30.0)) as u32;
    for _ in 0..count.min(MOST) {
        let shape = if has_meshes && dice.chance(0.7) {
            dice.pick(&library)
        } else {
            dice.pick(&[Shape::Sphere, Shape::Box, Shape::Box, Shape::Cylinder])
        };
        let material = finish::surface(&mut draft.world, dice, &knobs, 0.05);
        thing(draft, dice, place, frames, shape, material);
    }
    if dice.chance(knobs.thin) {
        draft.recipe.has_thin = true;
        thin(draft, dice, place, frames);
    }
    if has_meshes && dice.chance(knobs.foliage) {
        draft.recipe.has_foliage = true;
        foliage(draft, dice, place, frames);
    }
    if has_meshes && dice.chance((knobs.shining * 4.0).min(1.0)) {
        shining(draft, dice, place, frames);
    }
}

/// Two to four different meshes, together at least as many triangles as a world with meshes must have.
fn meshes(world: &mut World, dice: &mut Dice) -> Vec<Shape> {
    let mut library = Vec::new();
    let mut triangles: usize = world.meshes.iter().map(|m| m.triangles.len()).sum();
    while library.len() < 2
        || (triangles < MESH_TRIANGLES && library.len() < 8)
        || (library.len() < 4 && dice.chance(0.4))
    {
        let shape = world.mesh(&mesh(dice));
        triangles += world.meshes.last().map_or(0, |m| m.triangles.len());
        library.push(shape);
    }
    library
}

/// A closed form within about one unit of its origin.
fn mesh(dice: &mut Dice) -> Surface {
    match dice.below(8) {
        0 | 1 => {
            let level = if dice.chance(0.15) { 4 } else { 3 };
            shapes::boulder(
                level,
                dice.range(0.05, 0.5),
                dice.log_range(1.0, 4.0),
                dice.number(),
            )
        }
        2 => {
            let mut ring = shapes::torus(40, 18, dice.range(0.1, 0.45));
            ring.displace(|v| v.position * 0.72);
            ring
        }
        3 => shapes::knot(
            dice.pick(&[2, 3]),
            dice.pick(&[3, 5, 7]),
            dice.range(0.05, 0.16),
            120,
            8,
        ),
        4 | 5 => vase(dice),
        6 => shapes::superellipsoid(36, 20, dice.log_range(0.15, 2.0)),
        _ => stool(dice),
    }
}

/// A turned form: bulges along its height, closed at both ends.
fn vase(dice: &mut Dice) -> Surface {
    let (a, b, c) = (
        dice.range(0.0, 0.35),
        dice.range(0.0, TAU),
        dice.range(1.0, 3.5),
    );
    let slim = dice.range(0.25, 0.6);
    shapes::lathe(32, 28, |v| {
        let body = slim * (1.0 + a * (c * PI * v + b).sin());
        // The first and last rows close the form.
        let radius = if v <= 0.0 || v >= 1.0 { 0.0 } else { body };
        Vec2::new(radius, 2.0 * v.clamp(0.02, 0.98) - 1.0)
    })
}

/// A seat on legs: thin parts of a larger thing.
fn stool(dice: &mut Dice) -> Surface {
    let mut surface = Surface::default();
    let block = shapes::superellipsoid(24, 12, 0.3);
    let seat = dice.range(-0.1, 0.6);
    let at = |scale: Vec3, place: Vec3| {
        Affine3A::from_scale_rotation_translation(scale, Quat::IDENTITY, place)
    };
    surface.add(&block, at(Vec3::new(0.6, 0.07, 0.6), Vec3::Y * seat));
    let thick = dice.range(0.03, 0.08);
    for (x, z) in [(-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45)] {
        let tall = (seat + 1.0) / 2.0;
        surface.add(
            &block,
            at(Vec3::new(thick, tall, thick), Vec3::new(x, tall - 1.0, z)),
        );
    }
    if dice.chance(0.5) {
        surface.add(
            &block,
            at(Vec3::new(0.6, 0.35, 0.05), Vec3::new(0.0, seat + 0.4, -0.5)),
        );
    }
    surface
}

/// Puts a thing where it is in nobody's way. Gives up quietly where there is no room.
fn thing(
    draft: &mut RandomWorld,
    dice: &mut Dice,
    place: &Place,
    frames: u32,
    shape: Shape,
    material: usize,
) {
    let knobs = draft.recipe.knobs.clone();
    for _ in 0..6 {
        let size = dice.log_range(0.12, 0.8) * if draft.recipe.is_open { 1.4 } else { 1.0 };
        let stretch = Vec3::new(
            dice.range(0.6, 1.3),
            dice.range(0.5, 1.5),
            dice.range(0.6, 1.3),
        );
        let scale = match shape {
            Shape::Mesh(_) => Vec3::splat(size) * stretch.lerp(Vec3::ONE, 0.5),
            _ if dice.chance(0.3) => Vec3::splat(size),
            _ => stretch * size,
        };
        let radius = scale.max_element() * 1.75;
        let (x, z) = (
            dice.range(-0.85, 0.85) * (place.half.x - 0.3),
            dice.range(-0.85, 0.85) * (place.half.z - 0.3),
        );
        let lift = if dice.chance(0.75) {
            0.0
        } else {
            dice.range(0.0, 0.5) * place.height
        };
        let y = place.ground(x, z) + scale.y + lift;
        let mut pose = Pose::at(x, y, z).scaled(scale.x, scale.y, scale.z);
        pose = pose.turned(Vec3::Y, dice.range(0.0, 360.0));
        if lift > 0.0 && dice.chance(0.5) {
            pose = pose.turned(dice.direction(), dice.range(0.0, 180.0));
        }
        let motion = motion(&knobs, dice, pose);
        if !is_clear_of_camera(&draft.world, &motion, radius, frames) {
            continue;
        }
        draft.recipe.moving += u32::from(!motion.moves.is_empty());
        let body = draft.world.body(shape, material, motion);
        if frames > 2 && dice.chance(knobs.appearing) {
            let moment = dice.between(1, frames - 1);
            draft.world.bodies[body].lifetime = if dice.chance(0.5) {
                Lifetime {
                    from: moment,
                    until: u32::MAX,
                }
            } else {
                Lifetime {
                    from: 0,
                    until: moment,
                }
            };
            draft.recipe.appearing += 1;
        }
        return;
    }
}

fn motion(knobs: &Knobs, dice: &mut Dice, pose: Pose) -> Motion {
    let mut motion = Motion::from(pose);
    if !dice.chance(knobs.moving) {
        return motion;
    }
    let speed = dice.log_range(0.3, 2.5) * knobs.speed;
    let period = 60.0 / speed.max(0.05);
    let phase = dice.unit();
    for _ in 0..dice.between(1, 2) {
        motion = motion.with(match dice.below(6) {
            0 => Move::Drift(dice.direction() * Vec3::new(1.0, 0.15, 1.0) * 0.012 * speed),
            1 => Move::Sway {
                span: dice.direction() * Vec3::new(0.5, 0.2, 0.5),
                period,
                phase,
            },
            2 | 3 => Move::Spin {
                axis: if dice.chance(0.7) {
                    Vec3::Y
                } else {
                    dice.direction()
                },
                turn: 0.06 * speed * dice.sign(),
            },
            4 => Move::Orbit {
                center: pose.translation
                    + Vec3::new(dice.range(-0.6, 0.6), 0.0, dice.range(-0.6, 0.6)),
                axis: Vec3::Y,
                turn: 0.035 * speed * dice.sign(),
            },
            _ => Move::Pulse {
                span: Vec3::new(0.2, 0.3, 0.2) * dice.unit(),
                period,
                phase,
            },
        });
    }
    motion
}

/// True when a ball about a moving thing never comes near the lens.
fn is_clear_of_camera(world: &World, motion: &Motion, radius: f32, frames: u32) -> bool {
    let CameraPath::Shots(shots) = &world.camera else {
        return true;
    };
    let keys = shots.iter().flat_map(|shot| &shot.keys);
    let step = (frames / 8).max(1) as usize;
    keys.into_iter().all(|key| {
        (0..=frames).step_by(step).all(|frame| {
            let at = motion
                .at(f64::from(frame), &world.nodes)
                .translation
                .as_vec3();
            at.distance(key.eye) > radius + 0.35
        })
    })
}

/// Rods, wires or railings.
fn thin(draft: &mut RandomWorld, dice: &mut Dice, place: &Place, frames: u32) {
    let knobs = draft.recipe.knobs.clone();
    let material = finish::wire(&mut draft.world, dice);
    let half = dice.log_range(0.004, 0.02);
    let top = place.height.min(2.5);
    if draft.recipe.has_meshes && dice.chance(0.6) {
        // A railing or net as one mesh.
        let (nx, ny) = (dice.between(4, 24), dice.between(2, 8));
        let (wide, tall) = (dice.range(0.5, 1.6), dice.range(0.3, 0.7));
        let bars = shapes::grid(nx, ny, half / wide.min(tall));
        let shape = draft.world.mesh(&bars);
        let (x, z) = (
            dice.range(-0.5, 0.5) * place.half.x,
            dice.range(-0.5, 0.5) * place.half.z,
        );
        let pose = Pose::at(x, place.ground(x, z) + tall, z)
            .scaled(wide, tall, wide.min(tall))
            .turned(Vec3::Y, dice.range(0.0, 360.0));
        let motion = motion(
            &Knobs {
                moving: 0.15,
                ..knobs
            },
            dice,
            pose,
        );
        if is_clear_of_camera(&draft.world, &motion, 0.3, frames) {
            draft.world.body(shape, material, motion);
        }
        return;
    }
    for _ in 0..dice.between(3, 14) {
        let mut end = || {
            Vec3::new(
                dice.range(-0.8, 0.8) * place.half.x,
                dice.range(0.1, 0.95) * top,
                dice.range(-0.8, 0.8) * place.half.z,
            )
        };
        let (a, mut b) = (end(), end());
        if dice.chance(0.5) {
            // Upright.
            b = Vec3::new(a.x, place.ground(a.x, a.z), a.z);
        }
        if a.distance(b) > 0.2 && is_clear_of_line(&draft.world, a, b) {
            draft
                .world
                .body(Shape::Cylinder, material, Pose::between(a, b, half));
        }
    }
}

fn is_clear_of_line(world: &World, a: Vec3, b: Vec3) -> bool {
    let CameraPath::Shots(shots) = &world.camera else {
        return true;
    };
    shots.iter().flat_map(|shot| &shot.keys).all(|key| {
        let share = ((key.eye - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        (a + (b - a) * share).distance(key.eye) > 0.35
    })
}

fn foliage(draft: &mut RandomWorld, dice: &mut Dice, place: &Place, frames: u32) {
    let material = finish::leaves(&mut draft.world, dice);
    let crown = shapes::tree_crown(dice.between(40, 160), dice.range(0.2, 0.45), dice.number());
    let bush = draft.world.mesh(&crown);
    for _ in 0..dice.between(1, 4) {
        thing(draft, dice, place, frames, bush, material);
    }
    if draft.recipe.is_open && dice.chance(0.6) {
        let green = Dice::hue(dice.range(0.2, 0.33), 0.7, dice.range(0.25, 0.6));
        let blade = draft.world.material(Material {
            subsurface: 0.4,
            ..Material::glossy(green.x, green.y, green.z, 0.6)
        });
        let shape = draft
            .world
            .mesh(&shapes::grass(400, 0.3, 0.012, dice.number()));
        for _ in 0..dice.between(1, 5) {
            let (x, z) = (
                dice.range(-0.7, 0.7) * place.half.x,
                dice.range(-0.7, 0.7) * place.half.z,
            );
            let motion = Motion::from(Pose::at(x, place.ground(x, z) - 0.02, z));
            if is_clear_of_camera(&draft.world, &motion, 1.0, frames) {
                draft.world.body(shape, blade, motion);
            }
        }
    }
}

/// Things that shine: bent tubes of few triangles, each a light.
fn shining(draft: &mut RandomWorld, dice: &mut Dice, place: &Place, frames: u32) {
    let color = Dice::hue(dice.unit(), dice.range(0.3, 0.9), 1.0) * dice.log_range(1.0, 12.0);
    let material = draft.world.material(Material::emitter(color));
    let bend = dice.range(0.0, 1.0);
    let points: Vec<Vec3> = (0..=8)
        .map(|i| {
            let t = i as f32 / 4.0 - 1.0;
            Vec3::new(t, bend * (PI * t).sin() * 0.5, 0.0)
        })
        .collect();
    let shape = draft
        .world
        .mesh(&shapes::tube(&points, dice.range(0.03, 0.1), 6));
    thing(draft, dice, place, frames, shape, material);
}
