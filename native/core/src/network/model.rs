//! A model: metadata and tensors, checked before anything runs.

use super::attention::{self, MOST_POSITION, MOST_SHARPNESS, POSITIONS};
use super::{layers, Architecture, Layer, Role, Weights, FEATURES};
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
    /// Signed half words, little-endian.
    I16,
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
            TensorKind::I16 => 2,
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
    /// SHA-256 over names and bytes of the tensors and the shifts of swin stages, as hexadecimal digits.
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
        let weights = check_tensors(&architecture, tensors)?;
        let hash = hash(&architecture, tensors);
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

/// SHA-256 over the tensors in the order of their names (each name, a zero byte, the bytes), then over what shapes do not
/// tell of the stages (of each swin stage its name, a zero byte, its shift as a byte).
pub(super) fn hash(architecture: &Architecture, tensors: &[Tensor]) -> String {
    let mut sorted: Vec<_> = tensors.iter().collect();
    sorted.sort_unstable_by_key(|tensor| tensor.name);
    let mut hash = Sha256::new();
    for tensor in sorted {
        hash.update(tensor.name.as_bytes());
        hash.update([0]);
        hash.update(tensor.bytes);
    }
    for stage in architecture.stages() {
        if let Some(shift) = stage.shift {
            hash.update(stage.name.as_bytes());
            hash.update([0, shift as u8]);
        }
    }
    let mut digits = String::new();
    for byte in hash.finalize() {
        write!(digits, "{byte:02x}").expect("writing to a string");
    }
    digits
}

/// What the values of a tensor are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Weight,
    Bias,
    Multiplier,
    Sharpness,
    Position,
}

/// A tensor that a layer needs.
pub(super) struct Needed {
    pub name: String,
    pub part: Part,
    pub kind: TensorKind,
    pub shape: Vec<usize>,
}

/// The tensors of a layer, in the order in which its weights lie.
pub(super) fn needed(layer: &Layer) -> Vec<Needed> {
    let tensor = |of: &str, suffix: &str, part, kind, shape| Needed {
        name: format!("{of}.{suffix}"),
        part,
        kind,
        shape,
    };
    let name = layer.name.as_str();
    if let Role::Attention(_) = layer.role {
        let block = name.rsplit_once('.').map_or(name, |(block, _)| block);
        let heads = layer.heads() as usize;
        let table = vec![heads, POSITIONS as usize, POSITIONS as usize];
        return vec![
            tensor(
                block,
                "sharpness",
                Part::Sharpness,
                TensorKind::I32,
                vec![heads],
            ),
            tensor(block, "position", Part::Position, TensorKind::I16, table),
        ];
    }
    let (weight, bias) = (layer.weight_shape(), layer.bias_shape());
    vec![
        tensor(name, "weight", Part::Weight, TensorKind::I8, weight),
        tensor(name, "bias", Part::Bias, TensorKind::I32, bias.clone()),
        tensor(name, "mult", Part::Multiplier, TensorKind::F32, bias),
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
        let mut bytes: Vec<&[u8]> = Vec::new();
        for needed in needed(&layer) {
            let Needed {
                name,
                part,
                kind,
                shape,
            } = needed;
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
            check_values(&name, part, tensor.bytes)?;
            bytes.push(tensor.bytes);
        }
        match bytes[..] {
            [sharpness, positions] => {
                weights.push_tables(&attention::head_words(sharpness, positions));
            }
            [weight, bias, multiplier] => weights.push(&layer, [weight, bias, multiplier]),
            _ => unreachable!("a layer has two or three tensors"),
        }
    }
    match given.keys().next() {
        Some(name) => {
            let expected = "no tensor beyond those of the stages";
            Err(Error::model(*name, expected, "one", EXPORT))
        }
        None => Ok(weights),
    }
}

/// Sums of products and bias must fit 32 bits, so must scores, and a multiplier must leave normal floats.
fn check_values(name: &str, part: Part, bytes: &[u8]) -> Result<()> {
    const BIAS: i32 = 1 << 30;
    const MULTIPLIERS: std::ops::RangeInclusive<f32> = 1.0 / BIAS as f32..=64.0;
    let halves = || bytes.chunks_exact(2).map(|b| [b[0], b[1]]);
    let words = || bytes.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]);
    let outside = |range: std::ops::RangeInclusive<i32>| {
        let mut values = words().map(i32::from_le_bytes).enumerate();
        let found = values.find(|(_, value)| !range.contains(value));
        found.map(|(at, value)| (at, value.to_string()))
    };
    let (expected, wrong) = match part {
        Part::Weight => {
            let found = bytes.iter().position(|&b| b as i8 == i8::MIN);
            let wrong = found.map(|at| (at, i8::MIN.to_string()));
            ("-127..127".to_owned(), wrong)
        }
        Part::Bias => (
            "less than 2^30 in magnitude".to_owned(),
            outside(1 - BIAS..=BIAS - 1),
        ),
        Part::Multiplier => {
            let mut values = words().map(f32::from_le_bytes).enumerate();
            let found = values.find(|(_, value)| !MULTIPLIERS.contains(value));
            let wrong = found.map(|(at, value)| (at, value.to_string()));
            ("2^-30..2^6".to_owned(), wrong)
        }
        Part::Sharpness => (format!("0..{MOST_SHARPNESS}"), outside(0..=MOST_SHARPNESS)),
        Part::Position => {
            let found = halves().position(|b| i16::from_le_bytes(b) == i16::MIN);
            let wrong = found.map(|at| (at, i16::MIN.to_string()));
            (format!("-{MOST_POSITION}..{MOST_POSITION}"), wrong)
        }
    };
    match wrong {
        Some((at, got)) => Err(Error::model(format!("{name}[{at}]"), expected, got, EXPORT)),
        None => Ok(()),
    }
}
