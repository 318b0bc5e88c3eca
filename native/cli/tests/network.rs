//! Commands that look into a network.

use reconstruction_core::network::{random, Architecture};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn reconstruct(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_reconstruct");
    Command::new(program).args(arguments).output().unwrap()
}

/// What a command prints when all is well.
fn printed(arguments: &[&str]) -> String {
    let output = reconstruct(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The one line of a refusal and its exit code.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output = reconstruct(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.stdout.is_empty() && text.lines().count() == 1,
        "{text}"
    );
    let line = text.trim_end().strip_prefix("error: ").unwrap();
    (output.status.code().unwrap(), line.to_owned())
}

fn model(folder: &Path) -> PathBuf {
    let network = Architecture::conv(&[32, 64, 32], &[0, 1, 0, 0, 1]).unwrap();
    let path = folder.join("random.safetensors");
    std::fs::write(&path, random(4, &network)).unwrap();
    path
}

#[test]
fn model_info_names_stages_cost_and_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(folder.path());
    let file = path.to_str().unwrap();
    let text = printed(&["model", "info", file, "--size", "57x33"]);
    let found: Vec<&str> = text.lines().collect();
    assert_eq!(found[0], "name     random 4");
    assert_eq!(found[1], "feature  super resolution");
    assert!(found[2].starts_with("hash     ") && found[2].len() == 9 + 64);
    // A render pixel: door and heads, merges, expansions, enc1 and dec0.
    let cost = (96.0 * 32.0 + 2.0 * 9.0 * 1024.0) / 4.0
        + (4.0 * 2048.0 + 2.0 * 9.0 * 4096.0) / 16.0
        + 4.0 * 2048.0 / 64.0
        + 2048.0 / 16.0
        + 2048.0 / 4.0;
    assert_eq!(
        found[4],
        format!("cost     {:.2} kMAC a render pixel", cost / 1000.0)
    );
    assert_eq!(found[6], "enc1     conv, 64 channels, 1 blocks");
    let at = text.find("at 57x33: ").unwrap();
    assert!(text[at..].contains("tokens 29x17 15x9 8x5"), "{text}");
    assert!(text[at..].contains("\nenc1.0.a.hidden "), "{text}");
}

#[test]
fn a_wrong_model_is_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(folder.path());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    let (code, line) = refused(&["model", "info", path.to_str().unwrap()]);
    assert_eq!(code, 3);
    assert!(
        line.starts_with("model: file: expected a whole safetensors file, got "),
        "{line}"
    );
    let (code, line) = refused(&["model", "info", "/nowhere.safetensors"]);
    assert_eq!(code, 3);
    assert!(
        line.starts_with("model: /nowhere.safetensors: expected "),
        "{line}"
    );
}

#[test]
fn check_stage_compares_every_path_with_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(folder.path());
    let file = path.to_str().unwrap();
    let check = |stage| {
        [
            "check-stage",
            file,
            stage,
            "--size",
            "40x21",
            "--device",
            "llvmpipe",
        ]
    };
    let text = printed(&check("enc1"));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|l| l.split_whitespace().collect())
        .collect();
    let expected = [
        ["enc1.0.a", "hidden", "plain", "equal"],
        ["enc1.0.a", "hidden", "dot", "equal"],
        ["enc1.0.b", "residual", "plain", "equal"],
        ["enc1.0.b", "residual", "dot", "equal"],
    ];
    assert_eq!(rows, expected);
    let (code, line) = refused(&check("enc7"));
    assert_eq!(code, 2);
    assert!(
        line.starts_with("stage: expected all, a stage or one of door, merge0"),
        "{line}"
    );
}

/// A file as `frames --dump` writes it, with features of `channels` bytes for 29x17 tokens.
fn dumped_frame(folder: &Path, channels: usize) -> (PathBuf, Vec<u8>) {
    let bytes: Vec<u8> = (0..17 * 29 * channels).map(|i| (i % 101) as u8).collect();
    let shape = vec![17, 29, channels];
    let features = TensorView::new(Dtype::I8, shape, &bytes).unwrap();
    let file = safetensors::serialize([("features", features)], None).unwrap();
    let path = folder.join(format!("frame-{channels}.safetensors"));
    std::fs::write(&path, file).unwrap();
    (path, bytes)
}

#[test]
fn a_part_runs_on_the_features_of_a_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(folder.path());
    let (frame, features) = dumped_frame(folder.path(), 64);
    let out = folder.path().join("door.safetensors");
    let words = |path: &Path| path.to_str().unwrap().to_owned();
    let (file, frame, to) = (words(&path), words(&frame), words(&out));
    printed(&["dump", &file, "door", "--frame", &frame, "--out", &to]);
    let bytes = std::fs::read(&out).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let read = tensors.tensor("door.tokens_in").unwrap();
    assert_eq!(read.shape(), [17, 29, 64]);
    assert_eq!(read.data(), features);
    let check = [
        "check-stage",
        &file,
        "enc1",
        "--frame",
        &frame,
        "--device",
        "llvmpipe",
    ];
    let text = printed(&check);
    assert!(text.lines().next().unwrap().contains(", 58x34, "), "{text}");
    assert_eq!(text.matches("equal").count(), 4, "{text}");

    let (wrong, _) = dumped_frame(folder.path(), 8);
    let wrong = words(&wrong);
    for (file_of_frame, cause) in [
        (&file, "features"),
        (&wrong, "I8 [17, 29, 8]"),
        (&folder.path().join("none").display().to_string(), "read"),
    ] {
        let (code, line) = refused(&["check-stage", &file, "enc1", "--frame", file_of_frame]);
        assert_eq!(code, 3);
        assert!(line.starts_with(file_of_frame.as_str()), "{line}");
        assert!(line.contains(cause), "{line}");
    }
}

/// Conv where tokens are fine, swin below.
fn mixed_model(folder: &Path) -> PathBuf {
    let network = Architecture::conv(&[32, 64, 96], &[1, 1, 1, 1, 0])
        .and_then(|network| network.with_swin(&["enc1", "enc2", "dec1"]))
        .unwrap();
    let path = folder.join("mixed.safetensors");
    std::fs::write(&path, random(6, &network)).unwrap();
    path
}

#[test]
fn model_info_tells_swin_stages() {
    let folder = tempfile::tempdir().unwrap();
    let path = mixed_model(folder.path());
    let text = printed(&["model", "info", path.to_str().unwrap(), "--size", "53x37"]);
    let found: Vec<&str> = text.lines().collect();
    assert_eq!(found[5], "enc0     conv, 32 channels, 1 blocks");
    assert_eq!(
        found[7..9],
        [
            "enc2     swin, 96 channels in 3 heads, windows shifted by 0, 1 blocks",
            "dec1     swin, 64 channels in 2 heads, windows shifted by 4, 1 blocks",
        ]
    );
    assert!(text.contains("\nenc2.0.attention.mixed "), "{text}");
}

#[test]
fn check_stage_compares_a_swin_stage_on_every_path_and_driver() {
    let folder = tempfile::tempdir().unwrap();
    let path = mixed_model(folder.path());
    let file = path.to_str().unwrap();
    // In the smallest a window holds the whole grid.
    for (device, size) in [
        ("llvmpipe", "53x37"),
        ("llvmpipe", "9x7"),
        ("swiftshader", "21x37"),
    ] {
        let arguments = ["--size", size, "--device", device, "--time", "1"];
        let text = printed(&[&["check-stage", file, "dec1"], &arguments[..]].concat());
        let rows: Vec<Vec<&str>> = (text.lines().skip(1).take(10))
            .map(|l| l.split_whitespace().collect())
            .collect();
        let parts = [
            ("qkv", "qkv"),
            ("attention", ""),
            ("proj", "token_residual"),
            ("up", "token_hidden"),
            ("down", "token_residual"),
        ];
        for (i, row) in rows.iter().enumerate() {
            let (part, variant) = parts[i / 2];
            let path = ["plain", "dot"][i % 2];
            let label = format!("dec1.0.{part}");
            let expected = [&label, variant, path, "equal"];
            let expected = expected.into_iter().filter(|word| !word.is_empty());
            assert!(expected.eq(row[..row.len() - 6].iter().copied()), "{text}");
        }
        assert_eq!(rows.len(), 10);
    }
}

#[test]
fn dump_writes_queries_keys_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = mixed_model(folder.path());
    let out = folder.path().join("dump.safetensors");
    let (file, to) = (path.to_str().unwrap(), out.to_str().unwrap());
    printed(&[
        "dump",
        file,
        "dec1.0.attention",
        "--size",
        "53x37",
        "--out",
        to,
    ]);
    let bytes = std::fs::read(&out).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(tensors.len(), 2);
    let tensor = |part: &str| tensors.tensor(&format!("dec1.0.attention.{part}")).unwrap();
    assert_eq!(tensor("qkv_in").shape(), [10, 14, 192]);
    assert_eq!(tensor("mixed_out").shape(), [10, 14, 64]);
    assert_eq!(tensor("mixed_out").dtype(), Dtype::I8);
    // Queries and keys have length 127, but for rounding and where a channel is held at 127.
    let lengths = (tensor("qkv_in").data().chunks_exact(32).enumerate())
        .filter(|(i, _)| i % 6 < 4)
        .map(|(_, v)| {
            v.iter()
                .map(|&b| f64::from(b as i8).powi(2))
                .sum::<f64>()
                .sqrt()
        });
    let mut count = 0;
    for length in lengths {
        assert!((120.0..130.0).contains(&length), "{length}");
        count += 1;
    }
    assert_eq!(count, 140 * 4);
}

#[test]
fn dump_writes_what_a_layer_reads_and_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(folder.path());
    let out = folder.path().join("dump.safetensors");
    let (file, to) = (path.to_str().unwrap(), out.to_str().unwrap());
    printed(&["dump", file, "enc1.0.b", "--size", "40x21", "--out", to]);
    let bytes = std::fs::read(&out).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let tensor = |part: &str| tensors.tensor(&format!("enc1.0.b.{part}")).unwrap();
    assert_eq!(tensors.len(), 4);
    for (part, dtype) in [
        ("tokens_in", Dtype::I8),
        ("wide_in", Dtype::I16),
        ("wide_out", Dtype::I16),
        ("normed_out", Dtype::I8),
    ] {
        assert_eq!(tensor(part).dtype(), dtype, "{part}");
        assert_eq!(tensor(part).shape(), [6, 10, 64], "{part}");
    }
    // Hidden values are never negative; normed ones have rms 32, less where a channel is held at 127.
    assert!(tensor("tokens_in").data().iter().all(|&b| b < 128));
    let normed = tensor("normed_out")
        .data()
        .iter()
        .map(|&b| f64::from(b as i8).powi(2));
    let rms = (normed.sum::<f64>() / (60.0 * 64.0)).sqrt();
    assert!((20.0..32.5).contains(&rms), "{rms}");
}
