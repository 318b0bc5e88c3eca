//! A model: metadata and tensors, checked before anything runs.

use super::{layers, Architecture, Layer, StageKind, Weights, FEATURES};
use crate::convention::Feature;
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What the metadata's `format` says.
pub const FORMAT: &str = "reconstruction-network";
/// The `version` that this library reads.
pub const VERSION: u32 = 1;

const EXPORT: &str = "export the model anew with training/";
const UNDAMAGED: &str = "fetch the file again, it is damaged";

/// What a tensor holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorKind {
    /// Signed bytes.
    I8,
    /// Signed words, little-endian.
    I32,
    /// Floats, little-endian.
    F32,
}

impl TensorKind {
    /// Bytes of a value.
    pub const fn size(self) -> usize {
        match self {
            TensorKind::I8 => 1,
            TensorKind::I32 | TensorKind::F32 => 4,
        }
    }
}

/// A tensor as a file holds it.
#[derive(Debug, Clone, Copy)]
pub struct Tensor<'a> {
    /// Name.
    pub name: &'a str,
    /// What it holds; none: something that no tensor of ours holds.
    pub kind: Option<TensorKind>,
    /// Size of each dimension, outermost first.
    pub shape: &'a [usize],
    /// The values.
    pub bytes: &'a [u8],
}

/// A model that passed every check.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Name for people.
    pub name: String,
    /// What it reconstructs.
    pub feature: Feature,
    /// Its stages.
    pub architecture: Architecture,
    /// Its values.
    pub weights: Weights,
    /// SHA-256 over names and bytes of the tensors, as hexadecimal digits.
    pub hash: String,
    /// Everything that the metadata says, for people.
    pub metadata: BTreeMap<String, String>,
}

impl Model {
    /// Checks metadata and tensors.
    ///
    /// # Errors
    /// The first entry or tensor that is missing, superfluous or out of range.
    pub fn new(metadata: BTreeMap<String, String>, tensors: &[Tensor]) -> Result<Self> {
        let entry = |key: &str, expected: &str| match metadata.get(key) {
            Some(value) => Ok(value.as_str()),
            None => Err(Error::model(key, expected, "no such metadata", EXPORT)),
        };
        let format = entry("format", FORMAT)?;
        if format != FORMAT {
            let remedy = "name a model of the reconstruction";
            return Err(Error::model("format", FORMAT, format, remedy));
        }
        let version = entry("version", &VERSION.to_string())?;
        if version != VERSION.to_string() {
            let remedy = "use a library of the model's version, or export the model anew";
            let expected = VERSION.to_string();
            return Err(Error::model("version", expected, version, remedy));
        }
        let name = entry("name", "a name")?;
        let feature = match entry("feature", "sr or rr")? {
            "sr" => Feature::SuperResolution,
            "rr" => Feature::RayReconstruction,
            other => return Err(Error::model("feature", "sr or rr", other, EXPORT)),
        };
        let features = entry("features", &FEATURES.to_string())?;
        if features != FEATURES.to_string() {
            let expected = FEATURES.to_string();
            return Err(Error::model("features", expected, features, EXPORT));
        }
        let architecture = Architecture::from_json(entry("stages", "a JSON list of stages")?)?;
        let swin = |stage: &&super::Stage| stage.kind == StageKind::Swin;
        if let Some(stage) = architecture.stages().iter().find(swin) {
            let what = format!("stage {}: kind", stage.name);
            let remedy = "use a model of conv stages, or a later version of the library";
            return Err(Error::model(what, "conv", "swin", remedy));
        }
        let weights = check_tensors(&architecture, tensors)?;
        let hash = hash(tensors);
        let expected = entry("hash", "64 hexadecimal digits")?;
        if !expected.eq_ignore_ascii_case(&hash) {
            return Err(Error::model("hash", expected, hash, UNDAMAGED));
        }
        Ok(Model {
            name: name.to_owned(),
            feature,
            architecture,
            weights,
            hash,
            metadata,
        })
    }
}

/// SHA-256 over the tensors in the order of their names: each name, a zero byte, the bytes.
pub(super) fn hash(tensors: &[Tensor]) -> String {
    let mut sorted: Vec<_> = tensors.iter().collect();
    sorted.sort_unstable_by_key(|tensor| tensor.name);
    let mut hash = Sha256::new();
    for tensor in sorted {
        hash.update(tensor.name.as_bytes());
        hash.update([0]);
        hash.update(tensor.bytes);
    }
    let mut digits = String::new();
    for byte in hash.finalize() {
        write!(digits, "{byte:02x}").expect("writing to a string");
    }
    digits
}

/// The parts of a layer: suffix, kind and shape.
pub(super) fn parts(layer: &Layer) -> [(&'static str, TensorKind, Vec<usize>); 3] {
    [
        ("weight", TensorKind::I8, layer.weight_shape()),
        ("bias", TensorKind::I32, layer.bias_shape()),
        ("mult", TensorKind::F32, layer.bias_shape()),
    ]
}

fn check_tensors(architecture: &Architecture, tensors: &[Tensor]) -> Result<Weights> {
    let mut given: BTreeMap<&str, &Tensor> = BTreeMap::new();
    for tensor in tensors {
        if given.insert(tensor.name, tensor).is_some() {
            return Err(Error::model(tensor.name, "one tensor", "two", EXPORT));
        }
    }
    let mut weights = Weights::default();
    for layer in layers(architecture) {
        let mut bytes: [&[u8]; 3] = [&[]; 3];
        for (slot, (suffix, kind, shape)) in bytes.iter_mut().zip(parts(&layer)) {
            let name = format!("{}.{suffix}", layer.name);
            let expected = format!("{kind:?} {shape:?}");
            let Some(tensor) = given.remove(name.as_str()) else {
                return Err(Error::model(name, expected, "no such tensor", EXPORT));
            };
            let is_whole = tensor.bytes.len() == shape.iter().product::<usize>() * kind.size();
            if tensor.kind != Some(kind) || tensor.shape != shape || !is_whole {
                let found = tensor
                    .kind
                    .map_or("another type".into(), |k| format!("{k:?}"));
                let got = format!("{found} {:?}, {} bytes", tensor.shape, tensor.bytes.len());
                return Err(Error::model(name, expected, got, EXPORT));
            }
            check_values(&name, kind, tensor.bytes)?;
            *slot = tensor.bytes;
        }
        weights.push(&layer, bytes);
    }
    match given.keys().next() {
        Some(name) => {
            let expected = "no tensor beyond those of the stages";
            Err(Error::model(*name, expected, "one", EXPORT))
        }
        None => Ok(weights),
    }
}

/// Sums of products and bias must fit 32 bits, and a multiplier must leave normal floats.
fn check_values(name: &str, kind: TensorKind, bytes: &[u8]) -> Result<()> {
    const BIAS: i32 = 1 << 30;
    const MULTIPLIERS: std::ops::RangeInclusive<f32> = 1.0 / BIAS as f32..=64.0;
    let words = || bytes.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]);
    let wrong = match kind {
        TensorKind::I8 => (bytes.iter().position(|&b| b as i8 == i8::MIN))
            .map(|at| (at, "-127..127", i8::MIN.to_string())),
        TensorKind::I32 => (words().map(i32::from_le_bytes).enumerate())
            .find(|(_, value)| !(1 - BIAS..BIAS).contains(value))
            .map(|(at, value)| (at, "less than 2^30 in magnitude", value.to_string())),
        TensorKind::F32 => (words().map(f32::from_le_bytes).enumerate())
            .find(|(_, value)| !MULTIPLIERS.contains(value))
            .map(|(at, value)| (at, "2^-30..2^6", value.to_string())),
    };
    match wrong {
        Some((at, expected, got)) => {
            Err(Error::model(format!("{name}[{at}]"), expected, got, EXPORT))
        }
        None => Ok(()),
    }
}
