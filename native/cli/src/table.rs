//! Tables of numbers for a terminal.

use crate::scorecard::{FrameRow, Group, GroupRow, Method, Score, Summary};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The scores of a sequence: a row a frame (unless `is_short`), then the means.
pub fn scores(summary: &Summary, is_short: bool) -> String {
    let mut text = String::from("PSNR in dB of log1p(8x)/log 9; ratio and flicker of ours\n");
    let mut head = format!("{:<8}{:<8}", "frame", "kind");
    for method in Method::ALL {
        write!(head, "{:>10}", method.title()).expect("writing to a string");
    }
    writeln!(text, "{head}{:>9}{:>9}{:>9}", "ceiling", "ratio", "flicker").expect("string");
    if !is_short {
        for row in &summary.frames {
            text += &frame_row(row);
        }
    }
    for row in &summary.groups {
        text += &group_row(row);
    }
    for row in summary.groups.iter().filter(|row| row.group != "all") {
        text += &gains(row);
    }
    if let Some(drop) = summary.still_drop_db {
        writeln!(
            text,
            "still: at most {drop:.3} dB below the best frame before"
        )
        .expect("string");
    }
    text
}

fn frame_row(row: &FrameRow) -> String {
    let kind = match row.group {
        Group::Moving => "moving",
        Group::Still => "still",
        Group::Other if row.is_reset => "reset",
        Group::Other => "",
    };
    cells(&row.frame.to_string(), kind, &row.scores, row.ceiling_db)
}

fn group_row(row: &GroupRow) -> String {
    let count = format!("({})", row.frames);
    cells(row.group, &count, &row.scores, row.ceiling_db)
}

fn cells(
    name: &str,
    kind: &str,
    scores: &BTreeMap<Method, Score>,
    ceiling_db: Option<f64>,
) -> String {
    let mut line = format!("{name:<8}{kind:<8}");
    for method in Method::ALL {
        let psnr = scores.get(&method).map(|score| score.psnr_db);
        line += &number(psnr, 10, 2);
    }
    let ours = scores.get(&Method::Reconstructed);
    line += &number(ceiling_db, 9, 2);
    line += &number(ours.map(|score| score.mean_ratio), 9, 4);
    line += &number(ours.and_then(|score| score.flicker), 9, 4);
    line.truncate(line.trim_end().len());
    line + "\n"
}

fn number(value: Option<f64>, width: usize, digits: usize) -> String {
    match value {
        Some(value) => format!("{value:>width$.digits$}"),
        None => format!("{:>width$}", "-"),
    }
}

/// How far the reconstruction is above each baseline.
fn gains(row: &GroupRow) -> String {
    let Some(ours) = row.scores.get(&Method::Reconstructed) else {
        return String::new();
    };
    let mut line = format!("{}:", row.group);
    for (method, score) in row
        .scores
        .iter()
        .filter(|(m, _)| **m != Method::Reconstructed)
    {
        let gain = ours.psnr_db - score.psnr_db;
        write!(line, " {gain:+.2} dB over {},", method.title()).expect("writing to a string");
    }
    match line.strip_suffix(',') {
        Some(line) => format!("{line}\n"),
        None => String::new(),
    }
}
