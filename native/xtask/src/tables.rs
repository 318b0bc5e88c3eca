//! Values of native/core that the binding computes on its own, for a test that compares every bit.

use crate::blocks::{header, write_source};
use reconstruction_core::{jitter, Size};
use std::fmt::Write as _;
use std::path::Path;

/// Frame indices: one period of the longest sequence, then far ones.
const INDICES: [i64; 6] = [-1, -33, 1 << 20, i32::MAX as i64, i64::MAX, i64::MIN];

/// Writes `JitterTable.kt`: for each pair of sizes the phases and, for each index, the bits of x and y.
pub fn write(out: &Path) -> std::io::Result<()> {
    let sizes = [
        ([960, 540], [1920, 1080]),
        ([1920, 1080], [1920, 1080]),
        ([640, 360], [1920, 1080]),
        ([1114, 626], [1920, 1080]),
        ([1707, 960], [2560, 1440]),
        ([21, 22], [64, 64]),
    ];
    let mut text = header();
    text.push_str("\ninternal object JitterTable {\n");
    text.push_str("    class Row(val input: IntArray, val output: IntArray, val phases: Int, val entries: String)\n\n");
    text.push_str("    val rows = listOf(\n");
    for (input, output) in sizes {
        let (render, target) = (
            Size::new(input[0], input[1]),
            Size::new(output[0], output[1]),
        );
        let phases = jitter::phases(render, target);
        let mut entries = String::new();
        for index in (0..i64::from(phases)).chain(INDICES) {
            let [x, y] = jitter::halton(index, render, target);
            write!(entries, "{index}:{:08x}:{:08x} ", x.to_bits(), y.to_bits())
                .expect("writing to a string");
        }
        writeln!(
            text,
            "        Row(intArrayOf({}, {}), intArrayOf({}, {}), {phases}, \"{}\"),",
            input[0],
            input[1],
            output[0],
            output[1],
            entries.trim_end()
        )
        .expect("writing to a string");
    }
    text.push_str("    )\n}\n");
    write_source(out, "JitterTable.kt", &text)
}
