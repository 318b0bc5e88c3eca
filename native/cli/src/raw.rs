//! Raw recordings: images as a texture holds them, for writers that have no EXR library.
//!
//! [`HELP`] is the description of the format.

use crate::error::{Error, Result};
use crate::folder::{require_another, FolderWriter};
use crate::image::{Channels, Picture, Precision};
use crate::sequence::{read_json, Sequence, FILE_NAME, FORMAT};
use reconstruction_core::Size;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Value of `format` in a raw recording.
pub const RAW_FORMAT: &str = "raw-1";

/// The format, for people who write it.
pub const HELP: &str = r#"A raw recording is a folder with a sequence.json and binary images.

sequence.json is that of a frame folder (format "frames-1": render_size, output_size, depth, frames with file,
reference, jitter, view, projection, cut, reset, exposure; unknown keys are kept), except:
  "format": "raw-1"
  "images": [                        each is one file per frame
    {"name": "color",  "channels": ["R", "G", "B", "A"],     "type": "half"},
    {"name": "depth",  "channels": ["depth.Z"],              "type": "float"},
    {"name": "motion", "channels": ["motion.X", "motion.Y"], "type": "half"}]
  "reference_image": {"channels": ["R", "G", "B", "A"], "type": "half"}   where frames have a reference
A frame with "file": "0007" has the images 0007.color.raw, 0007.depth.raw, 0007.motion.raw, render_size;
with "reference": "reference/0007" it has reference/0007.raw, output_size.

An image file holds width * height pixels, row by row from the top, no padding; a pixel holds one little-endian
value per entry of "channels", in that order. "_" skips a value. Types: half (16-bit float), float (32-bit),
unorm8 (a byte; value / 255). Half stays half in the EXR file, the others become 32-bit float."#;

/// How a value is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SampleType {
    Half,
    Float,
    Unorm8,
}

/// One image of a frame.
#[derive(Debug, Clone, Deserialize)]
struct ImageLayout {
    #[serde(default)]
    name: String,
    channels: Vec<String>,
    #[serde(rename = "type")]
    sample_type: SampleType,
}

impl SampleType {
    const fn size(self) -> usize {
        match self {
            SampleType::Half => 2,
            SampleType::Float => 4,
            SampleType::Unorm8 => 1,
        }
    }

    fn decode(self, bytes: &[u8]) -> f32 {
        match self {
            SampleType::Half => half::f16::from_le_bytes([bytes[0], bytes[1]]).to_f32(),
            SampleType::Float => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            SampleType::Unorm8 => f32::from(bytes[0]) / 255.0,
        }
    }

    const fn precision(self) -> Precision {
        match self {
            SampleType::Half => Precision::Half,
            SampleType::Float | SampleType::Unorm8 => Precision::Float,
        }
    }
}

/// Converts a raw recording into a frame folder; `progress` is told about each frame. Gives the number of frames.
///
/// # Errors
/// One line that names the file, and the key or the sizes that do not fit.
pub fn pack(from: &Path, to: &Path, mut progress: impl FnMut(usize, usize)) -> Result<usize> {
    require_another(from, to)?;
    let path = from.join(FILE_NAME);
    let mut sequence: Sequence = read_json(&path)?;
    sequence.check(&path, RAW_FORMAT)?;
    let mut take = |key: &str| sequence.other.remove(key);
    let images: Vec<ImageLayout> = parse(&path, "images", take("images"))?;
    let reference_image = take("reference_image");
    let reference_image: Option<ImageLayout> = match reference_image {
        None => None,
        some => Some(parse(&path, "reference_image", some)?),
    };
    sequence.format = FORMAT.to_owned();
    let frames = sequence.frames.clone();
    let mut writer = FolderWriter::create(to, sequence.clone())?;
    for (at, frame) in frames.iter().enumerate() {
        let mut channels = Channels::new(sequence.render_size);
        for image in &images {
            let file = from.join(format!("{}.{}.raw", frame.file, image.name));
            read_image(&file, image, &mut channels)?;
        }
        let reference = match (&frame.reference, &reference_image) {
            (None, _) => None,
            (Some(_), None) => {
                let cause = format!("missing, but frames[{at}] has a reference");
                return Err(Error::key(&path, "reference_image", cause));
            }
            (Some(file), Some(layout)) => {
                let file = from.join(format!("{file}.raw"));
                Some(read_picture(&file, layout, sequence.output_size)?)
            }
        };
        writer.add(frame.clone(), &channels, reference.as_ref())?;
        progress(at + 1, frames.len());
    }
    writer.finish()?;
    Ok(frames.len())
}

/// A value inside the description; an error names its whole path.
fn parse<T: serde::de::DeserializeOwned>(
    path: &Path,
    key: &str,
    value: Option<Value>,
) -> Result<T> {
    let value =
        value.ok_or_else(|| Error::key(path, key, "missing; see reconstruct pack --help"))?;
    serde_path_to_error::deserialize(value).map_err(|fault| {
        let inside = fault.path().to_string();
        let dot = if inside.starts_with('[') { "" } else { "." };
        Error::key(path, format!("{key}{dot}{inside}"), fault.inner())
    })
}

fn read_image(path: &Path, image: &ImageLayout, channels: &mut Channels) -> Result<()> {
    let bytes = std::fs::read(path).map_err(|cause| Error::file(path, "read", cause))?;
    let sample = image.sample_type.size();
    let pixel = sample * image.channels.len();
    let expected = channels.size.area() as usize * pixel;
    if bytes.len() != expected {
        let cause = format!(
            "expected {expected} bytes ({} pixels of {pixel}), got {}",
            channels.size,
            bytes.len()
        );
        return Err(Error::file(path, "use the image", cause));
    }
    for (at, name) in image.channels.iter().enumerate().filter(|(_, n)| *n != "_") {
        let samples = bytes
            .chunks_exact(pixel)
            .map(|p| image.sample_type.decode(&p[at * sample..]))
            .collect();
        channels.set(name, image.sample_type.precision(), samples);
    }
    Ok(())
}

fn read_picture(path: &Path, layout: &ImageLayout, size: Size) -> Result<Picture> {
    let mut channels = Channels::new(size);
    read_image(path, layout, &mut channels)?;
    crate::folder::read_rgb(path, &channels, "")
}
