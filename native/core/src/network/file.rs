//! Models in safetensors files.

use super::model::hash;
use super::{Architecture, Model, Tensor, TensorKind, FEATURES, FORMAT, VERSION};
use crate::error::{Error, Result};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The largest file that is read: four times the largest network.
const MOST_BYTES: u64 = 256 << 20;
const WHOLE: &str = "fetch the file again, or name another one";

/// Reads a model from a file.
///
/// # Errors
/// One line that names the file, and what of it is wrong.
pub fn read(path: &Path) -> Result<Model> {
    let place = path.display().to_string();
    let fault = |cause: std::io::Error| {
        let remedy = "name a file that exists and can be read";
        Error::model(&place, "a safetensors file", cause.to_string(), remedy)
    };
    let size = std::fs::metadata(path).map_err(fault)?.len();
    if size > MOST_BYTES {
        let expected = format!("at most {MOST_BYTES} bytes");
        return Err(Error::model(&place, expected, format!("{size}"), WHOLE));
    }
    from_bytes(&std::fs::read(path).map_err(fault)?)
}

/// Reads a model from the bytes of a file.
///
/// # Errors
/// As [`read`].
pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
    let fault = |cause: safetensors::SafeTensorError| {
        Error::model("file", "a whole safetensors file", cause.to_string(), WHOLE)
    };
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(fault)?;
    let file = SafeTensors::deserialize(bytes).map_err(fault)?;
    let metadata: BTreeMap<String, String> = match header.metadata() {
        Some(entries) => entries.clone().into_iter().collect(),
        None => BTreeMap::new(),
    };
    let views: Vec<(String, TensorView)> = file.tensors();
    let tensors: Vec<Tensor> = (views.iter())
        .map(|(name, view)| Tensor {
            name,
            kind: match view.dtype() {
                Dtype::I8 => Some(TensorKind::I8),
                Dtype::I16 => Some(TensorKind::I16),
                Dtype::I32 => Some(TensorKind::I32),
                Dtype::F32 => Some(TensorKind::F32),
                _ => None,
            },
            shape: view.shape(),
            bytes: view.data(),
        })
        .collect();
    Model::new(metadata, &tensors)
}

/// The bytes of a file of these tensors, with the metadata that a model needs.
///
/// # Errors
/// When a tensor's bytes do not fill its shape.
pub fn to_bytes(name: &str, architecture: &Architecture, tensors: &[Tensor]) -> Result<Vec<u8>> {
    let entries = [
        ("format", FORMAT.to_owned()),
        ("version", VERSION.to_string()),
        ("name", name.to_owned()),
        ("feature", "sr".to_owned()),
        ("features", FEATURES.to_string()),
        ("stages", architecture.to_json()),
        ("hash", hash(architecture, tensors)),
    ];
    let metadata: HashMap<String, String> = entries.map(|(k, v)| (k.to_owned(), v)).into();
    let fault = |cause: safetensors::SafeTensorError| {
        let expected = "tensors whose bytes fill their shapes";
        Error::model(
            "file",
            expected,
            cause.to_string(),
            "give every tensor its bytes",
        )
    };
    let views = (tensors.iter())
        .map(|tensor| {
            let dtype = match tensor.kind {
                Some(TensorKind::I16) => Dtype::I16,
                Some(TensorKind::I32) => Dtype::I32,
                Some(TensorKind::F32) => Dtype::F32,
                Some(TensorKind::I8) | None => Dtype::I8,
            };
            let view = TensorView::new(dtype, tensor.shape.to_vec(), tensor.bytes);
            Ok((tensor.name, view.map_err(fault)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let mut bytes = safetensors::serialize(views, Some(metadata)).map_err(fault)?;
    sort_header(&mut bytes);
    Ok(bytes)
}

/// Puts the header's entries in the order of their names, so that equal models are equal files.
fn sort_header(bytes: &mut [u8]) {
    type Entries = BTreeMap<String, BTreeMap<String, serde_json::Value>>;
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("a header")) as usize;
    let header = &mut bytes[8..8 + length];
    let entries: Entries = serde_json::from_slice(header).expect("the header was just written");
    let sorted = serde_json::to_vec(&entries).expect("plain data");
    header[..sorted.len()].copy_from_slice(&sorted);
}
