//! The sequence of the self test, made from integer hashes alone: the same bits on every machine.
//!
//! A textured ground pans under a rectangle that moves the other way; then everything stands still, a cut follows,
//! movement, a reset, and stillness. Some pixels of colour, depth and motion are NaN, infinite, denormal, -0 or
//! 65504.

use crate::executor::{Input, Settings};
use crate::image::Picture;
use reconstruction_core::convention::{Alpha, Depth};
use reconstruction_core::network::{self, Architecture, Model as Network};
use reconstruction_core::{jitter, Size, Sizes};
use std::sync::{Arc, LazyLock};

/// Frames of a case.
pub const FRAMES: usize = 24;

/// One case of the self test.
#[derive(Debug, Clone)]
pub struct Case {
    /// Stem of its file of hashes.
    pub name: &'static str,
    /// Sizes and conventions.
    pub settings: Settings,
}

/// Every case: ratios, odd sizes, unequal axes, every alpha rule, three kinds of depth; then networks of random
/// weights, one of convolutions and one of attention.
pub static CASES: LazyLock<[Case; 5]> = LazyLock::new(|| {
    [
        case(
            "sr_61x37_to_97x71",
            [61, 37, 97, 71],
            Depth::ViewLinear,
            Alpha::Ignore,
            None,
        ),
        case(
            "sr_33x23_to_97x67",
            [33, 23, 97, 67],
            Depth::HardwareReversed,
            Alpha::Reconstruct,
            None,
        ),
        case(
            "dlaa_67x65",
            [67, 65, 67, 65],
            Depth::Hardware,
            Alpha::CopyNearest,
            None,
        ),
        case(
            "conv_49x37_to_97x71",
            [49, 37, 97, 71],
            Depth::ViewLinear,
            Alpha::Ignore,
            Some(network(1, [0, 1, 1, 0, 0], &[])),
        ),
        case(
            "swin_53x37_to_91x65",
            [53, 37, 91, 65],
            Depth::HardwareReversed,
            Alpha::Ignore,
            Some(network(2, [1, 0, 1, 1, 0], &["enc", "dec"])),
        ),
    ]
});

fn case(
    name: &'static str,
    sizes: [u32; 4],
    depth: Depth,
    alpha: Alpha,
    network: Option<Network>,
) -> Case {
    let [rw, rh, ow, oh] = sizes;
    Case {
        name,
        settings: Settings {
            sizes: Sizes {
                render: Size::new(rw, rh),
                output: Size::new(ow, oh),
            },
            depth,
            alpha,
            is_color_half: true,
            network: network.map(Arc::new),
        },
    }
}

/// Random weights; stages whose names begin with one of `swin` attend in windows.
fn network(seed: u64, blocks: [u32; 5], swin: &[&str]) -> Network {
    Architecture::conv(&[32, 64, 96], &blocks)
        .and_then(|network| network.with_swin(swin))
        .and_then(|network| network::from_bytes(&network::random(seed, &network)))
        .expect("a legal network")
}

/// A frame of a case; [`SyntheticFrame::input`] is what an executor takes.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntheticFrame {
    index: usize,
    color: Picture,
    depth: Vec<f32>,
    motion: Vec<[f32; 2]>,
    jitter_px: [f32; 2],
    is_reset: bool,
    exposure: Option<f32>,
}

impl SyntheticFrame {
    /// The frame as an executor takes it.
    pub fn input(&self) -> Input<'_> {
        Input {
            frame_index: self.index as i64,
            color: &self.color,
            depth: &self.depth,
            motion: &self.motion,
            jitter_px: self.jitter_px,
            is_reset: self.is_reset,
            exposure: self.exposure,
        }
    }
}

/// The frame of this number of a case.
pub fn frame(case: &Case, number: usize) -> SyntheticFrame {
    let Settings { sizes, depth, .. } = case.settings;
    let size = sizes.render;
    let scene = Scene::at(number);
    let jitter_px = jitter::halton(number as i64, sizes.render, sizes.output);
    let mut frame = SyntheticFrame {
        index: number,
        color: Picture::filled(size, [0.0; 4]),
        depth: Vec::new(),
        motion: Vec::new(),
        jitter_px,
        is_reset: scene.is_reset,
        exposure: scene.exposure,
    };
    // Jitter in sixteenths of a pixel, rounded down: only its effect on the texture, so any value would do.
    let jitter_16 = jitter_px.map(|j| (j * 16.0).floor() as i32);
    for y in 0..size.height as i32 {
        for x in 0..size.width as i32 {
            let at = [16 * x - jitter_16[0], 16 * y - jitter_16[1]];
            let is_front = scene.is_front(at, size);
            let layer = if is_front {
                &scene.front
            } else {
                &scene.ground
            };
            let special = special(x, y, number);
            frame.color.pixels[(y * size.width as i32 + x) as usize] = match special {
                Some(Special::Color(value)) => [value, 0.5, value, value],
                _ => texel(
                    scene.seed,
                    is_front,
                    [at[0] - layer.place[0], at[1] - layer.place[1]],
                ),
            };
            frame.depth.push(match special {
                Some(Special::Depth(value)) => value,
                _ => stored_depth(depth, is_front),
            });
            frame.motion.push(match special {
                Some(Special::Motion(value)) => [value, 0.0],
                _ => layer.step.map(|step| -step as f32 / 16.0),
            });
        }
    }
    frame
}

/// Something flat that moves; lengths in sixteenths of a render pixel.
struct Layer {
    /// Displacement since the scene began.
    place: [i32; 2],
    /// Displacement since the frame before.
    step: [i32; 2],
}

struct Scene {
    seed: u32,
    ground: Layer,
    front: Layer,
    is_reset: bool,
    exposure: Option<f32>,
}

impl Scene {
    /// What happens when: pan to 8, still to 12, cut at 13, pan to 17, reset at 18, still to the end.
    fn at(number: usize) -> Self {
        let moves = |n: usize| (1..=8).contains(&n) || (14..=17).contains(&n);
        let steps = (1..=number).filter(|&n| moves(n)).count() as i32;
        let layer = |step: [i32; 2]| Layer {
            place: step.map(|s| s * steps),
            step: if moves(number) { step } else { [0, 0] },
        };
        Scene {
            seed: u32::from(number >= 13),
            ground: layer([20, -8]),
            front: layer([-27, 5]),
            is_reset: number == 13 || number == 18,
            // Measured, then given, then given 64 times as high, then measured again.
            exposure: match number {
                0..=4 | 20.. => None,
                5..=10 => Some(0.25),
                _ => Some(16.0),
            },
        }
    }

    fn is_front(&self, at: [i32; 2], size: Size) -> bool {
        let centre = [8 * size.width as i32, 8 * size.height as i32];
        let half = [3 * size.width as i32, 4 * size.height as i32];
        (0..2).all(|axis| (at[axis] - centre[axis] - self.front.place[axis]).abs() < half[axis])
    }
}

/// Colour of a texture at a place in sixteenths of a pixel: soft blocks, one-pixel lines, a bright spot. Every value
/// is a whole number of 256ths below 2048, so it is exact as a half; alpha is a whole number of 64ths.
fn texel(seed: u32, is_front: bool, at: [i32; 2]) -> [f32; 4] {
    let [u, v] = at;
    let layer = seed * 2 + u32::from(is_front);
    let alpha = (hash(u >> 6, v >> 6, 77 + layer) % 65) as f32 / 64.0;
    if (v >> 4).rem_euclid(11) == 3 || (u >> 4).rem_euclid(17) == 5 {
        return [6.0, 5.5, 0.25, alpha];
    }
    if (u >> 6).rem_euclid(9) == 4 && (v >> 6).rem_euclid(7) == 2 {
        return [1024.0, 900.0, 512.0, alpha];
    }
    let channel = |c: u32| {
        let level = |x: i32, y: i32| (hash(x, y, 8 * layer + c) & 127) as i32;
        let (x, y) = (u >> 6, v >> 6);
        let (fx, fy) = (u & 63, v & 63);
        let row = |y: i32| level(x, y) * (64 - fx) + level(x + 1, y) * fx;
        let soft = (row(y) * (64 - fy) + row(y + 1) * fy) >> 12;
        let grain = (hash(u >> 4, v >> 4, 8 * layer + c + 4) & 63) as i32;
        (soft + grain) as f32 / 256.0
    };
    [channel(0), channel(1), channel(2), alpha]
}

/// 3 and 12 units away from the camera, near plane at 1 and far plane at 64 where the convention has one.
fn stored_depth(depth: Depth, is_front: bool) -> f32 {
    // Dyadic fractions near the projected values, so that nothing is rounded.
    match (depth, is_front) {
        (Depth::ViewLinear, true) => 3.0,
        (Depth::ViewLinear, false) => 12.0,
        (Depth::Hardware, true) => 0.6875,
        (Depth::Hardware, false) => 0.9375,
        (Depth::HardwareReversed | Depth::HardwareReversedInfinite, true) => 0.3125,
        (Depth::HardwareReversed | Depth::HardwareReversedInfinite, false) => 0.0625,
    }
}

/// A value that no renderer should write, and some do.
enum Special {
    Color(f32),
    Depth(f32),
    Motion(f32),
}

/// About one pixel in 64 of every third frame.
fn special(x: i32, y: i32, number: usize) -> Option<Special> {
    const VALUES: [f32; 8] = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -0.0,
        65504.0,
        // The smallest half, a denormal one; a denormal float; a negative one.
        1.0 / 16_777_216.0,
        1.0e-40,
        -3.0,
    ];
    let bits = hash(x, y, 1000 + number as u32);
    if number % 3 != 2 || bits % 64 != 0 {
        return None;
    }
    let value = VALUES[(bits >> 8) as usize % VALUES.len()];
    Some(match bits >> 16 & 3 {
        0 | 1 => Special::Color(value),
        2 => Special::Depth(value),
        _ => Special::Motion(value),
    })
}

/// 32 well-mixed bits of two coordinates and a channel.
fn hash(x: i32, y: i32, channel: u32) -> u32 {
    let mut bits = (x as u32).wrapping_mul(0x9e37_79b1)
        ^ (y as u32).wrapping_mul(0x85eb_ca77)
        ^ channel.wrapping_mul(0xc2b2_ae3d);
    for multiplier in [0x7feb_352d, 0x846c_a68b] {
        bits = (bits ^ bits >> 16).wrapping_mul(multiplier);
    }
    bits ^ bits >> 15
}

#[cfg(test)]
mod tests {
    use super::*;
    use reconstruction_core::exact::Fnv64;
    use reconstruction_core::Mode;

    #[test]
    fn every_case_is_legal_and_holds_every_special_value() {
        for case in &*CASES {
            let Sizes { render, output } = case.settings.sizes;
            Sizes::new(render, output, Mode::Quality).unwrap();
            let frames: Vec<_> = (0..FRAMES).map(|n| frame(case, n)).collect();
            let reds = || frames.iter().flat_map(|f| &f.color.pixels).map(|p| p[0]);
            assert!(reds().any(f32::is_nan) && reds().any(f32::is_infinite));
            assert!(reds().any(|v| v == 65504.0) && reds().any(f32::is_subnormal));
            assert!(frames.iter().any(|f| f.depth.iter().any(|d| d.is_nan())));
            assert!(frames
                .iter()
                .any(|f| f.motion.iter().any(|m| m[0].is_nan())));
        }
    }

    #[test]
    fn ordinary_colours_are_exact_halves() {
        let frame = frame(&CASES[0], 4);
        let values = frame.color.pixels.iter().flatten();
        for &value in values {
            assert_eq!(half::f16::from_f32(value).to_f32(), value);
        }
    }

    #[test]
    fn the_input_never_changes() {
        // Made by this code once; a change would silently change what the stored hashes mean.
        let mut hash = Fnv64::new();
        for case in &*CASES {
            for number in 0..FRAMES {
                let frame = frame(case, number);
                let values = frame.color.pixels.iter().flatten().chain(&frame.depth);
                for value in values
                    .chain(frame.motion.iter().flatten())
                    .chain(&frame.jitter_px)
                {
                    hash.write(&value.to_bits().to_le_bytes());
                }
            }
        }
        assert_eq!(format!("{:016x}", hash.finish()), "299e194521644a0f");
    }
}
