//! An image in memory, read by texel like a sampled image and written like a storage image.

use reconstruction_core::Size;

/// Texels in rows from the top; a missing channel reads 0, a missing alpha 1, as in Vulkan.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// Width and height in texels.
    pub size: Size,
    /// Row-major texels.
    pub texels: Vec<[f32; 4]>,
}

impl Image {
    /// An image of one value.
    pub fn filled(size: Size, texel: [f32; 4]) -> Self {
        Image {
            size,
            texels: vec![texel; size.area() as usize],
        }
    }

    /// An image of texels in rows from the top.
    ///
    /// # Panics
    /// When their number does not fit the size.
    pub fn new(size: Size, texels: Vec<[f32; 4]>) -> Self {
        assert_eq!(texels.len() as u64, size.area(), "texels of a {size} image");
        Image { size, texels }
    }

    /// An image of single-channel texels.
    pub fn from_red(size: Size, values: &[f32]) -> Self {
        Image::new(size, values.iter().map(|&v| [v, 0.0, 0.0, 1.0]).collect())
    }

    /// An image of two-channel texels.
    pub fn from_red_green(size: Size, values: &[[f32; 2]]) -> Self {
        Image::new(
            size,
            values.iter().map(|v| [v[0], v[1], 0.0, 1.0]).collect(),
        )
    }

    /// The texel at `x`, `y`.
    pub fn fetch(&self, x: i32, y: i32) -> [f32; 4] {
        self.texels[y as usize * self.size.width as usize + x as usize]
    }

    /// Sets the texel at `x`, `y`.
    pub fn store(&mut self, x: i32, y: i32, texel: [f32; 4]) {
        self.texels[y as usize * self.size.width as usize + x as usize] = texel;
    }
}
