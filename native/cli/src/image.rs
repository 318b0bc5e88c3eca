//! Images in memory: named channels as a file holds them, and four-channel pictures.

use reconstruction_core::Size;

/// How the samples of a channel are stored in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// 16-bit float.
    Half,
    /// 32-bit float.
    Float,
}

/// One named channel, row-major, top row first.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Name, for example `motion.X`.
    pub name: String,
    /// Stored precision.
    pub precision: Precision,
    /// One sample a pixel.
    pub samples: Vec<f32>,
}

/// Every channel of an image file, by name in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct Channels {
    /// Size of every channel.
    pub size: Size,
    list: Vec<Channel>,
}

impl Channels {
    /// No channels yet.
    pub fn new(size: Size) -> Self {
        Channels {
            size,
            list: Vec::new(),
        }
    }

    /// Adds a channel, or replaces the one of the same name.
    ///
    /// # Panics
    /// When the number of samples is not the number of pixels.
    pub fn set(&mut self, name: &str, precision: Precision, samples: Vec<f32>) {
        assert_eq!(samples.len() as u64, self.size.area(), "samples of {name}");
        let channel = Channel {
            name: name.to_owned(),
            precision,
            samples,
        };
        match self.list.binary_search_by(|c| c.name.as_str().cmp(name)) {
            Ok(at) => self.list[at] = channel,
            Err(at) => self.list.insert(at, channel),
        }
    }

    /// The samples of a channel, or nothing when there is no such channel.
    pub fn get(&self, name: &str) -> Option<&[f32]> {
        self.list
            .binary_search_by(|c| c.name.as_str().cmp(name))
            .ok()
            .map(|at| self.list[at].samples.as_slice())
    }

    /// Every channel.
    pub fn list(&self) -> &[Channel] {
        &self.list
    }

    /// The names, for messages.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.list.iter().map(|c| c.name.as_str()).collect();
        names.join(" ")
    }

    /// Adds R, G, B of a picture under a prefix (`""` or `"clean."`, say).
    pub fn set_rgb(&mut self, prefix: &str, picture: &Picture, precision: Precision) {
        for (at, letter) in ["R", "G", "B"].iter().enumerate() {
            let samples = picture.pixels.iter().map(|p| p[at]).collect();
            self.set(&format!("{prefix}{letter}"), precision, samples);
        }
    }
}

/// A colour picture: R, G, B, A per pixel, row-major, top row first, linear unless said otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Pixels on each axis.
    pub size: Size,
    /// The pixels.
    pub pixels: Vec<[f32; 4]>,
}

impl Picture {
    /// A picture of one colour.
    pub fn filled(size: Size, color: [f32; 4]) -> Self {
        Picture {
            size,
            pixels: vec![color; size.area() as usize],
        }
    }

    /// A picture from a function of the pixel.
    pub fn from_fn(size: Size, mut color: impl FnMut(u32, u32) -> [f32; 4]) -> Self {
        let mut pixels = Vec::with_capacity(size.area() as usize);
        for y in 0..size.height {
            for x in 0..size.width {
                pixels.push(color(x, y));
            }
        }
        Picture { size, pixels }
    }

    /// The pixel at integer coordinates, clamped to the edge.
    pub fn clamped(&self, x: i64, y: i64) -> [f32; 4] {
        let x = x.clamp(0, i64::from(self.size.width) - 1) as usize;
        let y = y.clamp(0, i64::from(self.size.height) - 1) as usize;
        self.pixels[y * self.size.width as usize + x]
    }
}
