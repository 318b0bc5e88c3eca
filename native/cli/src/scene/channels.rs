//! Rendered planes as the channels of a frame's file.

use super::shot::{self, NOISY};
use crate::image::{Channels, Picture, Precision};
use half::f16;
use reconstruction_core::Size;
use reconstruction_scene::renderer::{Plane, Rendered};

/// The planes that a frame's file holds.
pub const PLANES: [Plane; 9] = [
    Plane::Color,
    Plane::Depth,
    Plane::Motion,
    Plane::Normal,
    Plane::Diffuse,
    Plane::Specular,
    Plane::HitDistance,
    Plane::BeforeParticles,
    Plane::Emissive,
];

/// The channels of the noisy picture of the first view, all guides of [`PLANES`] among them. Half floats, depth 32-bit.
///
/// # Panics
/// When a plane was not asked for.
pub fn frame(rendered: &Rendered<'_>) -> Channels {
    let mut channels = Channels::new(rendered.size(0, NOISY));
    let mut set = |plane, names: &[&str]| {
        let texels = shot::halves(rendered, 0, NOISY, plane);
        for (at, name) in names
            .iter()
            .enumerate()
            .filter(|(_, name)| !name.is_empty())
        {
            let samples = texels.iter().map(|t| t[at].to_f32()).collect();
            channels.set(name, Precision::Half, samples);
        }
    };
    set(Plane::Color, &["R", "G", "B"]);
    set(
        Plane::Normal,
        &["normal.X", "normal.Y", "normal.Z", "roughness.Y"],
    );
    set(
        Plane::Diffuse,
        &["diffuse.R", "diffuse.G", "diffuse.B", "subsurface.Y"],
    );
    set(
        Plane::Specular,
        &["specular.R", "specular.G", "specular.B", "mask.Y"],
    );
    set(
        Plane::BeforeParticles,
        &[
            "beforeParticles.R",
            "beforeParticles.G",
            "beforeParticles.B",
        ],
    );
    set(Plane::Emissive, &["emissive.R", "emissive.G", "emissive.B"]);
    let depth = shot::floats(rendered, 0, NOISY, Plane::Depth).to_vec();
    channels.set("depth.Z", Precision::Float, depth);
    let hit = shot::floats(rendered, 0, NOISY, Plane::HitDistance);
    channels.set(
        "hit.Z",
        Precision::Half,
        hit.iter().map(|&d| capped(d)).collect(),
    );
    let motion = shot::floats(rendered, 0, NOISY, Plane::Motion);
    for (at, name) in ["motion.X", "motion.Y"].into_iter().enumerate() {
        let samples = motion.chunks_exact(2).map(|m| capped(m[at])).collect();
        channels.set(name, Precision::Half, samples);
    }
    channels
}

/// Adds the clean colour, the first view's first picture.
pub fn add_clean(channels: &mut Channels, rendered: &Rendered<'_>) {
    let size = rendered.size(0, 0);
    let texels = shot::halves(rendered, 0, 0, Plane::Color);
    let clean = picture(size, texels.iter().copied());
    channels.set_rgb("clean.", &clean, Precision::Half);
}

/// The halves of the reference, two pictures of the first view, and their mean.
pub fn references(rendered: &Rendered<'_>, pictures: [usize; 2]) -> ([Picture; 2], Picture) {
    let size = rendered.size(0, pictures[0]);
    let [a, b] = pictures.map(|half| shot::halves(rendered, 0, half, Plane::Color));
    let means = a.iter().zip(b).map(|(a, b)| {
        let mut mean = *a;
        for (mean, b) in mean.iter_mut().zip(b) {
            *mean = shot::mean(*mean, *b);
        }
        mean
    });
    let mean = picture(size, means);
    ([a, b].map(|half| picture(size, half.iter().copied())), mean)
}

fn picture(size: Size, texels: impl Iterator<Item = [f16; 4]>) -> Picture {
    Picture {
        size,
        pixels: texels.map(|t| t.map(f16::to_f32)).collect(),
    }
}

/// A value that a half float holds: beyond the largest it stays the largest.
pub fn capped(value: f32) -> f32 {
    value.clamp(-65504.0, 65504.0)
}
