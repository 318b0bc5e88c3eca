//! `sequence.json`: what a frame folder holds, in format `frames-1`.

use crate::error::{Error, Result};
use crate::whole_file;
use reconstruction_core::convention::Depth;
use reconstruction_core::Size;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the description inside a frame folder.
pub const FILE_NAME: &str = "sequence.json";
/// Value of `format` in a folder of EXR frames.
pub const FORMAT: &str = "frames-1";
/// Value of `motion`: the only convention of the format.
pub const MOTION: &str = "previous_minus_current_render_pixels";

/// The format, for people who write it.
pub const HELP: &str = r#"A frame folder holds sequence.json and OpenEXR files.

sequence.json:
  "format": "frames-1"
  "render_size": [width, height]   of the frames     "output_size": [width, height]   of the references
  "depth": "view_linear" (distance along the view axis) | "hardware" (0 at the near plane) |
           "hardware_reversed" (1 at the near plane) | "hardware_reversed_infinite"
  "exposure": number   colour is multiplied by it before it is scored and shown; 1 where absent
  "frames": [{
    "file": "0000.exr", "reference": "reference/0000.exr" (optional), "index": frame index (optional),
    "jitter": [x, y]   displacement of the picture in render pixels, +x right, +y down, within -0.5..0.5
    "cut": true | false, "reset": true | false | "reason"   history begins anew in this frame
    "exposure": number   exposed colour = colour * exposure, for the reconstruction; measured where absent
  }, ...]

Channels of a frame: R G B (A), linear; clean.R clean.G clean.B where the renderer has them, read instead;
depth.Z; motion.X motion.Y, previous minus current position in render pixels, unjittered, +y down. Others are kept.
Channels of a reference: R G B, unjittered. Beside reference/0000.exr, reference/0000.a.exr and 0000.b.exr may hold
its two halves, rendered apart: their PSNR + 6 dB is the ceiling of every score."#;

/// The whole description. Keys that are not named here are kept as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// Always [`FORMAT`].
    pub format: String,
    /// Width and height of the frames.
    #[serde(with = "pair")]
    pub render_size: Size,
    /// Width and height of the references.
    #[serde(with = "pair")]
    pub output_size: Size,
    /// What `depth.Z` holds.
    pub depth: Depth,
    /// Always [`MOTION`] where present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<String>,
    /// Colour is multiplied by this before it is scored or shown; 1 where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure: Option<f32>,
    /// The frames in order.
    pub frames: Vec<FrameEntry>,
    /// Everything else.
    #[serde(flatten)]
    pub other: serde_json::Map<String, serde_json::Value>,
}

/// One frame of a sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameEntry {
    /// Frame index, counted by the renderer; the position in the list where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<i64>,
    /// The frame's file, relative to the folder.
    pub file: String,
    /// The reference's file, relative to the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Displacement of the picture in render pixels, +x right, +y down, each within -0.5..0.5.
    pub jitter: [f32; 2],
    /// World to view, column-major.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<[f64; 16]>,
    /// View to clip, unjittered, column-major.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<[f64; 16]>,
    /// Whether the picture has nothing to do with the one before.
    #[serde(default)]
    pub cut: bool,
    /// Whether, or why, history begins anew in this frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset: Option<Reset>,
    /// Exposed colour = colour * exposure; measured from the picture where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure: Option<f32>,
    /// Everything else.
    #[serde(flatten)]
    pub other: serde_json::Map<String, serde_json::Value>,
}

/// A reset, with or without its reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reset {
    /// Reset or not.
    Flag(bool),
    /// Reset, and why.
    Reason(String),
}

impl FrameEntry {
    /// Whether history begins anew: a cut, `"reset": true`, or a reason.
    pub fn is_reset(&self) -> bool {
        self.cut
            || match &self.reset {
                None => false,
                Some(Reset::Flag(flag)) => *flag,
                Some(Reset::Reason(_)) => true,
            }
    }
}

impl Sequence {
    /// Reads and checks a folder's description.
    ///
    /// # Errors
    /// One line that names the file and the key.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE_NAME);
        let sequence: Sequence = read_json(&path)?;
        sequence.check(&path, FORMAT)?;
        Ok(sequence)
    }

    /// Writes the description into a folder.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(FILE_NAME), self)
    }

    /// Checks what the types do not.
    pub(crate) fn check(&self, path: &Path, format: &str) -> Result<()> {
        if self.format != format {
            let cause = format!("expected \"{format}\", got \"{}\"", self.format);
            return Err(Error::key(path, "format", cause));
        }
        if let Some(motion) = self.motion.as_deref().filter(|m| *m != MOTION) {
            let cause = format!("expected \"{MOTION}\", got \"{motion}\"");
            return Err(Error::key(path, "motion", cause));
        }
        for (key, size) in [
            ("render_size", self.render_size),
            ("output_size", self.output_size),
        ] {
            if size.area() == 0 {
                return Err(Error::key(
                    path,
                    key,
                    format!("expected pixels, got {size}"),
                ));
            }
        }
        check_exposure(path, "exposure", self.exposure)?;
        if self.frames.is_empty() {
            return Err(Error::key(
                path,
                "frames",
                "expected at least one frame, got none",
            ));
        }
        for (at, frame) in self.frames.iter().enumerate() {
            if !frame.jitter.iter().all(|j| (-0.5..=0.5).contains(j)) {
                let [x, y] = frame.jitter;
                let cause = format!("expected two numbers in -0.5..0.5, got [{x}, {y}]");
                return Err(Error::key(path, format!("frames[{at}].jitter"), cause));
            }
            check_exposure(path, &format!("frames[{at}].exposure"), frame.exposure)?;
        }
        Ok(())
    }

    /// What colour is multiplied by before it is scored or shown.
    pub fn score_exposure(&self) -> f32 {
        self.exposure.unwrap_or(1.0)
    }

    /// The index of a frame that the renderer counted.
    pub fn frame_index(&self, at: usize) -> i64 {
        self.frames[at].index.unwrap_or(at as i64)
    }
}

fn check_exposure(path: &Path, key: &str, exposure: Option<f32>) -> Result<()> {
    match exposure {
        Some(value) if !(value.is_finite() && value > 0.0) => {
            let cause = format!("expected a finite number above 0, got {value}");
            Err(Error::key(path, key, cause))
        }
        _ => Ok(()),
    }
}

/// Reads a JSON file; an error names the key.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).map_err(|cause| Error::file(path, "read", cause))?;
    let mut json = serde_json::Deserializer::from_str(&text);
    serde_path_to_error::deserialize(&mut json).map_err(|fault| {
        let key = match fault.path().to_string() {
            key if key == "." => "(top level)".to_owned(),
            key => key,
        };
        Error::key(path, key, fault.inner())
    })
}

/// Writes a JSON file, indented, with a final newline.
pub(crate) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<()> {
    let mut text =
        serde_json::to_string_pretty(value).map_err(|cause| Error::file(path, "encode", cause))?;
    text.push('\n');
    whole_file::write(path, text.as_bytes())
}

/// A size as `[width, height]`.
mod pair {
    use reconstruction_core::Size;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(size: &Size, to: S) -> Result<S::Ok, S::Error> {
        [size.width, size.height].serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Size, D::Error> {
        let [width, height] = <[u32; 2]>::deserialize(from)?;
        Ok(Size::new(width, height))
    }
}
