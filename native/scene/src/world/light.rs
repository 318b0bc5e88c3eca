//! Lights over time.

use super::motion::Motion;
use glam::{Vec2, Vec3};
use std::f32::consts::TAU;

/// Shape of a light in its own space. Its pose places, turns and scales it; spheres must be scaled evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LightShape {
    /// Radius in world units at scale 1.
    Sphere(f32),
    /// Half width and half height along x and y; shines towards +z only.
    Rectangle(Vec2),
}

/// A spotlight's cone about +z of the light's own space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    /// Full strength within this half angle, radians.
    pub inner: f32,
    /// Dark beyond this half angle, radians.
    pub outer: f32,
}

/// Strength over time: a factor between `1 - depth` and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flicker {
    /// Always 1.
    Steady,
    /// A sine.
    Pulse {
        /// 0..1.
        depth: f32,
        /// Frames.
        period: f32,
        /// 0..1.
        phase: f32,
    },
    /// A new value every `hold` frames, from a sequence fixed by `seed`: flames and broken tubes.
    Jumps {
        /// 0..1.
        depth: f32,
        /// Frames, at least 1.
        hold: u32,
        /// Any number.
        seed: u32,
    },
}

impl Flicker {
    /// The factor at a frame.
    pub fn at(&self, frame: f64) -> f32 {
        match *self {
            Flicker::Steady => 1.0,
            Flicker::Pulse {
                depth,
                period,
                phase,
            } => {
                let wave = (TAU * ((frame as f32) / period + phase)).sin();
                1.0 - depth * (0.5 + 0.5 * wave)
            }
            Flicker::Jumps { depth, hold, seed } => {
                let step = frame.max(0.0) as u32 / hold.max(1);
                1.0 - depth * scramble(step, seed)
            }
        }
    }
}

/// A number 0..1 that depends on both inputs alone.
pub(crate) fn scramble(index: u32, seed: u32) -> f32 {
    let mut h = index.wrapping_mul(0x9e37_79b9) ^ seed.wrapping_mul(0x85eb_ca6b);
    for _ in 0..2 {
        h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
        h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
    }
    ((h ^ (h >> 16)) >> 8) as f32 / (1 << 24) as f32
}

/// From when to when something exists, in frames; the end is not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// First frame.
    pub from: u32,
    /// First frame without it.
    pub until: u32,
}

impl Lifetime {
    /// Always there.
    pub const ALWAYS: Lifetime = Lifetime {
        from: 0,
        until: u32::MAX,
    };

    /// True at a frame.
    pub fn contains(&self, frame: u32) -> bool {
        (self.from..self.until).contains(&frame)
    }
}

/// A light of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Light {
    /// Its shape.
    pub shape: LightShape,
    /// Radiance of its surface, linear.
    pub radiance: Vec3,
    /// Where it is.
    pub motion: Motion,
    /// Strength over time.
    pub flicker: Flicker,
    /// Makes it a spotlight.
    pub cone: Option<Cone>,
    /// When it shines.
    pub lifetime: Lifetime,
    /// Its surface is seen; otherwise only its light is.
    pub has_body: bool,
}

impl Light {
    /// A steady light that is always there.
    pub fn new(shape: LightShape, radiance: Vec3, motion: impl Into<Motion>) -> Self {
        Light {
            shape,
            radiance,
            motion: motion.into(),
            flicker: Flicker::Steady,
            cone: None,
            lifetime: Lifetime::ALWAYS,
            has_body: true,
        }
    }
}

/// The sun: light from one direction, a disc of even radiance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sun {
    /// Towards the sun, unit.
    pub direction: Vec3,
    /// Radians; the real sun has 0.0047.
    pub angular_radius: f32,
    /// Radiance of the disc. Irradiance across the beam is about `pi * angular_radius^2` times this.
    pub radiance: Vec3,
}

impl Sun {
    /// A sun that gives `irradiance` on a surface facing it.
    pub fn with_irradiance(direction: Vec3, angular_radius: f32, irradiance: Vec3) -> Self {
        let sine = angular_radius.sin();
        Sun {
            direction: direction.normalize(),
            angular_radius,
            radiance: irradiance / (std::f32::consts::PI * sine * sine),
        }
    }
}

/// A smooth sky: radiance by the height of the direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sky {
    /// Straight up.
    pub zenith: Vec3,
    /// At the horizon.
    pub horizon: Vec3,
    /// Straight down.
    pub ground: Vec3,
}

impl Sky {
    /// No light from outside.
    pub const NONE: Sky = Sky {
        zenith: Vec3::ZERO,
        horizon: Vec3::ZERO,
        ground: Vec3::ZERO,
    };
}
