//! Clouds of glowing discs: sparks, embers, dust in a beam. They have no motion vectors and cast no shadow.

use super::light::{scramble, Lifetime};
use glam::{DVec3, Vec3};
use std::f64::consts::TAU;

/// Particles that leave a region, drift and fade, each again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Emitter {
    /// Middle of the region, world units.
    pub origin: Vec3,
    /// Half size of the region.
    pub spread: Vec3,
    /// World units a frame.
    pub velocity: Vec3,
    /// Each particle's own speed on top, world units a frame at most along each axis.
    pub scatter: Vec3,
    /// World units a frame, gained each frame.
    pub gravity: Vec3,
    /// Swirling displacement, world units.
    pub swirl: f32,
    /// Number at any time.
    pub count: u32,
    /// Frames from appearing to fading.
    pub life: f32,
    /// World units: smallest and largest.
    pub radius: (f32, f32),
    /// Radiance when young and when old, linear.
    pub colors: (Vec3, Vec3),
    /// Of the middle of a disc, 0..1.
    pub opacity: f32,
    /// Any number.
    pub seed: u32,
    /// When there are any.
    pub lifetime: Lifetime,
}

/// One particle at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle {
    /// World units.
    pub position: DVec3,
    /// World units.
    pub radius: f32,
    /// Radiance, linear.
    pub color: Vec3,
    /// 0..1.
    pub opacity: f32,
}

impl Emitter {
    /// All particles at a frame.
    pub fn at(&self, frame: u32) -> impl Iterator<Item = Particle> + '_ {
        let count = if self.lifetime.contains(frame) {
            self.count
        } else {
            0
        };
        (0..count).map(move |index| self.particle(index, f64::from(frame)))
    }

    fn particle(&self, index: u32, frame: f64) -> Particle {
        let life = f64::from(self.life);
        // Births are spread over a life, so that the number stays even; each rebirth draws anew.
        let clock = frame / life + f64::from(scramble(index, self.seed));
        let (round, age) = (clock.floor(), clock.fract());
        let draw =
            |what: u32| scramble(index + self.count * round as u32, self.seed ^ (what << 24));
        let signed = |what: u32| 2.0 * draw(what) - 1.0;
        let start = self.origin + self.spread * Vec3::new(signed(1), signed(2), signed(3));
        let speed = self.velocity + self.scatter * Vec3::new(signed(4), signed(5), signed(6));
        let time = age * life;
        let turn = TAU * (f64::from(draw(7)) + age * 1.5);
        let swirl =
            DVec3::new(turn.cos(), (1.3 * turn).sin() * 0.4, turn.sin()) * f64::from(self.swirl);
        let fade = (4.0 * age * (1.0 - age)).min(1.0) as f32;
        Particle {
            position: start.as_dvec3()
                + speed.as_dvec3() * time
                + self.gravity.as_dvec3() * (0.5 * time * time)
                + swirl,
            radius: self.radius.0 + (self.radius.1 - self.radius.0) * draw(8),
            color: self.colors.0.lerp(self.colors.1, age as f32),
            opacity: self.opacity * fade,
        }
    }
}
