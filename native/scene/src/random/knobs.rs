//! How difficult random worlds are, and what came of it in one of them.

use super::split::Split;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Difficulty of random worlds. Every member is a probability or a share, 0..1, unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knobs {
    /// Open scenes among rooms.
    pub open: f32,
    /// Things of a world: 0 few, 1 many.
    pub clutter: f32,
    /// Camera that moves at all.
    pub camera_moves: f32,
    /// Factor on every speed, 0..4.
    pub speed: f32,
    /// Sequences with a cut in the middle.
    pub cuts: f32,
    /// Sequences whose camera comes to rest half way.
    pub rests: f32,
    /// Things that move.
    pub moving: f32,
    /// Things that appear or disappear.
    pub appearing: f32,
    /// Worlds with rods, wires, grids or railings.
    pub thin: f32,
    /// Worlds with foliage.
    pub foliage: f32,
    /// Materials that are mirrors.
    pub mirrors: f32,
    /// Materials that are metal.
    pub metals: f32,
    /// Materials with a pattern or picture.
    pub textures: f32,
    /// Things that shine.
    pub shining: f32,
    /// Most lights besides sun and sky, 1..4.
    pub most_lights: u32,
    /// Lights that move.
    pub moving_lights: f32,
    /// Lights that flicker.
    pub flicker: f32,
    /// Lights that are spots.
    pub spots: f32,
    /// Worlds with particles.
    pub particles: f32,
}

impl Default for Knobs {
    fn default() -> Self {
        Knobs {
            open: 0.4,
            clutter: 0.5,
            camera_moves: 0.75,
            speed: 1.0,
            cuts: 0.08,
            rests: 0.25,
            moving: 0.35,
            appearing: 0.06,
            thin: 0.5,
            foliage: 0.3,
            mirrors: 0.06,
            metals: 0.2,
            textures: 0.5,
            shining: 0.05,
            most_lights: 4,
            moving_lights: 0.25,
            flicker: 0.12,
            spots: 0.2,
            particles: 0.15,
        }
    }
}

impl Knobs {
    /// Still lights, slow movement, few things: where training begins.
    pub fn easy() -> Self {
        Knobs {
            clutter: 0.2,
            speed: 0.5,
            cuts: 0.0,
            moving: 0.15,
            appearing: 0.0,
            thin: 0.2,
            foliage: 0.1,
            mirrors: 0.0,
            shining: 0.0,
            most_lights: 2,
            moving_lights: 0.0,
            flicker: 0.0,
            spots: 0.0,
            particles: 0.0,
            ..Knobs::default()
        }
    }

    /// Fast, crowded, thin, flickering.
    pub fn hard() -> Self {
        Knobs {
            clutter: 1.0,
            camera_moves: 0.95,
            speed: 2.0,
            cuts: 0.15,
            moving: 0.7,
            appearing: 0.15,
            thin: 0.9,
            foliage: 0.6,
            mirrors: 0.15,
            metals: 0.35,
            textures: 0.8,
            shining: 0.12,
            moving_lights: 0.5,
            flicker: 0.3,
            spots: 0.35,
            particles: 0.35,
            ..Knobs::default()
        }
    }

    /// Refuses values out of range.
    ///
    /// # Errors
    /// Names the first knob that is out of range.
    pub fn check(&self) -> Result<()> {
        let shares = [
            ("open", self.open),
            ("clutter", self.clutter),
            ("camera_moves", self.camera_moves),
            ("cuts", self.cuts),
            ("rests", self.rests),
            ("moving", self.moving),
            ("appearing", self.appearing),
            ("thin", self.thin),
            ("foliage", self.foliage),
            ("mirrors", self.mirrors),
            ("metals", self.metals),
            ("textures", self.textures),
            ("shining", self.shining),
            ("moving_lights", self.moving_lights),
            ("flicker", self.flicker),
            ("spots", self.spots),
            ("particles", self.particles),
        ]
        .map(|(name, value)| (name, value, 0.0, 1.0));
        let others = [
            ("speed", self.speed, 0.0, 4.0),
            ("most_lights", self.most_lights as f32, 1.0, 4.0),
        ];
        for (name, value, low, high) in shares.into_iter().chain(others) {
            // Written so that NaN is refused too.
            if !(low..=high).contains(&value) {
                return Err(Error::invalid(
                    format!("knob {name}"),
                    format!("{low}..{high}"),
                    value.to_string(),
                    "set it inside this range",
                ));
            }
        }
        Ok(())
    }
}

/// What a world turned out to be: recorded beside its frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The seed.
    pub seed: u64,
    /// The split that the seed belongs to.
    pub split: Split,
    /// Worlds drawn before one was good.
    pub attempts: u32,
    /// An open scene, else a room.
    pub is_open: bool,
    /// Meshes, else analytic shapes alone.
    pub has_meshes: bool,
    /// Triangles of all meshes.
    pub triangles: u32,
    /// Things.
    pub bodies: u32,
    /// Things that move.
    pub moving: u32,
    /// Things that appear or disappear.
    pub appearing: u32,
    /// Lights besides sun and sky.
    pub lights: u32,
    /// The camera: still, pan, roll, dolly, orbit, crane or hand.
    pub camera: String,
    /// Speed of the camera, in shares of its usual path a frame.
    pub camera_speed: f32,
    /// Frame of a cut.
    pub cut: Option<u32>,
    /// Frame from which the camera stands still.
    pub rests_from: Option<u32>,
    /// Rods, wires, grids or railings.
    pub has_thin: bool,
    /// Foliage.
    pub has_foliage: bool,
    /// Particles.
    pub has_particles: bool,
    /// The knobs it was drawn with.
    pub knobs: Knobs,
}
