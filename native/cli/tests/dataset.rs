//! `reconstruct dataset`: what shards hold, and that a kill loses nothing.

mod program;

use program::{command, done, limited, names, refused, LAVAPIPE};
use reconstruction_cli::dataset::description::ShardDescription;
use reconstruction_cli::folder::{ColorSource, FrameFolder};
use safetensors::{Dtype, SafeTensors};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SIZES: &str = "--size 32x32 --scale 2 --clean 2 --reference 4";

/// A tensor's halves as floats.
fn halves(tensors: &SafeTensors, name: &str) -> Vec<f32> {
    let bytes = tensors.tensor(name).unwrap().data();
    let words = bytes.chunks_exact(2);
    words
        .map(|b| half::f16::from_le_bytes([b[0], b[1]]).to_f32())
        .collect()
}

/// A tensor's floats.
fn floats(tensors: &SafeTensors, name: &str) -> Vec<f32> {
    let bytes = tensors.tensor(name).unwrap().data();
    let words = bytes.chunks_exact(4);
    words
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

#[test]
fn a_pair_is_the_frame_that_scene_gives() {
    let (out, scene) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // With reuse everywhere: the light of a frame depends on those before it.
    let common = format!("--reuse 1 --device {LAVAPIPE}");
    done(
        &format!("dataset --split train --first 4 --sequences 3 --length 3 {SIZES} {common}"),
        out.path(),
    );
    done(
        &format!(
            "scene 5 --frames 3 --render 32x32 --output 64x64 --clean 2 --reference 4 {common}"
        ),
        scene.path(),
    );
    assert_eq!(
        names(out.path()),
        ["dataset.json", "train-00000.safetensors"]
    );
    let bytes = std::fs::read(out.path().join("train-00000.safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let seeds = tensors.tensor("seed").unwrap();
    let expected: Vec<u8> = (4..7i64).flat_map(i64::to_le_bytes).collect();
    assert_eq!(
        (seeds.shape(), seeds.data()),
        (&[3usize][..], &expected[..])
    );

    let folder = FrameFolder::open(scene.path()).unwrap();
    let images: [(&str, &[&str]); 10] = [
        ("color", &["R", "G", "B"]),
        ("clean", &["clean.R", "clean.G", "clean.B"]),
        ("depth", &["depth.Z"]),
        ("motion", &["motion.X", "motion.Y"]),
        ("normal", &["normal.X", "normal.Y", "normal.Z"]),
        ("roughness", &["roughness.Y"]),
        ("diffuse", &["diffuse.R", "diffuse.G", "diffuse.B"]),
        ("specular", &["specular.R", "specular.G", "specular.B"]),
        ("hit", &["hit.Z"]),
        ("mask", &["mask.Y"]),
    ];
    for frame in 0..3 {
        // Sequence 1 of 3 has seed 5.
        let at = 3 + frame;
        let channels = folder.frame(frame, ColorSource::Noisy).unwrap().channels;
        for (name, parts) in images {
            let shape = tensors.tensor(name).unwrap().shape().to_vec();
            assert_eq!(shape, [3, 3, parts.len(), 32, 32], "{name}");
            let all = halves(&tensors, name);
            for (c, part) in parts.iter().enumerate() {
                let ours = &all[(at * parts.len() + c) * 1024..][..1024];
                let theirs: Vec<f32> = channels
                    .get(part)
                    .unwrap()
                    .iter()
                    .map(|&v| half::f16::from_f32(v).to_f32())
                    .collect();
                assert_eq!(ours, theirs, "{part} of frame {frame}");
            }
        }
        let reference = folder.reference(frame).unwrap().unwrap();
        let all = halves(&tensors, "reference");
        for c in 0..3 {
            let ours = &all[(at * 3 + c) * 4096..][..4096];
            let theirs: Vec<f32> = reference.pixels.iter().map(|p| p[c]).collect();
            assert_eq!(ours, theirs, "reference of frame {frame}");
        }
        let entry = &folder.sequence.frames[frame];
        assert_eq!(floats(&tensors, "jitter")[2 * at..2 * at + 2], entry.jitter);
        assert_eq!(Some(floats(&tensors, "exposure")[at]), entry.exposure);
        assert_eq!(
            tensors.tensor("cut").unwrap().data()[at],
            u8::from(entry.cut)
        );
        for (name, columns) in [("view", entry.view), ("projection", entry.projection)] {
            let rows = &floats(&tensors, name)[16 * at..16 * at + 16];
            for (i, row) in rows.iter().enumerate() {
                let expected = columns.unwrap()[i % 4 * 4 + i / 4];
                assert_eq!(f64::from(*row), expected, "{name} {i}");
            }
        }
    }
}

#[test]
fn tensors_are_aligned_and_described() {
    let out = tempfile::tempdir().unwrap();
    // 23 * 25 halves: an odd number, after which nothing wider may follow.
    let sizes = "--size 23x25 --scale 3 --clean 1 --reference 2";
    done(
        &format!("dataset --split test --sequences 1 --length 1 {sizes} --device {LAVAPIPE}"),
        out.path(),
    );
    let path = out.path().join("test-00000.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    let (header, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
    let mut spans = Vec::new();
    for (name, info) in metadata.tensors() {
        let (from, until) = info.data_offsets;
        let element = match info.dtype {
            Dtype::F16 => 2,
            Dtype::F32 => 4,
            Dtype::I64 => 8,
            Dtype::U8 => 1,
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!((8 + header + from) % element, 0, "{name}");
        let values: usize = info.shape.iter().product();
        assert_eq!(until - from, values * element, "{name}");
        spans.push((from, until));
    }
    // No gap, nothing twice, and nothing behind the last one.
    spans.sort_unstable();
    assert!(spans.windows(2).all(|pair| pair[0].1 == pair[1].0));
    assert_eq!(
        (spans[0].0, 8 + header + spans.last().unwrap().1),
        (0, bytes.len())
    );

    let json = &metadata.metadata().as_ref().unwrap()["description"];
    let shard: ShardDescription = serde_json::from_str(json).unwrap();
    let dataset = std::fs::read_to_string(out.path().join("dataset.json")).unwrap();
    assert_eq!(shard.dataset, serde_json::from_str(&dataset).unwrap());
    assert_eq!(shard.dataset.output_size, [69, 75]);
    assert_eq!(shard.sequences[0].recipe.seed, 1_100_000_000);
}

#[test]
fn a_killed_run_is_resumed_without_loss_or_repetition() {
    let (whole, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let common = format!(
        "dataset --split val --sequences 7 --shard 1 --length 4 {SIZES} --device {LAVAPIPE}"
    );
    done(&common, whole.path());
    assert_eq!(names(whole.path()).len(), 8);

    let mut child = command(&common, killed.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !killed.path().join("val-00000.safetensors").exists() {
        assert!(start.elapsed() < Duration::from_secs(300), "no shard");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let left = names(killed.path());
    let shards = left
        .iter()
        .filter(|name| name.ends_with(".safetensors"))
        .count();
    assert!(
        (1..7).contains(&shards),
        "killed in the midst of it: {left:?}"
    );
    for name in left.iter().filter(|name| !name.ends_with(".part")) {
        assert_same(whole.path(), killed.path(), name);
    }
    // A kill while a shard is written leaves this.
    std::fs::write(killed.path().join(".val-00006.safetensors.part"), b"begun").unwrap();

    let printed = done(&format!("{common} --resume --json"), killed.path());
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["shards_made"], 7 - shards);
    assert_eq!(report["pairs"], 4 * (7 - shards));
    assert_eq!(names(killed.path()), names(whole.path()));
    for name in names(whole.path()) {
        assert_same(whole.path(), killed.path(), &name);
    }
}

fn assert_same(a: &Path, b: &Path, name: &str) {
    let [a, b] = [a, b].map(|folder| std::fs::read(folder.join(name)).unwrap());
    assert!(a == b, "{name} differs");
}

#[test]
fn what_does_not_fit_a_folder_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let sizes = "--size 22x22 --scale 3 --clean 1 --reference 2";
    let common = format!(
        "dataset --split val --sequences 2 --shard 1 --length 1 {sizes} --device {LAVAPIPE}"
    );
    done(&common, out.path());
    let refusal = |arguments: &str| refused(command(arguments, out.path()).output().unwrap());
    let at = |name: &str| out.path().join(name).display().to_string();

    assert_eq!(
        refusal(&common),
        (2, format!(
            "--out: expected a new or empty folder, but {} holds files; add --resume to go on with its dataset or \
             --overwrite to replace it, or choose another folder",
            out.path().display()
        ))
    );
    assert_eq!(
        refusal(&format!("{common} --resume --reuse 0.5")),
        (3, format!(
            "{}: reuse: expected 0.5 as asked for now, got 0.4; continue with the arguments it was begun \
             with, or choose another folder",
            at("dataset.json")
        ))
    );
    let shard = out.path().join("val-00001.safetensors");
    let bytes = std::fs::read(&shard).unwrap();
    std::fs::write(&shard, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(
        refusal(&format!("{common} --resume")),
        (3, format!(
            "{}: cannot use the shard: expected {} bytes, got {}; delete the file and run again with --resume",
            at("val-00001.safetensors"), bytes.len(), bytes.len() - 1
        ))
    );
    std::fs::remove_file(&shard).unwrap();
    std::fs::remove_file(out.path().join("dataset.json")).unwrap();
    assert_eq!(
        refusal(&format!("{common} --resume")),
        (
            3,
            format!(
            "{}: cannot resume: missing beside shards; use --overwrite, or choose another folder",
            at("dataset.json")
        )
        )
    );
    done(&format!("{common} --overwrite"), out.path());
    assert_eq!(std::fs::read(&shard).unwrap(), bytes);
}

#[test]
fn what_cannot_be_made_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let cases = [
        ("dataset --split dev --sequences 1 --length 1 --size 32x32 --scale 2",
            "split: expected train, val or test, got dev; name one of the three"),
        ("dataset --split val --sequences 100000001 --length 1 --size 32x32 --scale 2",
            "val sequences: expected at most 100000000 in all, got 100000001 from place 0 on; ask for fewer sequences; the seeds of another split are never taken"),
        ("dataset --split val --sequences 1 --length 1 --size 32x32 --scale 4",
            "--scale: expected a ratio in 1..3, got 4; the reference is at most 3 times the input on each axis"),
        ("dataset --split val --sequences 1 --length 1 --size 32x0 --scale 2",
            "--size times --scale: expected a height of 64..8192 pixels, got 0; choose a size inside this range"),
    ];
    for (arguments, line) in cases {
        let refusal = refused(command(arguments, &out).output().unwrap());
        assert_eq!(refusal, (2, line.to_owned()), "{arguments}");
        assert!(!out.exists(), "{arguments}: made the folder");
    }
}

#[test]
fn a_full_disk_leaves_no_half_shard() {
    let out = tempfile::tempdir().unwrap();
    let sizes = "--size 22x22 --scale 3 --clean 1 --reference 2";
    let arguments = format!(
        "dataset --split val --sequences 3 --shard 1 --length 1 {sizes} --device {LAVAPIPE}"
    );
    let (code, line) = refused(limited(32, &arguments, out.path()));
    let shard = out.path().join("val-00000.safetensors");
    let start = format!("{}: cannot write: ", shard.display());
    assert!(code == 3 && line.starts_with(&start), "{line}");
    assert_eq!(names(out.path()), ["dataset.json"]);
}
