//! A contact sheet of one frame: its colours, its reference and every guide, labelled.

use super::shot::Samples;
use crate::image::{Channels, Picture};
use crate::png_file::Rgb8;
use crate::resample::box_mean;
use crate::sheet;
use crate::tone::srgb_u8;
use reconstruction_core::convention::Depth;
use reconstruction_core::Size;

/// Cells in a row.
const COLUMNS: u32 = 4;
/// Motion of so many pixels is full red or green.
const FULL_MOTION_PX: f32 = 8.0;

/// What the cells show.
pub struct Guides<'a> {
    /// The frame's channels.
    pub channels: &'a Channels,
    /// The reference; reduced to the frame's size where the ratio is whole.
    pub reference: &'a Picture,
    /// For the labels.
    pub samples: Samples,
    /// Colour is multiplied by it before it is tone-mapped.
    pub exposure: f32,
    /// What `depth.Z` holds.
    pub depth: Depth,
}

impl Guides<'_> {
    /// The sheet.
    ///
    /// # Panics
    /// When a channel is missing.
    pub fn sheet(&self) -> Rgb8 {
        let size = self.channels.size;
        let Samples {
            color,
            clean,
            reference,
        } = self.samples;
        let reduced = box_mean(self.reference, size);
        let shown = reduced.as_ref().unwrap_or(self.reference);
        let cells = [
            (format!("colour, {color} a pixel"), self.light("")),
            (format!("clean, {clean} a pixel"), self.light("clean.")),
            (
                format!("reference, {reference} a pixel"),
                Rgb8::from_picture(shown, self.exposure),
            ),
            ("before particles".into(), self.light("beforeParticles.")),
            ("emissive and particles".into(), self.light("emissive.")),
            ("depth, near is bright".into(), self.nearness()),
            ("motion, 0.5 + px / 16".into(), self.motion()),
            ("normal, 0.5 + n / 2".into(), self.normal()),
            ("roughness".into(), self.gray("roughness.Y")),
            ("diffuse albedo".into(), self.albedo("diffuse.")),
            ("specular albedo".into(), self.albedo("specular.")),
            ("hit distance, near is dark".into(), self.hit()),
            ("disocclusion mask".into(), self.gray("mask.Y")),
            ("subsurface".into(), self.gray("subsurface.Y")),
        ];
        sheet::sheet(&cells, COLUMNS)
    }

    fn channel(&self, name: &str) -> &[f32] {
        let channel = self.channels.get(name);
        channel.unwrap_or_else(|| panic!("no channel {name}"))
    }

    fn triple(&self, prefix: &str, ends: [&str; 3]) -> Vec<[f32; 3]> {
        let [x, y, z] = ends.map(|end| self.channel(&format!("{prefix}{end}")));
        (0..x.len()).map(|i| [x[i], y[i], z[i]]).collect()
    }

    fn light(&self, prefix: &str) -> Rgb8 {
        let pixels = self.triple(prefix, ["R", "G", "B"]);
        let pixels = pixels.into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect();
        let size = self.channels.size;
        Rgb8::from_picture(&Picture { size, pixels }, self.exposure)
    }

    fn albedo(&self, prefix: &str) -> Rgb8 {
        let pixels = self.triple(prefix, ["R", "G", "B"]);
        paint(self.channels.size, pixels.into_iter(), |v| {
            srgb_u8(f64::from(v))
        })
    }

    fn gray(&self, name: &str) -> Rgb8 {
        let pixels = self.channel(name).iter().map(|&v| [v; 3]);
        paint(self.channels.size, pixels, plain_u8)
    }

    fn normal(&self) -> Rgb8 {
        let normals = self.triple("normal.", ["X", "Y", "Z"]);
        let pixels = normals.into_iter().map(|n| n.map(|v| 0.5 + 0.5 * v));
        paint(self.channels.size, pixels, plain_u8)
    }

    fn motion(&self) -> Rgb8 {
        let (x, y) = (self.channel("motion.X"), self.channel("motion.Y"));
        let shown = |v: f32| 0.5 + v / (2.0 * FULL_MOTION_PX);
        let pixels = x.iter().zip(y).map(|(&x, &y)| [shown(x), shown(y), 0.5]);
        paint(self.channels.size, pixels, plain_u8)
    }

    /// 1 / distance, brightest where it is largest; the sky black.
    fn nearness(&self) -> Rgb8 {
        let depth = self.channel("depth.Z");
        let nearness: Vec<f32> = depth
            .iter()
            .map(|&d| match self.depth {
                Depth::ViewLinear if d >= 65504.0 => 0.0,
                Depth::ViewLinear => 1.0 / d.max(f32::MIN_POSITIVE),
                Depth::Hardware => 1.0 - d,
                _ => d,
            })
            .collect();
        let nearest = nearness.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let pixels = nearness.iter().map(|&n| [(n / nearest).sqrt(); 3]);
        paint(self.channels.size, pixels, plain_u8)
    }

    /// d / (d + median of what is hit); nothing hit is white.
    fn hit(&self) -> Rgb8 {
        let hit = self.channel("hit.Z");
        let mut finite: Vec<f32> = hit.iter().copied().filter(|&d| d < 65504.0).collect();
        finite.sort_by(f32::total_cmp);
        let middle = finite.get(finite.len() / 2).map_or(1.0, |&d| d.max(1e-6));
        let pixels = hit.iter().map(|&d| [d / (d + middle); 3]);
        paint(self.channels.size, pixels, plain_u8)
    }
}

fn plain_u8(value: f32) -> u8 {
    (255.0 * value.clamp(0.0, 1.0)).round() as u8
}

fn paint(size: Size, pixels: impl Iterator<Item = [f32; 3]>, byte: impl Fn(f32) -> u8) -> Rgb8 {
    Rgb8 {
        size,
        bytes: pixels.flat_map(|p| p.map(&byte)).collect(),
    }
}
