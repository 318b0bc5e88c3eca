//! Random numbers that a seed fixes on every machine.

use glam::Vec3;
use rand::Rng as _;
use rand_pcg::Pcg32;

/// A stream of numbers. Streams of one seed are independent: what one draws does not shift another.
pub(crate) struct Dice(Pcg32);

impl Dice {
    /// The stream `topic` of `seed`.
    pub fn new(seed: u64, topic: u64) -> Self {
        Dice(Pcg32::new(seed, topic))
    }

    /// 0 <= x < 1, a multiple of 2^-24.
    pub fn unit(&mut self) -> f32 {
        (self.0.next_u32() >> 8) as f32 / (1 << 24) as f32
    }

    /// From `low` to `high`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// From `low` to `high`, each factor of it as likely: for sizes and speeds.
    pub fn log_range(&mut self, low: f32, high: f32) -> f32 {
        low * (high / low).powf(self.unit())
    }

    /// True with a probability.
    pub fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    /// 0..count.
    pub fn below(&mut self, count: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(count)) >> 32) as u32
    }

    /// From `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.max(low) - low + 1)
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// Any number.
    pub fn number(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// -1 or 1.
    pub fn sign(&mut self) -> f32 {
        if self.chance(0.5) {
            1.0
        } else {
            -1.0
        }
    }

    /// A unit vector, every direction as likely.
    pub fn direction(&mut self) -> Vec3 {
        let y = self.range(-1.0, 1.0);
        let (sine, cosine) = self.range(0.0, std::f32::consts::TAU).sin_cos();
        let out = (1.0 - y * y).sqrt();
        Vec3::new(out * cosine, y, out * sine)
    }

    /// A linear colour: hue 0..1, saturation 0..1, value 0..1.
    pub fn hue(hue: f32, saturation: f32, value: f32) -> Vec3 {
        let channel = |shift: f32| {
            let h = ((hue + shift).rem_euclid(1.0) * 6.0 - 3.0).abs() - 1.0;
            value * (1.0 - saturation * (1.0 - h.clamp(0.0, 1.0)))
        };
        Vec3::new(channel(0.0), channel(2.0 / 3.0), channel(1.0 / 3.0))
    }
}
