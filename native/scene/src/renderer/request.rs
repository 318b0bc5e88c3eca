//! What to render: pictures of a world, and the planes of each.

use ash::vk;
use reconstruction_core::convention::Depth;
use reconstruction_core::Size;

/// One image of a picture. Rows run top down, texels left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Plane {
    /// Linear radiance with particles; alpha 1.
    Color,
    /// Depth as asked for.
    Depth,
    /// Previous minus current position in pixels of this picture.
    Motion,
    /// World normal on the viewer's side, linear roughness. Sky: towards the camera, 1.
    Normal,
    /// Diffuse albedo, subsurface. Sky: 0.
    Diffuse,
    /// Specular albedo, disocclusion mask (1: was hidden in the frame before). Sky: albedo 0.
    Specular,
    /// Distance from the surface to what its mirror direction shows; 65504 where that is nothing, and for the sky.
    HitDistance,
    /// Linear radiance without particles; alpha 1.
    BeforeParticles,
    /// Light that the first surface or the sky emits, with the particles over it; a: what particles hide, 0..1.
    Emissive,
    /// Diffuse light divided by the diffuse albedo; alpha 1. With the two albedos it adds up to the colour:
    /// `BeforeParticles = Diffuse * Irradiance + SpecularLight + emission`.
    Irradiance,
    /// Specular light; alpha 1.
    SpecularLight,
}

impl Plane {
    /// Every plane.
    pub const ALL: [Plane; 11] = [
        Plane::Color,
        Plane::Depth,
        Plane::Motion,
        Plane::Normal,
        Plane::Diffuse,
        Plane::Specular,
        Plane::HitDistance,
        Plane::BeforeParticles,
        Plane::Emissive,
        Plane::Irradiance,
        Plane::SpecularLight,
    ];

    /// Format of its texels.
    pub const fn format(self) -> vk::Format {
        match self {
            Plane::Depth | Plane::HitDistance => vk::Format::R32_SFLOAT,
            Plane::Motion => vk::Format::R32G32_SFLOAT,
            _ => vk::Format::R16G16B16A16_SFLOAT,
        }
    }

    /// Channels of a texel.
    pub const fn channels(self) -> usize {
        match self {
            Plane::Depth | Plane::HitDistance => 1,
            Plane::Motion => 2,
            _ => 4,
        }
    }

    /// 32-bit words of a texel.
    pub const fn words(self) -> u64 {
        match self {
            Plane::Depth | Plane::HitDistance => 1,
            _ => 2,
        }
    }

    /// It can be summed over several waves of samples, or is the same for every sample.
    pub(crate) const fn is_for_any_samples(self) -> bool {
        !matches!(
            self,
            Plane::BeforeParticles | Plane::Emissive | Plane::Irradiance | Plane::SpecularLight
        )
    }

    /// It describes the first surface: only pictures with one place a pixel have it.
    pub(crate) const fn is_guide(self) -> bool {
        matches!(
            self,
            Plane::Depth
                | Plane::Motion
                | Plane::Normal
                | Plane::Diffuse
                | Plane::Specular
                | Plane::HitDistance
        )
    }
}

/// Where the samples of a pixel lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// All at the pixel's centre less this jitter, in pixels.
    Jittered([f32; 2]),
    /// Anywhere in the pixel, a box filter.
    BoxFilter,
}

/// One picture of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Size in pixels, 1..8192.
    pub size: Size,
    /// Where the samples lie.
    pub place: Place,
    /// Samples a pixel, at least 1.
    pub samples: u32,
    /// Seed of the random numbers; another seed, another independent picture.
    pub seed: u32,
    /// Index of the frame: part of the seed.
    pub frame: u32,
    /// Light samples of which one is chosen and tested, 1..64.
    pub candidates: u32,
    /// What the depth plane holds.
    pub depth: Depth,
    /// Light that reaches the first surface over another one.
    pub has_indirect: bool,
    /// Chosen light samples of the frame before are used again. Less noise, and a small bias. Needs `history`.
    pub is_reusing: bool,
    /// Place in the renderer that keeps what the next frame of this sequence needs; any small number, one a sequence.
    pub history: Option<u32>,
    /// Planes wanted.
    pub planes: Vec<Plane>,
}

impl Request {
    /// The input of a reconstruction: one sample with every guide.
    pub fn noisy(size: Size, jitter: [f32; 2], seed: u32, frame: u32) -> Self {
        Request {
            size,
            place: Place::Jittered(jitter),
            samples: 1,
            seed,
            frame,
            candidates: 8,
            depth: Depth::HardwareReversed,
            has_indirect: true,
            is_reusing: false,
            history: None,
            planes: Plane::ALL[..9].to_vec(),
        }
    }

    /// The same places with many samples, colour alone.
    pub fn clean(size: Size, jitter: [f32; 2], seed: u32, frame: u32, samples: u32) -> Self {
        Request {
            samples,
            planes: vec![Plane::Color],
            ..Request::noisy(size, jitter, seed, frame)
        }
    }

    /// The truth at output size: no jitter, a box filter, colour alone.
    pub fn reference(size: Size, seed: u32, frame: u32, samples: u32) -> Self {
        Request {
            place: Place::BoxFilter,
            ..Request::clean(size, [0.0; 2], seed, frame, samples)
        }
    }
}
