//! Lights of random worlds: sun and sky outside, one to four lights inside, and particles.

use super::dice::Dice;
use super::place::Place;
use super::RandomWorld;
use crate::world::{
    Cone, Emitter, Flicker, Lifetime, Light, LightShape, Motion, Move, Pose, Sky, Sun,
};
use glam::{Vec2, Vec3};

pub(super) fn build(draft: &mut RandomWorld, dice: &mut Dice, place: &Place, frames: u32) {
    let is_open = draft.recipe.is_open;
    let daylight = if is_open {
        dice.chance(0.8)
    } else {
        dice.chance(0.55)
    };
    if daylight {
        sky(draft, dice);
    } else {
        let night = Dice::hue(0.6 + dice.range(-0.1, 0.1), 0.6, 1.0) * dice.log_range(0.001, 0.03);
        draft.world.sky = Sky {
            zenith: night,
            horizon: night * dice.range(1.0, 3.0),
            ground: night * 0.3,
        };
    }
    let most = draft.recipe.knobs.most_lights;
    let count = if is_open && daylight {
        dice.below(most)
    } else {
        dice.between(1, most)
    };
    // What a light gives is measured at the size of the place, so that no light drowns the others.
    let reach = place.half.x.min(place.half.z).min(4.0);
    for _ in 0..count {
        let light = light(
            draft,
            dice,
            place,
            reach,
            if daylight && is_open { 4.0 } else { 1.0 },
        );
        draft.world.lights.push(light);
    }
    draft.recipe.lights = count;
    if dice.chance(draft.recipe.knobs.particles) {
        draft.recipe.has_particles = true;
        particles(draft, dice, place, frames);
    }
}

fn sky(draft: &mut RandomWorld, dice: &mut Dice) {
    let strength = dice.log_range(0.3, 1.5);
    let blue = Vec3::new(0.25, 0.45, 0.95).lerp(Vec3::splat(0.7), dice.unit());
    let pale = Vec3::new(0.8, 0.85, 0.9).lerp(Vec3::new(1.0, 0.65, 0.4), dice.unit().powi(2));
    draft.world.sky = Sky {
        zenith: blue * strength,
        horizon: pale * strength,
        ground: Vec3::new(0.25, 0.22, 0.2) * strength,
    };
    if dice.chance(0.7) {
        let height = dice.range(0.12, 1.2);
        let (sine, cosine) = dice.range(0.0, std::f32::consts::TAU).sin_cos();
        let direction = Vec3::new(height.cos() * cosine, height.sin(), height.cos() * sine);
        let warm = (1.0 - height).clamp(0.0, 1.0);
        let tone = Vec3::new(1.0, 0.95, 0.88).lerp(Vec3::new(1.0, 0.62, 0.3), warm);
        let irradiance = tone * strength * dice.log_range(1.5, 12.0);
        draft.world.sun = Some(Sun::with_irradiance(
            direction,
            dice.log_range(0.006, 0.06),
            irradiance,
        ));
    }
}

fn light(draft: &RandomWorld, dice: &mut Dice, place: &Place, reach: f32, gain: f32) -> Light {
    let knobs = &draft.recipe.knobs;
    let at = Vec3::new(
        dice.range(-0.75, 0.75) * place.half.x,
        dice.range(0.62, 0.95) * place.height,
        dice.range(-0.75, 0.75) * place.half.z,
    );
    let at = at + Vec3::Y * place.ground(at.x, at.z).max(0.0);
    let tone = match dice.below(4) {
        0 => Vec3::ONE,
        1 => Vec3::new(1.0, 0.75, 0.45),
        2 => Vec3::new(0.65, 0.8, 1.0),
        _ => Dice::hue(dice.unit(), dice.range(0.3, 0.9), 1.0),
    };
    // Irradiance that it gives at the distance `reach`, facing it.
    let given = tone * dice.log_range(0.3, 2.0) * gain;
    let is_spot = dice.chance(knobs.spots);
    let aim = Vec3::new(
        dice.range(-0.4, 0.4) * place.half.x,
        0.0,
        dice.range(-0.4, 0.4) * place.half.z,
    );
    let (shape, area, pose) = if dice.chance(0.5) {
        let half = Vec2::new(dice.log_range(0.08, 0.8), dice.log_range(0.08, 0.8));
        let below = Vec3::new(at.x, at.y.min(place.height - 0.05), at.z);
        (
            LightShape::Rectangle(half),
            4.0 * half.x * half.y,
            Pose::facing(below, aim),
        )
    } else {
        let radius = dice.log_range(0.04, 0.3);
        let low = Vec3::new(at.x, at.y.min(place.height - radius - 0.05), at.z);
        let area = std::f32::consts::PI * radius * radius;
        (LightShape::Sphere(radius), area, Pose::facing(low, aim))
    };
    let mut light = Light::new(
        shape,
        given * reach * reach / area,
        motion(knobs, dice, place, pose),
    );
    if is_spot {
        let outer = dice.range(0.25, 0.8);
        light.cone = Some(Cone {
            inner: outer * dice.range(0.5, 0.95),
            outer,
        });
        light.radiance *= 2.5;
    }
    if dice.chance(knobs.flicker) {
        light.flicker = if dice.chance(0.5) {
            Flicker::Pulse {
                depth: dice.range(0.2, 0.9),
                period: dice.log_range(6.0, 60.0),
                phase: dice.unit(),
            }
        } else {
            Flicker::Jumps {
                depth: dice.range(0.1, 0.6),
                hold: dice.between(1, 6),
                seed: dice.number(),
            }
        };
    }
    light.has_body = dice.chance(0.85);
    light
}

fn motion(knobs: &super::Knobs, dice: &mut Dice, place: &Place, pose: Pose) -> Motion {
    let still = Motion::from(pose);
    if !dice.chance(knobs.moving_lights) {
        return still;
    }
    let period = dice.log_range(20.0, 120.0) / knobs.speed.max(0.1);
    if dice.chance(0.4) {
        // Turns in place: a spot or panel that sweeps.
        return still.with(Move::Rock {
            axis: Vec3::X,
            angle: dice.range(0.1, 0.6),
            period,
            phase: dice.unit(),
        });
    }
    // Stays clear of the walls.
    let room = (place.half * 0.9 - pose.translation.abs()).max(Vec3::ZERO);
    let span = Vec3::new(
        dice.range(-1.0, 1.0) * room.x,
        0.0,
        dice.range(-1.0, 1.0) * room.z,
    );
    still.with(Move::Sway {
        span: span.clamp_length_max(1.5),
        period,
        phase: 0.0,
    })
}

fn particles(draft: &mut RandomWorld, dice: &mut Dice, place: &Place, frames: u32) {
    let at = Vec3::new(
        dice.range(-0.5, 0.5) * place.half.x,
        dice.range(0.1, 0.6) * place.height,
        dice.range(-0.5, 0.5) * place.half.z,
    );
    let is_dust = dice.chance(0.4);
    let color = Dice::hue(dice.range(0.0, 0.16), dice.range(0.2, 0.9), 1.0);
    // Against white surfaces under the sky, or about 0.5 indoors.
    let shine = dice.log_range(0.5, 20.0) * draft.world.sky.zenith.y.max(0.5);
    draft.world.emitters.push(Emitter {
        origin: at,
        spread: if is_dust {
            place.half * 0.6 + Vec3::Y * 0.8
        } else {
            Vec3::splat(0.15)
        },
        velocity: if is_dust {
            Vec3::ZERO
        } else {
            Vec3::Y * dice.range(0.005, 0.05)
        },
        scatter: Vec3::splat(if is_dust {
            0.003
        } else {
            dice.range(0.005, 0.03)
        }),
        gravity: if is_dust {
            Vec3::ZERO
        } else {
            Vec3::Y * dice.range(-0.0015, 0.0004)
        },
        swirl: dice.range(0.0, 0.2),
        count: dice.between(20, 160),
        life: dice.range(20.0, 80.0),
        radius: (0.004, dice.log_range(0.008, 0.05)),
        colors: (
            color * shine,
            color * Vec3::new(1.0, 0.6, 0.5) * shine * 0.4,
        ),
        opacity: dice.range(0.3, 1.0),
        seed: dice.number(),
        lifetime: Lifetime {
            from: if dice.chance(0.8) {
                0
            } else {
                dice.below(frames)
            },
            until: u32::MAX,
        },
    });
}
