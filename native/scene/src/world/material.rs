//! What surfaces are made of, and pictures on them.

use glam::{Vec2, Vec3, Vec4};

/// A pattern that mixes the base colour with a second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Pattern {
    /// Base colour alone.
    None = 0,
    /// Squares.
    Checker = 1,
    /// Bars.
    Stripes = 2,
    /// Thin lines both ways.
    Grid = 3,
    /// Smooth noise.
    Noise = 4,
    /// Small marks like writing.
    Glyphs = 5,
}

/// Indices of the pictures of a material.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pictures {
    /// Multiplies the base colour; alpha is the coverage.
    pub base: Option<usize>,
    /// Green: linear roughness factor; blue: metallic factor.
    pub rough_metal: Option<usize>,
    /// Tangent-space normal.
    pub normal: Option<usize>,
    /// Multiplies the emission.
    pub emissive: Option<usize>,
}

/// A material. Colours are linear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Diffuse colour, or reflectance of a metal.
    pub base_color: Vec3,
    /// Factor on the alpha of the base picture, 0..1.
    pub alpha: f32,
    /// Linear roughness r; the microfacet alpha is r * r. 0 is a mirror.
    pub roughness: f32,
    /// 0 dielectric, 1 metal.
    pub metallic: f32,
    /// Reflectance of the dielectric at normal incidence.
    pub f0: f32,
    /// Radiance. Only on meshes; their triangles become lights.
    pub emission: Vec3,
    /// Coverage below which a picture's texel is a hole; 0 for opaque.
    pub alpha_cutoff: f32,
    /// Light that goes through, 0..1.
    pub subsurface: f32,
    /// Pattern of the base colour.
    pub pattern: Pattern,
    /// Size of one period in uv.
    pub pattern_scale: f32,
    /// The pattern's other colour.
    pub second_color: Vec3,
    /// Pictures.
    pub pictures: Pictures,
}

impl Material {
    /// A rough dielectric.
    pub fn matte(r: f32, g: f32, b: f32) -> Self {
        Material {
            base_color: Vec3::new(r, g, b),
            alpha: 1.0,
            roughness: 0.9,
            metallic: 0.0,
            f0: 0.04,
            emission: Vec3::ZERO,
            alpha_cutoff: 0.0,
            subsurface: 0.0,
            pattern: Pattern::None,
            pattern_scale: 1.0,
            second_color: Vec3::ZERO,
            pictures: Pictures::default(),
        }
    }

    /// A dielectric of a roughness.
    pub fn glossy(r: f32, g: f32, b: f32, roughness: f32) -> Self {
        Material {
            roughness,
            ..Material::matte(r, g, b)
        }
    }

    /// A metal of a roughness.
    pub fn metal(r: f32, g: f32, b: f32, roughness: f32) -> Self {
        Material {
            roughness,
            metallic: 1.0,
            ..Material::matte(r, g, b)
        }
    }

    /// A surface that shines and reflects nothing.
    pub fn emitter(radiance: Vec3) -> Self {
        Material {
            emission: radiance,
            roughness: 1.0,
            f0: 0.0,
            ..Material::matte(0.0, 0.0, 0.0)
        }
    }

    /// The same with a pattern.
    pub fn patterned(self, pattern: Pattern, scale: f32, r: f32, g: f32, b: f32) -> Self {
        Material {
            pattern,
            pattern_scale: scale,
            second_color: Vec3::new(r, g, b),
            ..self
        }
    }
}

/// RGBA, 8 bits a channel, rows from the top; u and v repeat.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Texels along u.
    pub width: u32,
    /// Texels along v.
    pub height: u32,
    /// Colour is sRGB-encoded (alpha never is).
    pub is_srgb: bool,
    /// Red in the lowest byte; `width * height` of them.
    pub texels: Vec<u32>,
}

impl Picture {
    /// A picture from a function of the texel's place, red first.
    pub fn draw(
        width: u32,
        height: u32,
        is_srgb: bool,
        texel: impl Fn(u32, u32) -> [u8; 4],
    ) -> Self {
        let texels = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .map(|(x, y)| u32::from_le_bytes(texel(x, y)))
            .collect();
        Picture {
            width,
            height,
            is_srgb,
            texels,
        }
    }
}

impl Picture {
    /// Linear rgb and alpha of a texel; coordinates repeat.
    pub fn texel(&self, x: i64, y: i64) -> Vec4 {
        let (x, y) = (
            x.rem_euclid(i64::from(self.width)) as usize,
            y.rem_euclid(i64::from(self.height)) as usize,
        );
        let [r, g, b, a] = self.texels[y * self.width as usize + x].to_le_bytes();
        let linear = |c: u8| {
            let c = f32::from(c) / 255.0;
            match (self.is_srgb, c <= 0.04045) {
                (false, _) => c,
                (true, true) => c / 12.92,
                (true, false) => ((c + 0.055) / 1.055).powf(2.4),
            }
        };
        Vec4::new(linear(r), linear(g), linear(b), f32::from(a) / 255.0)
    }

    /// Mean linear rgb over a triangle of uv, from 64 places.
    pub(crate) fn mean(&self, uv: [Vec2; 3]) -> Vec3 {
        const SIDE: u32 = 8;
        let mut sum = Vec3::ZERO;
        for i in 0..SIDE {
            for j in 0..SIDE {
                let (mut a, mut b) = (
                    (i as f32 + 0.5) / SIDE as f32,
                    (j as f32 + 0.5) / SIDE as f32,
                );
                if a + b > 1.0 {
                    (a, b) = (1.0 - a, 1.0 - b);
                }
                let at = uv[0] + (uv[1] - uv[0]) * a + (uv[2] - uv[0]) * b;
                let (x, y) = (at.x * self.width as f32, at.y * self.height as f32);
                sum += self.texel(x.floor() as i64, y.floor() as i64).truncate();
            }
        }
        sum / (SIDE * SIDE) as f32
    }
}
