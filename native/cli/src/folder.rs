//! A frame folder: `sequence.json` and one EXR file per frame and per reference.

use crate::error::{Error, Result};
use crate::exr_file::{read_channels, write_channels};
use crate::image::{Channels, Picture, Precision};
use crate::sequence::{FrameEntry, Sequence, FILE_NAME};
use reconstruction_core::Size;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A frame folder that is open for reading.
#[derive(Debug)]
pub struct FrameFolder {
    path: PathBuf,
    /// Its description.
    pub sequence: Sequence,
}

/// What the reconstruction reads of one frame, at render size.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Colour; alpha is 1 where the file has none.
    pub color: Picture,
    /// Depth in the sequence's convention.
    pub depth: Vec<f32>,
    /// Previous minus current position, render pixels.
    pub motion: Vec<[f32; 2]>,
    /// Every channel of the file, guides included.
    pub channels: Channels,
}

/// Which colour of a frame is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorSource {
    /// `clean.R/G/B` where present, otherwise `R G B`.
    CleanFirst,
    /// `R G B`.
    Noisy,
}

impl FrameFolder {
    /// Opens a folder by its `sequence.json`.
    ///
    /// # Errors
    /// One line that names the file and the key.
    pub fn open(path: &Path) -> Result<Self> {
        let sequence = Sequence::read(path)?;
        Ok(FrameFolder {
            path: path.to_owned(),
            sequence,
        })
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.sequence.frames.len()
    }

    /// Never: a sequence has at least one frame.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// When the file is missing, has another size than `render_size`, or lacks a channel.
    pub fn frame(&self, at: usize, source: ColorSource) -> Result<Frame> {
        let path = self.path.join(&self.sequence.frames[at].file);
        let channels = read_sized(&path, self.sequence.render_size, "render_size")?;
        let has_clean = source == ColorSource::CleanFirst && channels.get("clean.R").is_some();
        let color = read_rgb(&path, &channels, if has_clean { "clean." } else { "" })?;
        let depth = channel(&path, &channels, "depth.Z")?.to_vec();
        let x = channel(&path, &channels, "motion.X")?;
        let y = channel(&path, &channels, "motion.Y")?;
        let motion = x.iter().zip(y).map(|(&x, &y)| [x, y]).collect();
        Ok(Frame {
            color,
            depth,
            motion,
            channels,
        })
    }

    /// Reads a frame's reference; nothing where the frame has none.
    ///
    /// # Errors
    /// When the file is missing, has another size than `output_size`, or lacks a channel.
    pub fn reference(&self, at: usize) -> Result<Option<Picture>> {
        match &self.sequence.frames[at].reference {
            None => Ok(None),
            Some(file) => self.read_reference(&self.path.join(file)).map(Some),
        }
    }

    /// Reads both halves of a frame's reference (`NNNN.a.exr` and `NNNN.b.exr` beside it), where both exist.
    ///
    /// # Errors
    /// As [`FrameFolder::reference`].
    pub fn reference_halves(&self, at: usize) -> Result<Option<[Picture; 2]>> {
        let Some(file) = &self.sequence.frames[at].reference else {
            return Ok(None);
        };
        let [a, b] = ["a.exr", "b.exr"].map(|end| self.path.join(file).with_extension(end));
        if !a.exists() || !b.exists() {
            return Ok(None);
        }
        Ok(Some([self.read_reference(&a)?, self.read_reference(&b)?]))
    }

    fn read_reference(&self, path: &Path) -> Result<Picture> {
        let channels = read_sized(path, self.sequence.output_size, "output_size")?;
        read_rgb(path, &channels, "")
    }
}

fn read_sized(path: &Path, expected: Size, key: &'static str) -> Result<Channels> {
    let channels = read_channels(path)?;
    check_size(path, &channels, expected, key)?;
    Ok(channels)
}

/// Refuses an image that is not of the size that `key` of the description names.
fn check_size(path: &Path, channels: &Channels, expected: Size, key: &'static str) -> Result<()> {
    if channels.size == expected {
        return Ok(());
    }
    Err(Error::Size {
        path: path.to_owned(),
        expected,
        key,
        got: channels.size,
    })
}

fn channel<'a>(path: &Path, channels: &'a Channels, name: &str) -> Result<&'a [f32]> {
    channels.get(name).ok_or_else(|| Error::Channel {
        path: path.to_owned(),
        channel: name.to_owned(),
        has: channels.names(),
    })
}

/// R, G, B under a prefix; alpha from `A` where present, otherwise 1.
pub(crate) fn read_rgb(path: &Path, channels: &Channels, prefix: &str) -> Result<Picture> {
    let get = |letter: &str| channel(path, channels, &format!("{prefix}{letter}"));
    let (r, g, b) = (get("R")?, get("G")?, get("B")?);
    let alpha = channels.get("A");
    let pixels = (0..r.len())
        .map(|i| [r[i], g[i], b[i], alpha.map_or(1.0, |a| a[i])])
        .collect();
    Ok(Picture {
        size: channels.size,
        pixels,
    })
}

/// Refuses to write into the folder that is read, whose frames would be replaced.
///
/// # Errors
/// When both are one folder.
pub(crate) fn require_another(from: &Path, out: &Path) -> Result<()> {
    match (from.canonicalize(), out.canonicalize()) {
        (Ok(from), Ok(out)) if from == out => {
            let line = "--out: expected another folder than the one that is read, whose files would be replaced";
            Err(Error::Argument(line.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Writes a frame folder, frame by frame.
#[derive(Debug)]
pub struct FolderWriter {
    path: PathBuf,
    sequence: Sequence,
}

impl FolderWriter {
    /// Makes the folder, or takes the description out of an older one: until [`FolderWriter::finish`] nobody may take
    /// a mixture of both for a sequence. Frames already listed in `sequence` are dropped: they are added as they are
    /// written.
    ///
    /// # Errors
    /// When the folder cannot be made or written.
    pub fn create(path: &Path, mut sequence: Sequence) -> Result<Self> {
        std::fs::create_dir_all(path.join("reference"))
            .map_err(|cause| Error::file(path, "make the folder", cause))?;
        let old = path.join(FILE_NAME);
        match std::fs::remove_file(&old) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => {
                return Err(Error::file(&old, "replace", cause));
            }
            _ => {}
        }
        sequence.frames.clear();
        Ok(FolderWriter {
            path: path.to_owned(),
            sequence,
        })
    }

    /// Writes a frame as `NNNN.exr` and its reference, if any, as `reference/NNNN.exr`; `entry.file` and
    /// `entry.reference` are set accordingly.
    ///
    /// # Errors
    /// When a size is not the sequence's, or a file cannot be written.
    pub fn add(
        &mut self,
        mut entry: FrameEntry,
        channels: &Channels,
        reference: Option<&Picture>,
    ) -> Result<()> {
        let number = self.sequence.frames.len();
        entry.file = format!("{number:04}.exr");
        let path = self.path.join(&entry.file);
        write_sized(&path, channels, self.sequence.render_size, "render_size")?;
        entry.reference = None;
        if let Some(picture) = reference {
            let file = format!("reference/{number:04}.exr");
            self.write_reference(&self.path.join(&file), picture)?;
            entry.reference = Some(file);
        }
        self.sequence.frames.push(entry);
        Ok(())
    }

    /// Writes both halves of the reference of the frame that is added next, as `reference/NNNN.a.exr` and `.b.exr`.
    ///
    /// # Errors
    /// As [`FolderWriter::add`].
    pub fn write_reference_halves(&self, halves: [&Picture; 2]) -> Result<()> {
        let number = self.sequence.frames.len();
        for (half, letter) in halves.into_iter().zip(["a", "b"]) {
            let path = self
                .path
                .join(format!("reference/{number:04}.{letter}.exr"));
            self.write_reference(&path, half)?;
        }
        Ok(())
    }

    fn write_reference(&self, path: &Path, picture: &Picture) -> Result<()> {
        let mut channels = Channels::new(picture.size);
        channels.set_rgb("", picture, Precision::Half);
        write_sized(path, &channels, self.sequence.output_size, "output_size")
    }

    /// Writes `sequence.json`: only now is the folder readable.
    ///
    /// # Errors
    /// When a frame's values are out of range, or the file cannot be written.
    pub fn finish(self) -> Result<()> {
        let path = self.path.join(FILE_NAME);
        self.sequence.check(&path, crate::sequence::FORMAT)?;
        self.sequence.write(&self.path)
    }
}

fn write_sized(path: &Path, channels: &Channels, expected: Size, key: &'static str) -> Result<()> {
    check_size(path, channels, expected, key)?;
    write_channels(path, channels)
}
