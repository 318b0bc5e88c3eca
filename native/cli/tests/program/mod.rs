//! The program, run by tests.

use std::path::Path;
use std::process::{Command, Output};

/// The part of lavapipe's name that no other driver has.
pub const LAVAPIPE: &str = "llvmpipe";

/// The program with arguments separated by blanks, writing to a folder.
pub fn command(arguments: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reconstruct"));
    command.args(arguments.split(' ')).arg("--out").arg(out);
    command
}

/// What it prints when all is well.
pub fn done(arguments: &str, out: &Path) -> String {
    let output = command(arguments, out).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The one line of a refusal and its exit code.
pub fn refused(output: Output) -> (i32, String) {
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.stdout.is_empty() && text.lines().count() == 1 && text.is_ascii(),
        "{text}"
    );
    let line = text.trim_end().strip_prefix("error: ").unwrap();
    (output.status.code().unwrap(), line.to_owned())
}

/// The program, unable to write a file of more than `blocks` of 512 bytes: what a full disk looks like to it.
pub fn limited(blocks: u32, arguments: &str, out: &Path) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    Command::new("sh")
        .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_reconstruct")])
        .args(arguments.split(' '))
        .arg("--out")
        .arg(out)
        .output()
        .unwrap()
}

/// Names in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
