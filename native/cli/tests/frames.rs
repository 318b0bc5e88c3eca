//! `reconstruct frames` on small folders, on the CPU references.

use reconstruction_cli::exr_file::{read_channels, write_channels};
use reconstruction_cli::folder::FolderWriter;
use reconstruction_cli::image::{Channels, Picture, Precision};
use reconstruction_cli::sequence::{FrameEntry, Sequence};
use reconstruction_core::Size;
use safetensors::SafeTensors;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const RENDER: Size = Size::new(64, 65);
const OUTPUT: Size = Size::new(128, 130);

fn sequence() -> Sequence {
    let json = r#"{"format": "frames-1", "render_size": [64, 65], "output_size": [128, 130],
        "depth": "view_linear", "exposure": 2.0, "frames": []}"#;
    serde_json::from_str(json).unwrap()
}

/// A gray picture that stands still after `moving` frames; references of the same gray.
fn write_gray(folder: &Path, output: Size, moving: usize, count: usize) {
    let description = Sequence {
        output_size: output,
        ..sequence()
    };
    let mut writer = FolderWriter::create(folder, description).unwrap();
    for number in 0..count {
        let mut channels = Channels::new(RENDER);
        let gray = |size| Picture::filled(size, [0.5, 0.5, 0.5, 1.0]);
        channels.set_rgb("", &gray(RENDER), Precision::Half);
        let flat = |value| vec![value; RENDER.area() as usize];
        let is_moving = (1..=moving).contains(&number);
        channels.set("depth.Z", Precision::Float, flat(2.0));
        channels.set(
            "motion.X",
            Precision::Half,
            flat(f32::from(u8::from(is_moving))),
        );
        channels.set("motion.Y", Precision::Half, flat(0.0));
        let entry: FrameEntry =
            serde_json::from_str(r#"{"file": "", "jitter": [0.25, -0.125]}"#).unwrap();
        writer.add(entry, &channels, Some(&gray(output))).unwrap();
    }
    writer.finish().unwrap();
}

fn frames(folder: &Path, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_reconstruct"))
        .arg("frames")
        .arg(folder)
        .args(["--model", "analytic", "--device", "cpu"])
        .args(more)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn pictures_scores_and_ceiling_are_written() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_gray(folder.path(), OUTPUT, 5, 9);
    for (name, value) in [("0000.a.exr", 0.5), ("0000.b.exr", 1.0)] {
        let mut channels = Channels::new(OUTPUT);
        channels.set_rgb("", &Picture::filled(OUTPUT, [value; 4]), Precision::Half);
        write_channels(&folder.path().join("reference").join(name), &channels).unwrap();
    }
    let to = out.path().to_str().unwrap();
    let printed = frames(
        folder.path(),
        &["--feature", "sr", "--json", "--out", to, "--still", "2"],
    );
    let stored = std::fs::read_to_string(out.path().join("summary.json")).unwrap();
    assert_eq!(printed, stored);

    let report: Value = serde_json::from_str(&printed).unwrap();
    let groups: Vec<String> = report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| format!("{} {}", group["group"].as_str().unwrap(), group["frames"]))
        .collect();
    assert_eq!(groups, ["all 9", "moving 2", "still 2"]);
    // log1p(8 * 0.5 * 2) = log 9, log1p(8 * 1 * 2) = log 17: the error is 0.28945, 10.769 dB.
    let ceiling = report["frames"][0]["ceiling_db"].as_f64().unwrap();
    assert!((ceiling - 16.769).abs() < 2e-3, "{ceiling}");
    assert_eq!(report["frames"][1]["ceiling_db"], Value::Null);
    for frame in report["frames"].as_array().unwrap() {
        let ratio = frame["scores"]["reconstructed"]["mean_ratio"]
            .as_f64()
            .unwrap();
        assert!(
            (ratio - 1.0).abs() < 1e-3,
            "a flat picture stays flat: {ratio}"
        );
    }

    let picture = read_channels(&out.path().join("0008.exr")).unwrap();
    assert_eq!(
        (picture.size, picture.names()),
        (OUTPUT, "A B G R".to_owned())
    );
    let png = std::fs::read(out.path().join("0008.png")).unwrap();
    let text = b"tEXtTone mapping\0x/(1+x), then sRGB";
    assert!(png.windows(text.len()).any(|window| window == text));
    // 0.5 * 2 -> 0.5 -> 188.
    let decoder = png::Decoder::new(std::io::Cursor::new(png));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    assert!(bytes.iter().all(|&b| (187..=189).contains(&b)));
    assert!(out.path().join("sheet.png").exists());
}

#[test]
fn dlaa_is_scored_against_the_box_mean() {
    let folder = tempfile::tempdir().unwrap();
    write_gray(folder.path(), OUTPUT, 0, 2);
    let printed = frames(folder.path(), &["--feature", "dlaa", "--json"]);
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["output_size"], serde_json::json!([64, 65]));
    let scores = &report["frames"][1]["scores"];
    // The picture at its own size is the reference itself: no error at all.
    assert_eq!(scores["bicubic"]["psnr_db"], Value::Null);
    assert_eq!(scores["bicubic"]["flicker"], 0.0);
}

#[test]
fn the_short_table_has_means_alone() {
    let folder = tempfile::tempdir().unwrap();
    write_gray(folder.path(), OUTPUT, 0, 3);
    let text = frames(
        folder.path(),
        &[
            "--feature",
            "sr",
            "--psnr-only",
            "--moving",
            "0-1",
            "--still",
            "1",
        ],
    );
    let first: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(
        first[1..],
        ["PSNR", "frame", "all", "moving", "still", "still:"],
        "{text}"
    );
}

#[test]
fn a_dump_holds_what_every_frame_left() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_gray(folder.path(), OUTPUT, 1, 3);
    let (pictures, dumps) = (out.path().join("pictures"), out.path().join("dumps"));
    let output = Command::new(env!("CARGO_BIN_EXE_reconstruct"))
        .arg("frames")
        .arg(folder.path())
        .args(["--feature", "sr", "--psnr-only", "--out"])
        .arg(&pictures)
        .arg("--dump")
        .arg(&dumps)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let mut weights = Vec::new();
    for number in 0..3 {
        let bytes = std::fs::read(dumps.join(format!("{number:04}.safetensors"))).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let floats = |name: &str| -> Vec<f32> {
            let bytes = tensors.tensor(name).unwrap().data().chunks_exact(4);
            bytes
                .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
                .collect()
        };
        assert_eq!(tensors.tensor("features").unwrap().shape(), [33, 32, 64]);
        assert_eq!(tensors.tensor("recurrent").unwrap().shape(), [33, 32, 8]);
        // Byte 55 of a token is the constant 127; 51 and 52 are the jitter by 254.
        for token in tensors.tensor("features").unwrap().data().chunks_exact(64) {
            assert_eq!([token[55], token[51], token[52]], [127, 64, -32i8 as u8]);
        }
        assert!((floats("exposure")[0] - 0.5).abs() < 0.01);
        let picture = read_channels(&pictures.join(format!("{number:04}.exr"))).unwrap();
        let [red, green, blue] = ["R", "G", "B"].map(|name| picture.get(name).unwrap());
        let colors = floats("history_color");
        assert_eq!(colors.len(), 3 * OUTPUT.area() as usize);
        for (at, color) in colors.chunks_exact(3).enumerate() {
            assert_eq!(color, [red[at], green[at], blue[at]]);
        }
        weights.push(floats("history_weight").iter().sum::<f32>());
    }
    assert!(weights[0] > 0.0 && weights[2] > weights[0], "{weights:?}");
}
