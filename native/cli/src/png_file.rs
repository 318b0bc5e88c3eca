//! PNG files: 8-bit RGB, tone-mapped, the mapping named in a text chunk.

use crate::error::{Error, Result};
use crate::image::Picture;
use crate::{tone, whole_file};
use reconstruction_core::Size;
use std::path::Path;

/// An 8-bit RGB picture, sRGB-encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rgb8 {
    /// Pixels on each axis.
    pub size: Size,
    /// Three bytes a pixel, row-major, top row first.
    pub bytes: Vec<u8>,
}

impl Rgb8 {
    /// Tone-maps a linear picture after multiplying it by `exposure`.
    pub fn from_picture(picture: &Picture, exposure: f32) -> Self {
        let bytes = picture
            .pixels
            .iter()
            .flat_map(|p| [0, 1, 2].map(|c| tone::display_u8(p[c] * exposure)))
            .collect();
        Rgb8 {
            size: picture.size,
            bytes,
        }
    }
}

/// Writes a picture with the text chunk [`tone::KEY`].
///
/// # Errors
/// When the file cannot be written.
pub fn write_png(path: &Path, picture: &Rgb8) -> Result<()> {
    let mut bytes = Vec::new();
    encode(&mut bytes, picture).map_err(|cause| Error::file(path, "encode", cause))?;
    whole_file::write(path, &bytes)
}

fn encode(to: &mut Vec<u8>, picture: &Rgb8) -> std::result::Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(to, picture.size.width, picture.size.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.add_text_chunk(tone::KEY.to_owned(), tone::NAME.to_owned())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.bytes)?;
    writer.finish()
}
