//! Frame folders and raw recordings, written and read again.

use proptest::prelude::*;
use reconstruction_cli::exr_file::{read_channels, write_channels};
use reconstruction_cli::folder::{ColorSource, FolderWriter, FrameFolder};
use reconstruction_cli::image::{Channels, Picture, Precision};
use reconstruction_cli::raw;
use reconstruction_cli::sequence::{Reset, Sequence};
use reconstruction_core::convention::Depth;
use reconstruction_core::Size;
use std::path::Path;

fn sequence(json: &str) -> Sequence {
    serde_json::from_str(json).unwrap()
}

const DESCRIPTION: &str = r#"{
    "format": "frames-1", "render_size": [3, 2], "output_size": [4, 3], "depth": "hardware_reversed_infinite",
    "exposure": 2.0, "near": 0.25,
    "frames": [
        {"index": 7, "file": "a", "jitter": [0.25, -0.5], "reset": "another scene", "exposure": 0.5, "note": "kept"},
        {"file": "b", "jitter": [0, 0.125], "cut": true, "reset": false}
    ]
}"#;

/// Channels whose samples tell pixel and channel apart.
fn numbered(size: Size, names: &[&str]) -> Channels {
    let mut channels = Channels::new(size);
    for (c, name) in names.iter().enumerate() {
        let samples = (0..size.area()).map(|i| (10 * i) as f32 + c as f32);
        channels.set(name, Precision::Half, samples.collect());
    }
    channels
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let description = sequence(DESCRIPTION);
    let names = [
        "R", "G", "B", "A", "clean.R", "clean.G", "clean.B", "depth.Z", "motion.X", "motion.Y",
        "hit.Z",
    ];
    let channels = numbered(Size::new(3, 2), &names);
    let reference = Picture::from_fn(Size::new(4, 3), |x, y| [x as f32, y as f32, 0.5, 1.0]);
    let mut writer = FolderWriter::create(folder.path(), description.clone()).unwrap();
    writer
        .add(description.frames[0].clone(), &channels, Some(&reference))
        .unwrap();
    writer
        .add(description.frames[1].clone(), &channels, None)
        .unwrap();
    writer.finish().unwrap();

    let read = FrameFolder::open(folder.path()).unwrap();
    let sequence = &read.sequence;
    assert_eq!(
        (read.len(), sequence.depth),
        (2, Depth::HardwareReversedInfinite)
    );
    assert_eq!(
        (sequence.score_exposure(), sequence.other["near"].as_f64()),
        (2.0, Some(0.25))
    );
    let [first, second] = &sequence.frames[..] else {
        unreachable!()
    };
    assert_eq!(
        (first.file.as_str(), first.reference.as_deref()),
        ("0000.exr", Some("reference/0000.exr"))
    );
    assert_eq!((first.jitter, first.exposure), ([0.25, -0.5], Some(0.5)));
    assert_eq!(first.reset, Some(Reset::Reason("another scene".into())));
    assert_eq!(first.other["note"], "kept");
    assert!(first.is_reset() && second.is_reset(), "a reason, and a cut");
    assert_eq!((sequence.frame_index(0), sequence.frame_index(1)), (7, 1));

    let noisy = read.frame(0, ColorSource::Noisy).unwrap();
    assert_eq!(noisy.channels, channels);
    assert_eq!(noisy.color.pixels[4], [40.0, 41.0, 42.0, 43.0]);
    assert_eq!((noisy.depth[5], noisy.motion[5]), (57.0, [58.0, 59.0]));
    let clean = read.frame(0, ColorSource::CleanFirst).unwrap();
    assert_eq!(clean.color.pixels[4], [44.0, 45.0, 46.0, 43.0]);
    assert_eq!(read.reference(0).unwrap(), Some(reference));
    assert_eq!(read.reference(1).unwrap(), None);
    assert_eq!(read.reference_halves(0).unwrap(), None);
}

#[test]
fn halves_of_a_reference_are_found_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let description = sequence(DESCRIPTION);
    let channels = numbered(
        Size::new(3, 2),
        &["R", "G", "B", "depth.Z", "motion.X", "motion.Y"],
    );
    let picture = |v| Picture::filled(Size::new(4, 3), [v, v, v, 1.0]);
    let mut writer = FolderWriter::create(folder.path(), description.clone()).unwrap();
    writer
        .add(
            description.frames[0].clone(),
            &channels,
            Some(&picture(1.0)),
        )
        .unwrap();
    writer.finish().unwrap();
    for (name, value) in [("0000.a.exr", 0.5), ("0000.b.exr", 1.5)] {
        let mut channels = Channels::new(Size::new(4, 3));
        channels.set_rgb("", &picture(value), Precision::Half);
        write_channels(&folder.path().join("reference").join(name), &channels).unwrap();
    }
    let halves = FrameFolder::open(folder.path())
        .unwrap()
        .reference_halves(0)
        .unwrap()
        .unwrap();
    assert_eq!(halves.map(|half| half.pixels[0][0]), [0.5, 1.5]);
}

#[test]
fn a_frame_of_another_size_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let description = sequence(DESCRIPTION);
    let mut writer = FolderWriter::create(folder.path(), description.clone()).unwrap();
    let error = writer.add(
        description.frames[0].clone(),
        &numbered(Size::new(2, 2), &["R"]),
        None,
    );
    let path = folder.path().join("0000.exr");
    assert_eq!(
        error.unwrap_err().to_string(),
        format!(
            "{}: expected 3x2 pixels (render_size of sequence.json), got 2x2",
            path.display()
        )
    );
    assert!(!path.exists());
}

#[test]
fn a_folder_that_is_written_again_is_no_sequence_until_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let description = sequence(DESCRIPTION);
    let channels = numbered(Size::new(3, 2), &["R"]);
    let begin = || {
        let mut writer = FolderWriter::create(folder.path(), description.clone()).unwrap();
        let entry = description.frames[0].clone();
        writer.add(entry, &channels, None).unwrap();
        writer
    };
    begin().finish().unwrap();
    assert!(FrameFolder::open(folder.path()).is_ok());
    // The second one is cut off behind its first frame.
    begin();
    assert!(FrameFolder::open(folder.path()).is_err());
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

fn write_raw(folder: &Path) {
    let description = DESCRIPTION
        .replace("frames-1", "raw-1")
        .replace(
            "\"file\": \"a\"",
            "\"file\": \"a\", \"reference\": \"ref-a\"",
        )
        .replace(
            "\"near\"",
            r#""images": [{"name": "color", "channels": ["R", "G", "B", "A"], "type": "half"},
                {"name": "depth", "channels": ["depth.Z"], "type": "float"},
                {"name": "motion", "channels": ["motion.X", "motion.Y", "_"], "type": "half"},
                {"name": "mask", "channels": ["mask"], "type": "unorm8"}],
            "reference_image": {"channels": ["R", "G", "B", "_"], "type": "unorm8"}, "near""#,
        );
    write(&folder.join("sequence.json"), description.as_bytes());
    let halves = |count: u16| -> Vec<u8> {
        let half = |i| half::f16::from_f32(f32::from(i) / 4.0).to_le_bytes();
        (0..count).flat_map(half).collect()
    };
    for stem in ["a", "b"] {
        write(&folder.join(format!("{stem}.color.raw")), &halves(24));
        let depth: Vec<u8> = (0..6u8)
            .flat_map(|i| (0.1 * f32::from(i)).to_le_bytes())
            .collect();
        write(&folder.join(format!("{stem}.depth.raw")), &depth);
        write(&folder.join(format!("{stem}.motion.raw")), &halves(18));
        write(
            &folder.join(format!("{stem}.mask.raw")),
            &[0, 51, 102, 153, 204, 255],
        );
    }
    write(&folder.join("ref-a.raw"), &[255; 48]);
}

#[test]
fn a_raw_recording_becomes_a_frame_folder() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_raw(from.path());
    assert_eq!(raw::pack(from.path(), to.path(), |_, _| ()).unwrap(), 2);
    let folder = FrameFolder::open(to.path()).unwrap();
    let frame = folder.frame(1, ColorSource::CleanFirst).unwrap();
    assert_eq!(
        frame.channels.names(),
        "A B G R depth.Z mask motion.X motion.Y"
    );
    assert_eq!(frame.color.pixels[2], [2.0, 2.25, 2.5, 2.75]);
    assert_eq!(frame.depth[3], 0.1 * 3.0, "32 bits stay");
    assert_eq!(frame.motion[1], [0.75, 1.0]);
    assert_eq!(frame.channels.get("mask").unwrap()[1], 0.2);
    assert_eq!(folder.reference(0).unwrap().unwrap().pixels[11], [1.0; 4]);
    assert_eq!(folder.reference(1).unwrap(), None);
    assert_eq!(folder.sequence.frames[0].other["note"], "kept");
    assert!(!folder.sequence.other.contains_key("images"));
}

#[test]
fn a_raw_recording_that_does_not_fit_is_refused() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write_raw(from.path());
    let json = from.path().join("sequence.json");
    let good = std::fs::read_to_string(&json).unwrap();
    let refusal = |json_text: &str| {
        write(&json, json_text.as_bytes());
        raw::pack(from.path(), to.path(), |_, _| ())
            .unwrap_err()
            .to_string()
    };
    let at = json.display();
    assert_eq!(
        refusal(&good.replace("\"type\": \"float\"", "\"type\": \"double\"")),
        format!("{at}: images[1].type: unknown variant `double`, expected one of `half`, `float`, `unorm8`")
    );
    assert_eq!(
        refusal(&good.replace("\"images\"", "\"pictures\"")),
        format!("{at}: images: missing; see reconstruct pack --help")
    );
    assert_eq!(
        refusal(&good.replace("\"reference_image\"", "\"other\"")),
        format!("{at}: reference_image: missing, but frames[0] has a reference")
    );
    let same = raw::pack(from.path(), from.path(), |_, _| ()).unwrap_err();
    assert_eq!(same.exit_code(), 2);
    let color = from.path().join("a.color.raw");
    write(&color, &[0; 47]);
    assert_eq!(
        refusal(&good),
        format!(
            "{}: cannot use the image: expected 48 bytes (3x2 pixels of 8), got 47",
            color.display()
        )
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_sample_survives_a_file(
        (width, height, bits) in (1u32..9, 1u32..9).prop_flat_map(|(w, h)| {
            (Just(w), Just(h), proptest::collection::vec(any::<u32>(), (w * h) as usize))
        })
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.exr");
        let mut channels = Channels::new(Size::new(width, height));
        let floats: Vec<f32> = bits.iter().map(|&b| f32::from_bits(b)).collect();
        let halves = bits.iter().map(|&b| half::f16::from_bits(b as u16).to_f32()).collect();
        channels.set("float.Z", Precision::Float, floats);
        channels.set("half.Z", Precision::Half, halves);
        write_channels(&path, &channels).unwrap();
        let read = read_channels(&path).unwrap();
        prop_assert_eq!(read.names(), channels.names());
        for (ours, theirs) in channels.list().iter().zip(read.list()) {
            prop_assert_eq!(ours.precision, theirs.precision);
            for (a, b) in ours.samples.iter().zip(&theirs.samples) {
                prop_assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()));
            }
        }
    }
}
