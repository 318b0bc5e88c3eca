//! OpenEXR files with any channels, read and written.

use crate::error::Error;
use crate::image::{Channels, Precision};
use crate::whole_file;
use exr::prelude::*;
use reconstruction_core::Size;
use std::path::Path;

/// Reads every channel of the first layer at full resolution.
///
/// # Errors
/// When the file is missing, is no EXR file, or subsamples a channel.
pub fn read_channels(path: &Path) -> crate::Result<Channels> {
    // Opened here, so that a missing file is told apart from a damaged one.
    let bytes = std::fs::read(path).map_err(|cause| Error::file(path, "read", cause))?;
    let image = read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .from_buffered(std::io::Cursor::new(bytes))
        .map_err(|cause| Error::file(path, "decode", cause))?;
    let layer = image.layer_data;
    let size = Size::new(layer.size.width() as u32, layer.size.height() as u32);
    let mut channels = Channels::new(size);
    for channel in layer.channel_data.list {
        let name = channel.name.to_string();
        if channel.sampling != Vec2(1, 1) {
            let cause = format!("channel {name} is subsampled; write it at full resolution");
            return Err(Error::file(path, "decode", cause));
        }
        let (precision, samples) = match channel.sample_data {
            FlatSamples::F16(list) => (
                Precision::Half,
                list.into_iter().map(half::f16::to_f32).collect(),
            ),
            FlatSamples::F32(list) => (Precision::Float, list),
            FlatSamples::U32(list) => (
                Precision::Float,
                list.into_iter().map(|v| v as f32).collect(),
            ),
        };
        channels.set(&name, precision, samples);
    }
    Ok(channels)
}

/// Writes every channel, ZIP-compressed. Half channels round to nearest even.
///
/// # Errors
/// When the file cannot be written.
pub fn write_channels(path: &Path, channels: &Channels) -> crate::Result<()> {
    let list = channels
        .list()
        .iter()
        .map(|channel| {
            let samples = match channel.precision {
                Precision::Half => FlatSamples::F16(
                    channel
                        .samples
                        .iter()
                        .map(|&v| half::f16::from_f32(v))
                        .collect(),
                ),
                Precision::Float => FlatSamples::F32(channel.samples.clone()),
            };
            AnyChannel::new(channel.name.as_str(), samples)
        })
        .collect();
    let layer = Layer::new(
        (channels.size.width as usize, channels.size.height as usize),
        LayerAttributes::default(),
        Encoding {
            compression: Compression::ZIP16,
            blocks: Blocks::ScanLines,
            line_order: LineOrder::Increasing,
        },
        AnyChannels::sort(list),
    );
    let mut bytes = std::io::Cursor::new(Vec::new());
    Image::from_layer(layer)
        .write()
        .to_buffered(&mut bytes)
        .map_err(|cause| Error::file(path, "encode", cause))?;
    whole_file::write(path, &bytes.into_inner())
}
