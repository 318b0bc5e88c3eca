//! The camera of a random world.

use super::dice::Dice;
use super::place::Place;
use super::RandomWorld;
use crate::world::{CameraKey, CameraPath, Shot};
use glam::{Quat, Vec3};

pub(super) fn build(draft: &mut RandomWorld, dice: &mut Dice, place: &Place, frames: u32) {
    let knobs = draft.recipe.knobs.clone();
    let cut = (frames >= 4 && dice.chance(knobs.cuts)).then(|| dice.between(2, frames - 2));
    let rest =
        (frames >= 4 && dice.chance(knobs.rests)).then(|| dice.between(frames / 3, 2 * frames / 3));
    let mut shots = vec![shot(draft, dice, place, 0, frames, rest)];
    if let Some(cut) = cut {
        shots.push(shot(
            draft,
            dice,
            place,
            cut,
            frames,
            rest.filter(|&r| r > cut),
        ));
    }
    draft.recipe.cut = cut;
    draft.recipe.rests_from = rest;
    draft.world.camera = CameraPath::Shots(shots);
}

fn shot(
    draft: &mut RandomWorld,
    dice: &mut Dice,
    place: &Place,
    from: u32,
    frames: u32,
    rest: Option<u32>,
) -> Shot {
    let knobs = &draft.recipe.knobs;
    let (sine, cosine) = dice.range(0.0, std::f32::consts::TAU).sin_cos();
    let away = dice.range(0.65, 0.85);
    let top = (place.height - 0.4).min(2.4);
    let eye = Vec3::new(
        (away * place.half.x * 1.3 * cosine).clamp(-0.85 * place.half.x, 0.85 * place.half.x),
        dice.range(0.6, top),
        (away * place.half.z * 1.3 * sine).clamp(-0.85 * place.half.z, 0.85 * place.half.z),
    );
    let target = Vec3::new(
        dice.range(-0.3, 0.3) * place.half.x,
        dice.range(0.3, 1.3),
        dice.range(-0.3, 0.3) * place.half.z,
    );
    let speed = dice.log_range(0.25, 2.0) * knobs.speed;
    let kind = if dice.chance(knobs.camera_moves) {
        dice.pick(&[
            "pan", "pan", "roll", "dolly", "dolly", "orbit", "crane", "hand",
        ])
    } else {
        "still"
    };
    let fov_y = dice.range(35.0, 65.0).to_radians();
    let turn = dice.sign();
    let shake = if kind == "hand" { 0.006 * speed } else { 0.0 };
    let ahead = (target - eye).normalize();
    let side = Vec3::Y.cross(ahead).normalize_or(Vec3::X);
    // A key every few frames: the path between follows the same curve closely.
    let end = rest.unwrap_or(frames).max(from + 1);
    let steps = (end - from).div_ceil(4).max(1);
    let keys = (0..=steps).map(|step| {
        let time = (end - from) as f32 * step as f32 / steps as f32;
        let run = time * speed * turn;
        let mut key = CameraKey {
            frame: from as f32 + time,
            eye,
            target,
            roll: 0.0,
            fov_y,
        };
        match kind {
            "pan" => {
                key.target = eye + Quat::from_rotation_y(0.016 * run) * (target - eye);
                key.target.y += 0.01 * run;
            }
            "roll" => key.roll = 0.012 * run,
            "dolly" => {
                // To and fro within the place, mostly sideways.
                let sway = (0.035 * run).sin();
                key.eye = eye + side * sway + ahead * (0.4 * (1.0 - (0.05 * run).cos()));
            }
            "orbit" => key.eye = target + Quat::from_rotation_y(0.012 * run) * (eye - target),
            "crane" => {
                key.eye =
                    eye + Vec3::Y * (0.5 * (0.05 * run).sin()) + side * (0.3 * (0.03 * run).sin())
            }
            _ => {}
        }
        key.eye.x = key.eye.x.clamp(-0.9 * place.half.x, 0.9 * place.half.x);
        key.eye.z = key.eye.z.clamp(-0.9 * place.half.z, 0.9 * place.half.z);
        key.eye.y = key.eye.y.clamp(0.35, place.height - 0.3);
        // Over hills the camera keeps its height above the ground.
        let ground = place.ground(key.eye.x, key.eye.z).max(0.0);
        key.eye.y += ground;
        key
    });
    let keys: Vec<CameraKey> = keys.collect();
    draft.recipe.camera = kind.to_string();
    draft.recipe.camera_speed = if kind == "still" { 0.0 } else { speed };
    Shot { from, keys, shake }
}
