//! `reconstruct scene`: folders that `reconstruct frames` reads, and refusals.

mod program;

use program::{command, done, limited, names, refused, LAVAPIPE};
use reconstruction_cli::exr_file::read_channels;
use reconstruction_cli::folder::{ColorSource, FrameFolder};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const SMALL: &str = "--render 32x32 --output 64x64 --clean 8 --reference 8";

/// Every channel of a frame, in the order of an EXR file.
const CHANNELS: &str = "B G R beforeParticles.B beforeParticles.G beforeParticles.R clean.B clean.G clean.R depth.Z \
    diffuse.B diffuse.G diffuse.R emissive.B emissive.G emissive.R hit.Z mask.Y motion.X motion.Y normal.X normal.Y \
    normal.Z roughness.Y specular.B specular.G specular.R subsurface.Y";

fn scores(folder: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_reconstruct"))
        .arg("frames")
        .arg(folder)
        .args(["--feature", "sr", "--device", "llvmpipe", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_rendered_folder_is_scored_and_the_reconstruction_beats_bicubic() {
    let out = tempfile::tempdir().unwrap();
    let arguments = format!("scene 3 --frames 5 {SMALL} --view --device {LAVAPIPE}");
    done(&arguments, out.path());

    let report = scores(out.path());
    let frames = report["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 5);
    for frame in &frames[1..] {
        let db = |method: &str| frame["scores"][method]["psnr_db"].as_f64().unwrap();
        let best = db("bicubic").max(db("bicubic_corrected"));
        assert!(db("reconstructed") > best + 0.5, "{frame}");
        let ceiling = frame["ceiling_db"].as_f64().unwrap();
        assert!(ceiling > db("reconstructed"), "{frame}");
    }

    let folder = FrameFolder::open(out.path()).unwrap();
    assert_eq!(folder.sequence.other["recipe"]["seed"], 3);
    let frame = folder.frame(4, ColorSource::Noisy).unwrap();
    assert_eq!(frame.channels.names(), CHANNELS);
    assert!(frame.depth.iter().all(|&d| d > 0.0));
    // The reference is the mean of its halves.
    let mean = folder.reference(4).unwrap().unwrap();
    let [a, b] = folder.reference_halves(4).unwrap().unwrap();
    assert_ne!(a.pixels, b.pixels);
    for (i, mean) in mean.pixels.iter().enumerate() {
        let expected = half::f16::from_f32((a.pixels[i][1] + b.pixels[i][1]) / 2.0);
        assert_eq!(mean[1], expected.to_f32());
    }
    let png = std::fs::read(out.path().join("sheet.png")).unwrap();
    // Four columns of 32 pixels and gaps of 4: width and height follow the eight bytes of IHDR.
    assert_eq!(png[16..20], (4 * 36 + 4u32).to_be_bytes());
    assert!(names(out.path())
        .iter()
        .all(|name| !name.ends_with(".part")));
}

#[test]
fn an_earlier_sequence_is_replaced_when_asked_for() {
    let out = tempfile::tempdir().unwrap();
    let reference = out.path().join("reference");
    std::fs::create_dir(&reference).unwrap();
    for name in ["sequence.json", "0007.exr", "notes.txt", ".0001.exr.part"] {
        std::fs::write(out.path().join(name), b"old").unwrap();
    }
    std::fs::write(reference.join("0007.a.exr"), b"old").unwrap();
    let arguments = format!("scene 5 --frames 1 {SMALL} --device {LAVAPIPE}");
    let line = format!(
        "--out: expected a new or empty folder, but {} holds files; add --overwrite to replace its frames, or choose \
         another folder",
        out.path().display()
    );
    let output = command(&arguments, out.path()).output().unwrap();
    assert_eq!(refused(output), (2, line));
    done(&format!("{arguments} --overwrite"), out.path());
    let left = ["0000.exr", "notes.txt", "reference", "sequence.json"];
    assert_eq!(names(out.path()), left);
    assert_eq!(names(&reference), ["0000.a.exr", "0000.b.exr", "0000.exr"]);
    FrameFolder::open(out.path()).unwrap();
}

#[test]
fn depth_is_stored_as_asked_for() {
    let out = tempfile::tempdir().unwrap();
    let small = "--frames 1 --render 32x32 --output 64x64 --clean 1 --reference 2";
    let kinds = ["view_linear", "hardware_reversed"];
    let depths = kinds.map(|kind| {
        let arguments = format!("scene 5 {small} --depth {kind} --device {LAVAPIPE} --overwrite");
        done(&arguments, out.path());
        let folder = FrameFolder::open(out.path()).unwrap();
        folder.frame(0, ColorSource::Noisy).unwrap().depth
    });
    let folder = FrameFolder::open(out.path()).unwrap();
    let number = |key: &str| folder.sequence.other[key].as_f64().unwrap();
    let (near, far) = (number("near"), number("far"));
    for (&z, &d) in depths[0].iter().zip(&depths[1]) {
        let z = f64::from(z);
        // 1 at the near plane, 0 at the far one; the sky has no distance.
        let expected = if z < 65504.0 {
            near * (far - z) / (z * (far - near))
        } else {
            0.0
        };
        assert!(
            (f64::from(d) - expected).abs() < 1e-4,
            "{z}: {d} for {expected}"
        );
    }
}

#[test]
fn what_cannot_be_rendered_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.glb");
    std::fs::write(&broken, b"glTF, but not really").unwrap();
    let broken = broken.to_str().unwrap();
    let out = folder.path().join("out");
    let room = "scene room --render 32x32 --output 64x64";
    let cases = [
        ("scene attic --render 32x32 --output 64x64".to_owned(), 2,
            "scene: expected one of room, gallery, garden, stage, got attic; choose one of these names, a seed or a glTF file"),
        ("scene 5 --seed-split val --render 32x32 --output 64x64".to_owned(), 2,
            "seed of split val: expected 1000000000..1099999999, got 5 (split train); splits are never mixed: take a seed of this range, or the split that the seed belongs to"),
        ("scene 1200000000 --render 32x32 --output 64x64".to_owned(), 2,
            "seed: expected 0..1199999999, got 1200000000; choose a seed of a split"),
        (format!("{room} --seed-split val"), 2,
            "--seed-split: expected a seed of split val, got room; leave the flag out for demos and files"),
        ("scene room --render 0x32 --output 64x64".to_owned(), 2,
            "--render: expected a width of 21..64 pixels for an output of 64x64, got 0; the output is 1 to 3 times as large on each axis"),
        ("scene room --render 32x32 --output 64x0".to_owned(), 2,
            "--output: expected a height of 64..8192 pixels, got 0; choose a size inside this range"),
        ("scene room --render 9000x9000 --output 9000x9000".to_owned(), 2,
            "--output: expected a width of 64..8192 pixels, got 9000; choose a size inside this range"),
        (format!("{room} --knobs /nowhere.json"), 3,
            "/nowhere.json: cannot read: No such file or directory (os error 2)"),
        (format!("scene {broken} --render 32x32 --output 64x64"), 3, broken),
        (format!("{room} --device nobody"), 4, "device: expected one whose name contains 'nobody', found "),
    ];
    for (arguments, code, start) in cases {
        let refusal = refused(command(&arguments, &out).output().unwrap());
        assert!(
            refusal.0 == code && refusal.1.starts_with(start),
            "{arguments}: {refusal:?}"
        );
        assert!(!out.exists(), "{arguments}: made the folder");
    }
}

#[test]
fn a_write_that_fails_leaves_no_half_file() {
    let out = tempfile::tempdir().unwrap();
    let size = "--render 64x64 --output 64x64 --clean 1 --reference 2";
    let arguments = format!("scene 5 --frames 2 {size} --device {LAVAPIPE}");
    // A reference of three channels fits into 40 KiB, a frame of 28 does not.
    let (code, line) = refused(limited(80, &arguments, out.path()));
    let frame = out.path().join("0000.exr");
    let start = format!("{}: cannot write: ", frame.display());
    assert!(code == 3 && line.starts_with(&start), "{line}");
    assert_eq!(names(out.path()), ["reference"]);
    for name in names(&out.path().join("reference")) {
        read_channels(&out.path().join("reference").join(name)).unwrap();
    }
}

#[test]
fn swiftshader_renders_too() {
    let out = tempfile::tempdir().unwrap();
    let small = "--frames 1 --render 22x22 --output 64x64 --clean 1 --reference 2";
    done(&format!("scene 5 {small} --device SwiftShader"), out.path());
    let folder = FrameFolder::open(out.path()).unwrap();
    let frame = folder.frame(0, ColorSource::Noisy).unwrap();
    assert_eq!(frame.channels.names(), CHANNELS);
}
