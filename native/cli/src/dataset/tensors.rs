//! The tensors of a shard, and how rendered planes become them.
//!
//! Every tensor begins with the sequence and the frame; images follow as channel, row, column. A sequence is one
//! stretch of memory of each tensor, so sequences are filled side by side.

use super::description::Description;
use crate::scene::channels::capped;
use crate::scene::shot::{self, CLEAN, HALVES, NOISY};
use half::f16;
use rayon::prelude::*;
use reconstruction_core::Size;
use reconstruction_scene::flat::FlatWorld;
use reconstruction_scene::renderer::{Plane, Rendered};
use safetensors::tensor::Dtype;
use std::ops::Range;

/// The planes that images are made of.
pub const PLANES: [Plane; 7] = [
    Plane::Color,
    Plane::Depth,
    Plane::Motion,
    Plane::Normal,
    Plane::Diffuse,
    Plane::Specular,
    Plane::HitDistance,
];

/// Where the values of an image come from.
#[derive(Debug, Clone, Copy)]
enum Origin {
    /// Channels of a plane of half floats.
    Halves(usize, Plane, usize),
    /// A plane of 32-bit floats.
    Floats(Plane),
    /// The mean of both halves of the reference.
    Reference,
}

/// One kind of image: name, channels, origin.
struct Image(&'static str, usize, Origin);

const IMAGES: [Image; 11] = [
    Image("color", 3, Origin::Halves(NOISY, Plane::Color, 0)),
    Image("clean", 3, Origin::Halves(CLEAN, Plane::Color, 0)),
    Image("depth", 1, Origin::Floats(Plane::Depth)),
    Image("motion", 2, Origin::Floats(Plane::Motion)),
    Image("normal", 3, Origin::Halves(NOISY, Plane::Normal, 0)),
    Image("roughness", 1, Origin::Halves(NOISY, Plane::Normal, 3)),
    Image("diffuse", 3, Origin::Halves(NOISY, Plane::Diffuse, 0)),
    Image("specular", 3, Origin::Halves(NOISY, Plane::Specular, 0)),
    Image("mask", 1, Origin::Halves(NOISY, Plane::Specular, 3)),
    Image("hit", 1, Origin::Floats(Plane::HitDistance)),
    Image("reference", 3, Origin::Reference),
];

/// Bytes of all tensors of one frame, without those of a few numbers.
pub fn frame_bytes(render: Size, output: Size) -> u64 {
    let halves = |image: &Image| image.1 as u64 * image.size(render, output).area();
    2 * IMAGES.iter().map(halves).sum::<u64>()
}

impl Image {
    fn size(&self, render: Size, output: Size) -> Size {
        match self.2 {
            Origin::Reference => output,
            _ => render,
        }
    }
}

/// Images of all frames.
struct ImageTensor {
    image: &'static Image,
    size: Size,
    data: Vec<f16>,
}

/// Numbers of all frames.
struct NumberTensor {
    name: &'static str,
    shape: &'static [usize],
    data: Vec<f32>,
}

/// The tensors of one shard.
pub struct Tensors {
    sequences: usize,
    length: usize,
    images: Vec<ImageTensor>,
    numbers: Vec<NumberTensor>,
    seeds: Vec<i64>,
    cuts: Vec<u8>,
}

/// A tensor as it is stored: name, type, shape, bytes.
pub type Stored<'a> = (&'static str, Dtype, Vec<usize>, &'a [u8]);

/// A value that is none: name of its tensor, and the sequence in its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotFinite {
    /// Name of the tensor.
    pub tensor: &'static str,
    /// Index among the views.
    pub view: usize,
}

impl Tensors {
    /// Tensors of these seeds, every value 0.
    pub fn new(description: &Description, seeds: Range<u64>) -> Self {
        let (sequences, length) = (
            (seeds.end - seeds.start) as usize,
            description.length as usize,
        );
        let (render, output) = (description.render(), description.output());
        let images = IMAGES.iter().map(|image| {
            let size = image.size(render, output);
            let values = sequences * length * image.1 * size.area() as usize;
            ImageTensor {
                image,
                size,
                data: vec![f16::ZERO; values],
            }
        });
        let shapes: [(&str, &[usize]); 4] = [
            ("exposure", &[]),
            ("jitter", &[2]),
            ("projection", &[4, 4]),
            ("view", &[4, 4]),
        ];
        let numbers = shapes.into_iter().map(|(name, shape)| NumberTensor {
            name,
            shape,
            data: vec![0.0; sequences * length * shape.iter().product::<usize>()],
        });
        Tensors {
            sequences,
            length,
            images: images.collect(),
            numbers: numbers.collect(),
            seeds: seeds.map(|seed| seed as i64).collect(),
            cuts: vec![0; sequences * length],
        }
    }

    /// Fills in the numbers of a frame.
    pub fn set_numbers(
        &mut self,
        sequence: usize,
        frame: u32,
        world: &FlatWorld,
        jitter: [f32; 2],
    ) {
        let at = sequence * self.length + frame as usize;
        self.cuts[at] = u8::from(world.is_cut);
        let [exposure, jitters, projection, view] = &mut self.numbers[..] else {
            unreachable!("four tensors of numbers")
        };
        exposure.data[at] = world.exposure;
        jitters.data[2 * at..2 * at + 2].copy_from_slice(&jitter);
        for (to, matrix) in [
            (projection, &world.camera.projection),
            (view, &world.camera.world_to_view),
        ] {
            // Stored columns first; a tensor's rows come first.
            let rows = (0..16).map(|i| matrix[i % 4 * 4 + i / 4]);
            to.data[16 * at..16 * at + 16].copy_from_slice(&rows.collect::<Vec<f32>>());
        }
    }

    /// Fills in the images of a frame of consecutive sequences, one a view, on every core.
    ///
    /// # Errors
    /// A value that is infinite or no number.
    pub fn set_images(
        &mut self,
        first_sequence: usize,
        frame: u32,
        rendered: &Rendered<'_>,
        views: usize,
    ) -> Result<(), NotFinite> {
        let length = self.length;
        self.images.par_iter_mut().try_for_each(|tensor| {
            let values = tensor.image.1 * tensor.size.area() as usize;
            let of_sequences = tensor.data.par_chunks_mut(length * values);
            let of_views = of_sequences.skip(first_sequence).take(views);
            let (name, origin) = (tensor.image.0, tensor.image.2);
            of_views.enumerate().try_for_each(|(view, sequence)| {
                let image = &mut sequence[frame as usize * values..][..values];
                fill(image, origin, rendered, view);
                if image.iter().all(|value| value.is_finite()) {
                    Ok(())
                } else {
                    let tensor = name;
                    Err(NotFinite { tensor, view })
                }
            })
        })
    }

    /// Every tensor as it is stored.
    pub fn stored(&self) -> Vec<Stored<'_>> {
        let shape = |rest: &[usize]| [&[self.sequences, self.length], rest].concat();
        let images = self.images.iter().map(|tensor| {
            let Size { width, height } = tensor.size;
            let rest = [tensor.image.1, height as usize, width as usize];
            let bytes = bytemuck::cast_slice(&tensor.data);
            (tensor.image.0, Dtype::F16, shape(&rest), bytes)
        });
        let numbers = self.numbers.iter().map(|tensor| {
            let bytes = bytemuck::cast_slice(&tensor.data);
            (tensor.name, Dtype::F32, shape(tensor.shape), bytes)
        });
        let seeds = bytemuck::cast_slice(&self.seeds);
        let others = [
            ("seed", Dtype::I64, vec![self.sequences], seeds),
            ("cut", Dtype::U8, shape(&[]), &self.cuts[..]),
        ];
        images.chain(numbers).chain(others).collect()
    }
}

/// Texels to planes of one channel each.
fn fill(image: &mut [f16], origin: Origin, rendered: &Rendered<'_>, view: usize) {
    match origin {
        Origin::Halves(picture, plane, first) => {
            let texels = shot::halves(rendered, view, picture, plane);
            for (channel, values) in image.chunks_exact_mut(texels.len()).enumerate() {
                for (value, texel) in values.iter_mut().zip(texels) {
                    *value = texel[first + channel];
                }
            }
        }
        Origin::Floats(plane) => {
            let floats = shot::floats(rendered, view, NOISY, plane);
            let channels = plane.channels();
            for (channel, values) in image.chunks_exact_mut(floats.len() / channels).enumerate() {
                for (value, texel) in values.iter_mut().zip(floats.chunks_exact(channels)) {
                    *value = f16::from_f32(capped(texel[channel]));
                }
            }
        }
        Origin::Reference => {
            let [a, b] = HALVES.map(|half| shot::halves(rendered, view, half, Plane::Color));
            for (channel, values) in image.chunks_exact_mut(a.len()).enumerate() {
                for (value, (a, b)) in values.iter_mut().zip(a.iter().zip(b)) {
                    *value = shot::mean(a[channel], b[channel]);
                }
            }
        }
    }
}
