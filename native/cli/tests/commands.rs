//! The program itself: exit codes and exact lines.

use reconstruction_cli::exr_file::write_channels;
use reconstruction_cli::image::{Channels, Precision};
use reconstruction_core::Size;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn reconstruct(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_reconstruct");
    Command::new(program).args(arguments).output().unwrap()
}

/// The one line of a refusal and its exit code.
fn refusal(arguments: &[&str]) -> (i32, String) {
    let output = reconstruct(arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.stdout.is_empty() && text.lines().count() == 1 && text.is_ascii(),
        "{text}"
    );
    let line = text.trim_end().strip_prefix("error: ").unwrap().to_owned();
    (output.status.code().unwrap(), line)
}

/// A folder whose frames are refused by `sr` on the CPU.
fn frames(folder: &Path) -> (i32, String) {
    let path = folder.to_str().unwrap();
    refusal(&["frames", path, "--feature", "sr", "--device", "cpu"])
}

const DESCRIPTION: &str = r#"{"format": "frames-1", "render_size": [32, 32], "output_size": [64, 64],
    "depth": "view_linear", "frames": [{"file": "0000.exr", "jitter": [0, 0]}]}"#;

/// A folder with one frame: this description, and an image of these channels.
fn folder(
    description: &str,
    size: Size,
    channels: &[&str],
) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("sequence.json");
    std::fs::write(&json, description).unwrap();
    let mut image = Channels::new(size);
    for name in channels {
        image.set(name, Precision::Half, vec![0.5; size.area() as usize]);
    }
    let exr = folder.path().join("0000.exr");
    write_channels(&exr, &image).unwrap();
    (folder, json, exr)
}

const SIZE: Size = Size::new(32, 32);
const CHANNELS: [&str; 6] = ["R", "G", "B", "depth.Z", "motion.X", "motion.Y"];

#[test]
fn a_missing_folder_is_named() {
    assert_eq!(
        frames(Path::new("/nowhere")),
        (
            3,
            "/nowhere/sequence.json: cannot read: No such file or directory (os error 2)".into()
        )
    );
}

#[test]
fn a_wrong_value_names_file_and_key() {
    let cases = [
        ("[0, 0]", "[0, \"a\"]", "frames[0].jitter[1]: invalid type: string \"a\", expected f32 at line 2 column 77"),
        ("[0, 0]", "[0, 0.75]", "frames[0].jitter: expected two numbers in -0.5..0.5, got [0, 0.75]"),
        ("view_linear", "linear", "depth: unknown variant `linear`, expected one of `hardware`, `hardware_reversed`, `hardware_reversed_infinite`, `view_linear` at line 2 column 21"),
        ("frames-1", "frames-2", "format: expected \"frames-1\", got \"frames-2\""),
        ("[32, 32]", "[32, 0]", "render_size: expected pixels, got 32x0"),
        ("\"file\"", "\"exposure\": 0, \"file\"", "frames[0].exposure: expected a finite number above 0, got 0"),
        ("\"file\"", "\"fill\"", "frames[0]: missing field `file` at line 2 column 77"),
        ("\"depth\"", "\"motion\": \"uv\", \"depth\"", "motion: expected \"previous_minus_current_render_pixels\", got \"uv\""),
    ];
    for (from, to, expected) in cases {
        let (guard, json, _) = folder(&DESCRIPTION.replace(from, to), SIZE, &CHANNELS);
        let expected = format!("{}: {expected}", json.display());
        assert_eq!(frames(guard.path()), (3, expected));
    }
}

#[test]
fn a_missing_frame_is_named() {
    let (guard, _, exr) = folder(DESCRIPTION, SIZE, &CHANNELS);
    std::fs::remove_file(&exr).unwrap();
    let line = format!(
        "{}: cannot read: No such file or directory (os error 2)",
        exr.display()
    );
    assert_eq!(frames(guard.path()), (3, line));
}

#[test]
fn a_missing_channel_is_named() {
    let (guard, _, exr) = folder(DESCRIPTION, SIZE, &["R", "G", "B", "depth.Z", "motion.X"]);
    let line = format!(
        "{}: no channel motion.Y; the file has B G R depth.Z motion.X; name the channels as in the frame format (reconstruct frames --help)",
        exr.display()
    );
    assert_eq!(frames(guard.path()), (3, line));
}

#[test]
fn a_frame_of_another_size_is_refused() {
    let (guard, _, exr) = folder(DESCRIPTION, Size::new(32, 31), &CHANNELS);
    let line = format!(
        "{}: expected 32x32 pixels (render_size of sequence.json), got 32x31",
        exr.display()
    );
    assert_eq!(frames(guard.path()), (3, line));
}

#[test]
fn a_damaged_frame_is_refused() {
    let (guard, _, exr) = folder(DESCRIPTION, SIZE, &CHANNELS);
    std::fs::write(&exr, b"not an image").unwrap();
    let (code, line) = frames(guard.path());
    let start = format!("{}: cannot decode: ", exr.display());
    assert!(code == 3 && line.starts_with(&start), "{line}");
}

#[test]
fn illegal_sizes_are_refused() {
    let (guard, _, _) = folder(&DESCRIPTION.replace("64, 64]", "64, 99]"), SIZE, &CHANNELS);
    let line = "inputSize.height: expected 33..99 for an output of 99, got 32; the output is at most 3 times \
        the input on each axis and never smaller; use recommend(...).optimal";
    assert_eq!(frames(guard.path()), (3, line.into()));

    let (guard, json, _) = folder(&DESCRIPTION.replace("64, 64]", "65, 64]"), SIZE, &CHANNELS);
    let line = format!(
        "{}: output_size: expected a whole multiple of render_size 32x32 for --feature dlaa, got 65x64",
        json.display()
    );
    let path = guard.path().to_str().unwrap();
    let dlaa = ["frames", path, "--feature", "dlaa", "--device", "cpu"];
    assert_eq!(refusal(&dlaa), (3, line));
}

#[test]
fn results_never_replace_the_frames_they_are_made_of() {
    let (guard, _, exr) = folder(DESCRIPTION, SIZE, &CHANNELS);
    let before = std::fs::read(&exr).unwrap();
    let path = guard.path().to_str().unwrap();
    let same = format!("{path}/.");
    let (code, line) = refusal(&[
        "frames",
        path,
        "--feature",
        "sr",
        "--device",
        "cpu",
        "--out",
        &same,
    ]);
    assert_eq!(
        (code, line.as_str()),
        (2, "--out: expected another folder than the one that is read, whose files would be replaced")
    );
    assert_eq!(std::fs::read(&exr).unwrap(), before);
}

#[test]
fn wrong_arguments_exit_with_two() {
    for arguments in [
        &["frames"][..],
        &["frames", ".", "--feature", "rr"],
        &["nonsense"],
        &[],
    ] {
        assert_eq!(
            reconstruct(arguments).status.code(),
            Some(2),
            "{arguments:?}"
        );
    }
    let output = reconstruct(&["frames", ".", "--feature", "sr", "--moving", "6-3"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("expected FIRST-LAST, for example 3-6"),
        "{text}"
    );
}

#[test]
fn the_raw_format_is_in_the_help() {
    let output = reconstruct(&["pack", "--help"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("\"format\": \"raw-1\"") && text.contains("unorm8"),
        "{text}"
    );
}
