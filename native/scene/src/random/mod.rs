//! Random worlds from seeds: rooms and open scenes, with knobs for how difficult they are.

mod dice;
mod finish;
mod knobs;
mod lighting;
mod path;
mod place;
mod split;
mod things;

pub use knobs::{Knobs, Recipe};
pub use split::Split;

use crate::flatten::Flattener;
use crate::meter;
use crate::world::World;
use crate::{Error, Result};
use dice::Dice;
use std::sync::Arc;

/// Smallest number of triangles of a world with meshes.
pub const MESH_TRIANGLES: usize = 2_000;
/// A world that is too dark or too close is drawn again, at most so often.
const ATTEMPTS: u32 = 64;
/// Most that the median of a frame may differ from what the exposure is made for, as a factor.
const MOST_SWING: f32 = 12.0;
/// Aspect of the picture that a world is judged by.
const ASPECT: f32 = 16.0 / 9.0;

/// A world and what is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomWorld {
    /// The world.
    pub world: World,
    /// Its description.
    pub recipe: Recipe,
}

/// The world of a seed for a sequence of `frames` frames. Even seeds have meshes, odd ones analytic shapes alone.
///
/// The same seed, knobs and length give the same world. Cuts, rests, appearing and disappearing fall within the
/// sequence.
///
/// # Errors
/// When the seed belongs to no split, a knob is out of range, or the sequence is empty.
pub fn world(seed: u64, knobs: &Knobs, frames: u32) -> Result<RandomWorld> {
    knobs.check()?;
    let split = Split::of(seed).ok_or_else(|| {
        let end = Split::Test.seeds().end;
        Error::invalid(
            "seed",
            format!("0..{}", end - 1),
            seed.to_string(),
            "choose a seed of a split",
        )
    })?;
    if frames == 0 {
        return Err(Error::invalid(
            "frames",
            "at least 1",
            "0",
            "ask for a longer sequence",
        ));
    }
    for attempt in 0..ATTEMPTS {
        let mut draft = draw(seed, attempt, split, knobs, frames);
        if let Some(exposure) = judge(&draft.world, frames)? {
            draft.world.exposure = exposure;
            return Ok(draft);
        }
    }
    Err(Error::invalid(
        format!("seed {seed}"),
        "a lit picture",
        format!("none in {ATTEMPTS} attempts"),
        "knobs at their extremes leave no light; move them towards their defaults",
    ))
}

fn draw(seed: u64, attempt: u32, split: Split, knobs: &Knobs, frames: u32) -> RandomWorld {
    // A stream for each topic: a knob of the lights does not move the furniture.
    let dice = |topic: u64| Dice::new(seed, (u64::from(attempt) << 8) | topic);
    let mut draft = RandomWorld {
        world: World::empty(seed.to_string()),
        recipe: Recipe {
            seed,
            split,
            attempts: attempt + 1,
            is_open: dice(0).chance(knobs.open),
            has_meshes: seed % 2 == 0,
            triangles: 0,
            bodies: 0,
            moving: 0,
            appearing: 0,
            lights: 0,
            camera: String::new(),
            camera_speed: 0.0,
            cut: None,
            rests_from: None,
            has_thin: false,
            has_foliage: false,
            has_particles: false,
            knobs: knobs.clone(),
        },
    };
    let place = place::build(&mut draft, &mut dice(1));
    path::build(&mut draft, &mut dice(2), &place, frames);
    things::build(&mut draft, &mut dice(3), &place, frames);
    lighting::build(&mut draft, &mut dice(4), &place, frames);
    draft.recipe.triangles = draft
        .world
        .meshes
        .iter()
        .map(|m| m.triangles.len() as u32)
        .sum();
    draft.recipe.bodies = draft.world.bodies.len() as u32;
    draft
}

/// The exposure of a good world, nothing for one to draw again: light must reach a fair part of the picture and
/// nothing may stick to the lens, at the beginning, in the middle and at the end.
fn judge(world: &World, frames: u32) -> Result<Option<f32>> {
    let mut flattener = Flattener::new(Arc::new(world.clone()), ASPECT)?;
    let mut moments = vec![0, frames / 2, frames - 1];
    moments.dedup();
    let mut exposures = Vec::with_capacity(moments.len());
    for &frame in &moments {
        let reading = meter::measure(flattener.frame(frame));
        let is_good = reading.lit_share > 0.3
            && reading.median_luma > 1e-5
            && !reading.is_inside
            && reading.nearest > 4.0 * world.near
            && reading.covered_share > 0.25;
        if !is_good {
            return Ok(None);
        }
        exposures.push(reading.exposure().ln());
    }
    let mean = exposures.iter().sum::<f32>() / exposures.len() as f32;
    let is_even = exposures.iter().all(|e| (e - mean).abs() < MOST_SWING.ln());
    Ok(is_even.then(|| mean.exp()))
}
