//! A stage for sequences: an analytic world sampled at jittered positions, reconstructed by the CPU references.
#![allow(dead_code, reason = "each test file uses its own part")]

use reconstruction_core::convention::{Bypass, DebugView, Depth};
use reconstruction_core::frame_params::{Conventions, Exposure};
use reconstruction_core::jitter::halton;
use reconstruction_core::{Size, Sizes};
use reconstruction_shaders::cpu::{CpuContext, CpuFrame, Image};

/// What one point of the screen shows. Positions are in render pixels, top-left origin.
#[derive(Clone, Copy)]
pub struct Surface {
    pub color: [f32; 3],
    /// Distance along the view axis.
    pub depth: f32,
    /// Previous minus current position, render pixels.
    pub motion: [f32; 2],
}

impl Surface {
    pub fn grey(value: f32) -> Self {
        Surface {
            color: [value; 3],
            depth: 10.0,
            motion: [0.0; 2],
        }
    }

    pub fn moving(self, motion: [f32; 2]) -> Self {
        Surface { motion, ..self }
    }

    pub fn at_depth(self, depth: f32) -> Self {
        Surface { depth, ..self }
    }
}

/// A context and the frame it is at.
pub struct Stage {
    pub sizes: Sizes,
    pub context: CpuContext,
    pub frame: i64,
    pub exposure: Exposure,
}

impl Stage {
    pub fn new(render: [u32; 2], output: [u32; 2]) -> Self {
        Stage::with(
            render,
            output,
            Conventions {
                depth: Depth::ViewLinear,
                ..Conventions::default()
            },
        )
    }

    pub fn with(render: [u32; 2], output: [u32; 2], conventions: Conventions) -> Self {
        let sizes = Sizes {
            render: Size::new(render[0], render[1]),
            output: Size::new(output[0], output[1]),
        };
        Stage {
            sizes,
            context: CpuContext::new(sizes, conventions),
            frame: 0,
            exposure: Exposure::Scalar(1.0),
        }
    }

    /// The inputs of the next frame, sampled from a world.
    pub fn inputs(&self, world: impl Fn([f32; 2]) -> Surface) -> CpuFrame {
        let jitter_px = halton(self.frame, self.sizes.render, self.sizes.output);
        let size = self.sizes.render;
        let samples: Vec<Surface> = (0..size.area() as u32)
            .map(|i| {
                let (x, y) = (i % size.width, i / size.width);
                world([x as f32 + 0.5 - jitter_px[0], y as f32 + 0.5 - jitter_px[1]])
            })
            .collect();
        let depth: Vec<f32> = samples.iter().map(|s| s.depth).collect();
        let motion: Vec<[f32; 2]> = samples.iter().map(|s| s.motion).collect();
        CpuFrame {
            color: Image::new(
                size,
                samples
                    .iter()
                    .map(|s| [s.color[0], s.color[1], s.color[2], 1.0])
                    .collect(),
            ),
            depth: Image::from_red(size, &depth),
            motion: Image::from_red_green(size, &motion),
            jitter_px,
            exposure: self.exposure,
            exposure_texture: None,
            reset: false,
            bypass: Bypass::Off,
            debug_view: DebugView::None,
            is_color_unorm8: false,
        }
    }

    /// Reconstructs the next frame of a world.
    pub fn show(&mut self, world: impl Fn([f32; 2]) -> Surface) -> Image {
        let inputs = self.inputs(world);
        self.show_inputs(inputs)
    }

    /// Reconstructs the next frame from inputs.
    pub fn show_inputs(&mut self, inputs: CpuFrame) -> Image {
        self.frame += 1;
        self.context.evaluate(inputs).clone()
    }

    /// The truth: the mean of a world over each output pixel, 8 x 8 points.
    pub fn truth(&self, world: impl Fn([f32; 2]) -> Surface) -> Image {
        let (r, o) = (self.sizes.render, self.sizes.output);
        let scale = [
            r.width as f32 / o.width as f32,
            r.height as f32 / o.height as f32,
        ];
        let texels = (0..o.area() as u32)
            .map(|i| {
                let (x, y) = (i % o.width, i / o.width);
                let mut sum = [0.0f64; 3];
                for sub in 0..64 {
                    let at = [
                        (x as f32 + (sub % 8) as f32 / 8.0 + 0.0625) * scale[0],
                        (y as f32 + (sub / 8) as f32 / 8.0 + 0.0625) * scale[1],
                    ];
                    let color = world(at).color;
                    for k in 0..3 {
                        sum[k] += f64::from(color[k]) / 64.0;
                    }
                }
                [sum[0] as f32, sum[1] as f32, sum[2] as f32, 1.0]
            })
            .collect();
        Image::new(o, texels)
    }
}

/// Root mean square difference of the colours.
pub fn rms(a: &Image, b: &Image) -> f64 {
    let sum: f64 = a
        .texels
        .iter()
        .zip(&b.texels)
        .flat_map(|(x, y)| (0..3).map(move |k| f64::from(x[k] - y[k]).powi(2)))
        .sum();
    (sum / (3.0 * a.texels.len() as f64)).sqrt()
}

/// Largest difference of a channel.
pub fn largest_difference(a: &Image, b: &Image) -> f32 {
    a.texels
        .iter()
        .zip(&b.texels)
        .flat_map(|(x, y)| (0..3).map(move |k| (x[k] - y[k]).abs()))
        .fold(0.0, f32::max)
}

/// Asserts that every channel is finite and not negative.
pub fn assert_legal(image: &Image) {
    for (i, texel) in image.texels.iter().enumerate() {
        assert!(
            texel
                .iter()
                .all(|c| c.is_finite() && *c >= 0.0 && c.is_sign_positive()),
            "pixel {i} is {texel:?}"
        );
    }
}

/// A detailed pattern without preferred direction, 0 to 1, with features of about `period` render pixels.
pub fn pattern(at: [f32; 2], period: f32) -> f32 {
    let k = std::f32::consts::TAU / period;
    let wave = (at[0] * k).sin() * (at[1] * k * 0.83).cos() + ((at[0] + at[1]) * k * 0.61).sin();
    0.5 + 0.25 * wave
}
