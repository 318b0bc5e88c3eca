//! A shard's file: safetensors, written whole, and recognised as whole.

use super::description::{Description, ShardDescription};
use super::tensors::Tensors;
use crate::error::{Error, Result};
use crate::whole_file;
use safetensors::tensor::{Metadata, TensorView};
use safetensors::SafeTensorError;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The one key of the file's metadata: a [`ShardDescription`] as JSON.
pub const KEY: &str = "description";
/// Largest header that is read, in bytes.
const LARGEST_HEADER: u64 = 100_000_000;

/// Writes a shard. Tensors of wider types come first, so that each begins at a multiple of its element's size.
///
/// # Errors
/// When the file cannot be written; nothing of it is left then.
pub fn write(path: &Path, tensors: &Tensors, description: &ShardDescription) -> Result<()> {
    let json =
        serde_json::to_string(description).map_err(|cause| Error::file(path, "encode", cause))?;
    let mut views = Vec::new();
    for (name, dtype, shape, bytes) in tensors.stored() {
        let view = TensorView::new(dtype, shape, bytes);
        views.push((
            name,
            view.map_err(|cause| Error::file(path, "encode", cause))?,
        ));
    }
    // One key: the order of several would be another one each time.
    let metadata = HashMap::from([(KEY.to_owned(), json)]);
    whole_file::write_durably(path, |part| {
        safetensors::serialize_to_file(views, Some(metadata), part).map_err(|error| match error {
            SafeTensorError::IoError(cause) => cause,
            other => io::Error::other(other.to_string()),
        })
    })
}

/// Whether a shard is there. One that is there is checked: its length, and that it is this dataset's.
///
/// # Errors
/// When the file cannot be read, is cut short, or belongs to another dataset.
pub fn is_there(path: &Path, dataset: &Description, shard: u64) -> Result<bool> {
    let mut file = match File::open(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened.map_err(|cause| Error::file(path, "read", cause))?,
    };
    let damaged = |cause: String| {
        let cause = format!("{cause}; delete the file and run again with --resume");
        Error::file(path, "use the shard", cause)
    };
    let read = |cause: io::Error| damaged(cause.to_string());
    let held = file.metadata().map_err(read)?.len();
    let mut word = [0; 8];
    file.read_exact(&mut word).map_err(read)?;
    let header = u64::from_le_bytes(word);
    if header > LARGEST_HEADER.min(held) {
        return Err(damaged(format!("a header of {header} bytes")));
    }
    let mut bytes = vec![0; header as usize];
    file.read_exact(&mut bytes).map_err(read)?;
    let metadata: Metadata =
        serde_json::from_slice(&bytes).map_err(|cause| damaged(cause.to_string()))?;
    let expected = 8 + header + metadata.data_len() as u64;
    if held != expected {
        return Err(damaged(format!("expected {expected} bytes, got {held}")));
    }
    let json = metadata.metadata().as_ref().and_then(|m| m.get(KEY));
    let json = json.ok_or_else(|| damaged(format!("no metadata `{KEY}`")))?;
    let description: ShardDescription =
        serde_json::from_str(json).map_err(|cause| damaged(cause.to_string()))?;
    if description.dataset != *dataset || description.shard != shard {
        return Err(damaged("it belongs to another dataset".to_owned()));
    }
    Ok(true)
}
