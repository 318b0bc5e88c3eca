//! A model file is read whole or refused in one line that names what is wrong.

use reconstruction_core::network::{
    damaged, from_bytes, random, read, to_bytes, Architecture, Model, Tensor, TensorKind,
};
use reconstruction_core::Error;
use std::path::Path;

/// A tensor that owns its bytes.
type Owned = (String, TensorKind, Vec<usize>, Vec<u8>);

fn network() -> Architecture {
    Architecture::conv(&[32, 64, 32], &[0, 1, 0, 0, 1]).unwrap()
}

/// Three swin stages, two of them shifted.
fn swin_network() -> Architecture {
    let network = Architecture::conv(&[32, 64, 32], &[0, 1, 0, 1, 1]).unwrap();
    network.with_swin(&["enc1", "dec"]).unwrap()
}

/// A file with a text of its header replaced, and its data as it was.
fn replaced(from: &str, to: &str) -> Vec<u8> {
    replaced_in(&network(), from, to)
}

fn replaced_in(network: &Architecture, from: &str, to: &str) -> Vec<u8> {
    let file = random(1, network);
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&file[8..8 + length]).unwrap();
    assert!(header.contains(from), "{header}");
    let header = header.replacen(from, to, 1);
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(&file[8 + length..]);
    bytes
}

/// The line of a refusal.
fn refusal(result: Result<Model, Error>) -> String {
    let line = result.expect_err("a refusal").to_string();
    assert!(line.starts_with("model: ") && line.is_ascii(), "{line}");
    assert!(
        !line.contains('\n') && line.contains(": expected "),
        "{line}"
    );
    assert!(line.contains(", got ") && line.contains("; "), "{line}");
    line
}

fn tensors(file: &[u8]) -> Vec<Owned> {
    let file = safetensors::SafeTensors::deserialize(file).unwrap();
    let kind = |dtype| match dtype {
        safetensors::Dtype::I8 => TensorKind::I8,
        safetensors::Dtype::I16 => TensorKind::I16,
        safetensors::Dtype::I32 => TensorKind::I32,
        safetensors::Dtype::F32 => TensorKind::F32,
        other => panic!("{other:?}"),
    };
    (file.tensors().into_iter())
        .map(|(name, t)| (name, kind(t.dtype()), t.shape().to_vec(), t.data().to_vec()))
        .collect()
}

fn view(owned: &Owned) -> Tensor<'_> {
    Tensor {
        name: &owned.0,
        kind: Some(owned.1),
        shape: &owned.2,
        bytes: &owned.3,
    }
}

/// The file of edited tensors, with a hash that fits them.
fn rebuilt(edit: impl FnOnce(&mut Vec<Owned>)) -> Vec<u8> {
    rebuilt_of(&network(), edit)
}

fn rebuilt_of(network: &Architecture, edit: impl FnOnce(&mut Vec<Owned>)) -> Vec<u8> {
    let mut owned = tensors(&random(1, network));
    edit(&mut owned);
    let views: Vec<Tensor> = owned.iter().map(view).collect();
    to_bytes("edited", network, &views).unwrap()
}

fn edited(name: &str, edit: impl FnOnce(&mut Owned)) -> Vec<u8> {
    rebuilt(|owned| edit(owned.iter_mut().find(|t| t.0 == name).unwrap()))
}

fn put(name: &str, at: usize, bytes: [u8; 4]) -> Vec<u8> {
    edited(name, |t| t.3[4 * at..4 * at + 4].copy_from_slice(&bytes))
}

#[test]
fn a_model_keeps_what_its_file_says() {
    let file = random(7, &network());
    let model = from_bytes(&file).unwrap();
    assert_eq!(model.name, "random 7");
    assert_eq!(model.architecture, network());
    assert_eq!(model.metadata["hash"], model.hash);
    // door, merge0, enc1 (two), merge1, expand1, expand0, dec0 (two), heads
    assert_eq!(model.weights.layers().len(), 10);
    let door = model.weights.layers()[0];
    assert_eq!((door.bias_unit, door.multiplier_unit), (128, 136));
    assert_eq!(door.range.size, 64 * 32 + 4 * 32 + 4 * 32);
    let owned = tensors(&file);
    let weight = &owned.iter().find(|t| t.0 == "door.weight").unwrap().3;
    let words = model.weights.layer_words(0).iter();
    let bytes: Vec<u8> = words.flat_map(|w| w.to_le_bytes()).collect();
    assert_eq!(bytes[..weight.len()], weight[..]);
    assert!(random(7, &network()) == file);
    assert!(random(8, &network()) != file);
}

#[test]
#[rustfmt::skip]
fn what_is_wrong_in_a_file_is_named() {
    let file = random(1, &network());
    let changed = |at: usize, bytes: &[u8]| {
        let mut file = file.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let not_whole = "model: file: expected a whole safetensors file";
    let cases = [
        (Vec::new(), not_whole),
        (file[..file.len() - 1].to_vec(), not_whole),
        (file[..40].to_vec(), not_whole),
        (changed(0, &(10u64 << 30).to_le_bytes()), not_whole),
        (b"PNG, say, but not a model".to_vec(), not_whole),
        (changed(file.len() - 4096, &[1, 2, 3]), "model: hash: expected "),
        (replaced(r#""version":"1""#, r#""version":"2""#), "model: version: expected 1, got 2; use a library"),
        (replaced("reconstruction-network", "text-network"), "model: format: expected reconstruction-network"),
        (replaced(r#""feature":"sr""#, r#""feature":"xr""#), "model: feature: expected sr or rr, got xr"),
        (replaced(r#""features":"64""#, r#""features":"48""#), "model: features: expected 64, got 48"),
        (replaced(r#""stages""#, r#""stadges""#), "model: stages: expected a JSON list of stages, got no such"),
        (replaced(r#""hash""#, r#""cash""#), "model: hash: expected 64 hexadecimal digits, got no such"),
        (replaced("door.bias", "tour.bias"), "model: door.bias: expected I32 [32], got no such tensor"),
        (replaced(r#""I32""#, r#""U32""#), ", got another type ["),
    ];
    for (bytes, expected) in cases {
        let line = refusal(from_bytes(&bytes));
        assert!(line.contains(expected), "expected {expected:?} in: {line}");
    }
}

#[test]
#[rustfmt::skip]
fn what_is_wrong_in_a_tensor_is_named() {
    let extra = |t: &mut Vec<Owned>| t.push(("enc9.weight".into(), TensorKind::I8, vec![1], vec![0]));
    let cases = [
        (rebuilt(|t| t.retain(|t| t.0 != "enc1.0.b.weight")), "enc1.0.b.weight: expected I8 [64, 3, 3, 64], got no such tensor"),
        (rebuilt(extra), "enc9.weight: expected no tensor beyond those of the stages"),
        (edited("heads.weight", |t| t.2 = vec![16, 64]), "heads.weight: expected I8 [32, 32], got I8 [16, 64]"),
        (edited("expand0.bias", |t| t.1 = TensorKind::F32), "expand0.bias: expected I32 [2, 2, 32], got F32"),
        (edited("merge0.weight", |t| t.3[77] = 0x80), "merge0.weight[77]: expected -127..127, got -128"),
        (put("door.bias", 1, (1i32 << 30).to_le_bytes()), "door.bias[1]: expected less than 2^30 in magnitude"),
        (put("door.bias", 1, i32::MIN.to_le_bytes()), "door.bias[1]: expected less than 2^30 in magnitude"),
        (put("dec0.0.a.mult", 2, f32::NAN.to_le_bytes()), "dec0.0.a.mult[2]: expected 2^-30..2^6, got NaN"),
        (put("dec0.0.a.mult", 0, (-1f32).to_le_bytes()), "dec0.0.a.mult[0]: expected 2^-30..2^6, got -1"),
        (put("dec0.0.b.mult", 1, f32::INFINITY.to_le_bytes()), "dec0.0.b.mult[1]: expected 2^-30..2^6, got inf"),
        (put("dec0.0.b.mult", 1, 1e-30f32.to_le_bytes()), "dec0.0.b.mult[1]: expected 2^-30..2^6"),
    ];
    for (bytes, expected) in cases {
        let line = refusal(from_bytes(&bytes));
        assert!(line.starts_with(&format!("model: {expected}")), "expected {expected:?} in: {line}");
    }
}

#[test]
#[rustfmt::skip]
fn what_is_wrong_in_a_swin_stage_is_named() {
    let network = swin_network();
    let without = |name: &str| rebuilt_of(&network, |t| t.retain(|t| t.0 != name));
    let edited = |name: &str, edit: fn(&mut Owned)| {
        rebuilt_of(&network, |owned| edit(owned.iter_mut().find(|t| t.0 == name).unwrap()))
    };
    let header = |from, to| replaced_in(&network, from, to);
    let cases = [
        (without("enc1.0.qkv.bias"), "enc1.0.qkv.bias: expected I32 [192], got no such tensor"),
        (without("enc1.0.sharpness"), "enc1.0.sharpness: expected I32 [2], got no such tensor"),
        (without("dec1.0.position"), "dec1.0.position: expected I16 [2, 17, 17], got no such tensor"),
        (edited("dec0.0.qkv.weight", |t| t.2 = vec![32, 96]), "dec0.0.qkv.weight: expected I8 [96, 32], got I8 [32, 96]"),
        (edited("dec0.0.up.weight", |t| t.2 = vec![32, 64]), "dec0.0.up.weight: expected I8 [64, 32], got I8 [32, 64]"),
        (edited("dec0.0.down.weight", |t| t.3[5] = 0x80), "dec0.0.down.weight[5]: expected -127..127, got -128"),
        (edited("enc1.0.position", |t| t.2 = vec![2, 289]), "enc1.0.position: expected I16 [2, 17, 17], got I16 [2, 289]"),
        (edited("enc1.0.position", |t| t.3[14..16].copy_from_slice(&i16::MIN.to_le_bytes())), "enc1.0.position[7]: expected -32767..32767, got -32768"),
        (edited("enc1.0.sharpness", |t| t.1 = TensorKind::F32), "enc1.0.sharpness: expected I32 [2], got F32 [2]"),
        (edited("enc1.0.sharpness", |t| t.3[4..].copy_from_slice(&2048i32.to_le_bytes())), "enc1.0.sharpness[1]: expected 0..2047, got 2048"),
        (edited("enc1.0.sharpness", |t| t.3[..4].copy_from_slice(&(-1i32).to_le_bytes())), "enc1.0.sharpness[0]: expected 0..2047, got -1"),
        (header(r#"\"heads\":2"#, r#"\"heads\":1"#), "stage enc1: heads: expected 2, one for 32 channels, got 1"),
        (header(r#"\"shift\":4"#, r#"\"shift\":0"#), "hash: expected "),
        (header(r#"\"shift\":4"#, r#"\"shift\":3"#), "stage dec1: shift: expected 0 or 4, got 3"),
        (header(r#","shift":4"#.replace('"', "\\\"").as_str(), ""), "stage dec1: shift: expected 0 or 4, got none"),
        (header("swin", "conv"), "stage enc1: heads and shift: expected none in a conv stage, got 2 and 0"),
        (header("swin", "sine"), "stages: expected a JSON list of stages"),
    ];
    for (bytes, expected) in cases {
        let line = refusal(from_bytes(&bytes));
        assert!(line.starts_with(&format!("model: {expected}")), "expected {expected:?} in: {line}");
    }
}

#[test]
fn tables_of_heads_stand_in_the_weights() {
    let file = random(5, &swin_network());
    let model = from_bytes(&file).unwrap();
    let owned = tensors(&file);
    let of = |name: &str| &owned.iter().find(|t| t.0 == name).unwrap().3;
    // door, merge0, then enc1: qkv, attention
    let words = model.weights.layer_words(3);
    assert_eq!(words.len(), 2 * 292);
    for head in 0..2 {
        let of_head = &words[292 * head..][..292];
        let positions = of("enc1.0.position")[578 * head..].chunks_exact(2);
        let positions = positions.map(|b| i32::from(i16::from_le_bytes([b[0], b[1]])));
        assert!(positions
            .zip(of_head)
            .take(289)
            .all(|(a, &b)| a == b as i32));
        let sharpness = &of("enc1.0.sharpness")[4 * head..][..4];
        assert_eq!(of_head[289].to_le_bytes(), sharpness);
        assert_eq!(of_head[290..], [0, 0]);
    }
}

#[test]
fn a_tensor_given_twice_is_refused() {
    let file = random(1, &network());
    let owned = tensors(&file);
    let metadata = from_bytes(&file).unwrap().metadata;
    let line = refusal(Model::new(metadata, &[view(&owned[0]), view(&owned[0])]));
    let expected = format!("model: {}: expected one tensor, got two", owned[0].0);
    assert!(line.starts_with(&expected), "{line}");
}

#[test]
fn a_path_that_does_not_exist_is_named() {
    let line = refusal(read(Path::new("/no/such/model.safetensors")));
    let expected = "model: /no/such/model.safetensors: expected a safetensors file";
    assert!(line.starts_with(expected), "{line}");
}

#[test]
fn damaged_files_are_refused_or_hold_the_same_network() {
    for network in [network(), swin_network()] {
        let file = random(3, &network);
        let whole = from_bytes(&file).unwrap();
        let mut refused = 0;
        for seed in 0..3000 {
            match from_bytes(&damaged(&file, seed)) {
                // A damage to the model's name leaves the network.
                Ok(model) => {
                    assert_eq!(model.hash, whole.hash, "{seed}");
                    assert_eq!(model.weights, whole.weights, "{seed}");
                    assert_eq!(model.architecture, whole.architecture, "{seed}");
                }
                Err(error) => {
                    refusal(Err(error));
                    refused += 1;
                }
            }
        }
        assert!(refused > 2900, "{refused}");
    }
}
