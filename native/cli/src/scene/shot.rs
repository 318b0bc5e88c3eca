//! What is rendered of one frame: the noisy input with its guides, the clean colour, two halves of the reference.
//!
//! `reconstruct scene` and `reconstruct dataset` ask for the same pictures, so a pair of a dataset is the frame of a
//! folder, value for value.

use half::f16;
use reconstruction_core::convention::Depth;
use reconstruction_core::{jitter, Sizes};
use reconstruction_scene::renderer::{Plane, Rendered, Request};
use serde::{Deserialize, Serialize};

/// Index of each picture among the requests of a frame.
pub const NOISY: usize = 0;
/// The clean colour at the jittered positions.
pub const CLEAN: usize = 1;
/// Both halves of the reference, of independent samples.
pub const HALVES: [usize; 2] = [2, 3];

/// Samples a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Of the noisy colour.
    pub color: u32,
    /// Of the clean colour.
    pub clean: u32,
    /// Of the reference, both halves together; even.
    pub reference: u32,
}

/// How the frames of a sequence are rendered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shot {
    /// Render and output size.
    pub sizes: Sizes,
    /// Samples a pixel.
    pub samples: Samples,
    /// What the depth plane holds.
    pub depth: Depth,
    /// Seed of the noise.
    pub seed: u64,
    /// Light samples of the frame before are used again; only with one sample a pixel.
    pub is_reusing: bool,
    /// Place of the sequence among those that are rendered at once.
    pub slot: u32,
}

impl Shot {
    /// The jitter of a frame in render pixels.
    pub fn jitter(&self, frame: u32) -> [f32; 2] {
        jitter::halton(i64::from(frame), self.sizes.render, self.sizes.output)
    }

    /// The pictures of a frame, in the order of the constants above. `planes` are those of the noisy picture.
    pub fn requests(&self, frame: u32, planes: &[Plane]) -> Vec<Request> {
        let Sizes { render, output } = self.sizes;
        let jitter = self.jitter(frame);
        // Four independent pictures of a seed; what wraps around belongs to other worlds.
        let seed = |picture: usize| {
            (self.seed as u32)
                .wrapping_mul(4)
                .wrapping_add(picture as u32)
        };
        let noisy = Request {
            samples: self.samples.color,
            depth: self.depth,
            is_reusing: self.is_reusing && self.samples.color == 1,
            history: Some(self.slot),
            planes: planes.to_vec(),
            ..Request::noisy(render, jitter, seed(NOISY), frame)
        };
        let clean = Request::clean(render, jitter, seed(CLEAN), frame, self.samples.clean);
        let half =
            |picture| Request::reference(output, seed(picture), frame, self.samples.reference / 2);
        vec![noisy, clean, half(HALVES[0]), half(HALVES[1])]
    }
}

/// The mean of two halves, as it is stored.
pub fn mean(a: f16, b: f16) -> f16 {
    f16::from_f32((a.to_f32() + b.to_f32()) * 0.5)
}

/// Packed half floats of a plane, all channels of a texel in a row.
///
/// # Panics
/// When the picture was not asked for the plane, or the plane holds 32-bit floats.
pub fn halves<'a>(
    rendered: &Rendered<'a>,
    view: usize,
    picture: usize,
    plane: Plane,
) -> &'a [[f16; 4]] {
    let bytes = rendered.bytes(view, picture, plane);
    let bytes = bytes.expect("the plane was asked for");
    let bits: &[[u16; 4]] = bytemuck::cast_slice(bytes);
    bytemuck::cast_slice(bits)
}

/// Packed 32-bit floats of a plane, all channels of a texel in a row.
///
/// # Panics
/// When the picture was not asked for the plane.
pub fn floats<'a>(rendered: &Rendered<'a>, view: usize, picture: usize, plane: Plane) -> &'a [f32] {
    let bytes = rendered.bytes(view, picture, plane);
    bytemuck::cast_slice(bytes.expect("the plane was asked for"))
}
