//! `reconstruct selftest`: does this device give the exact bits?

use crate::error::{Error, Result};
use crate::executor::{self, Executor};
use crate::synthetic::{self, Case};
use crate::{golden, progress};
use clap::Args;
use reconstruction_core::frame_plans::FramePlans;
use reconstruction_core::network::Path;
use reconstruction_core::pass::BindingKind;
use reconstruction_core::plan::{Plan, Slot, Step};
use serde::Serialize;
use std::io::Write;

/// Reconstruct a built-in sequence and compare every frame with the stored exact result.
#[derive(Debug, Args)]
pub struct Options {
    /// Part of a device's name, or cpu for the CPU references; the best device where absent
    #[arg(long)]
    device: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    device: String,
    is_exact: bool,
    cases: Vec<CaseReport>,
}

#[derive(Debug, Serialize)]
struct CaseReport {
    case: &'static str,
    frames: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
}

/// The first thing that differs from the CPU references.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Difference {
    frame: usize,
    pass: String,
    /// Range of the arena, or `output_image`.
    place: String,
    /// Index of the 32-bit word in the range, or of the half in the image.
    index: usize,
    expected: String,
    got: String,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let name = options.device.as_deref();
    let mut report = Report {
        device: String::new(),
        is_exact: true,
        cases: Vec::new(),
    };
    let bar = progress::bar(synthetic::CASES.len() * synthetic::FRAMES, "selftest");
    let mut ours = executor::open(name, synthetic::CASES[0].settings.clone())?;
    report.device = ours.device();
    for case in &*synthetic::CASES {
        ours.restart(case.settings.clone())?;
        let mut frames = Vec::new();
        for number in 0..synthetic::FRAMES {
            let picture = ours.evaluate(&synthetic::frame(case, number).input())?;
            frames.push(golden::hash(&picture));
            bar.inc(1);
        }
        let stored = golden::stored(case).frames;
        let unequal = (0..synthetic::FRAMES).find(|&n| stored.get(n) != frames.get(n));
        let difference = match unequal {
            None => None,
            Some(frame) => {
                // From the start again, beside the references: histories may have parted before it showed.
                ours.restart(case.settings.clone())?;
                Some(match first_difference(case, ours.as_mut())? {
                    Some(difference) => difference,
                    None => unexplained(frame, &stored, &frames, &reference_hash(case, frame)?),
                })
            }
        };
        report.is_exact &= difference.is_none();
        report.cases.push(CaseReport {
            case: case.name,
            frames,
            difference,
        });
    }
    bar.finish_and_clear();
    if options.json {
        super::print_json(out, &report)?;
    } else {
        super::print(out, &text(&report))?;
    }
    match report.is_exact {
        true => Ok(()),
        false => Err(Error::Differs(format!(
            "{}: not the exact bits",
            report.device
        ))),
    }
}

/// Runs device and references side by side and compares what each pass wrote.
fn first_difference(case: &Case, ours: &mut dyn Executor) -> Result<Option<Difference>> {
    let mut reference = executor::open(Some(executor::CPU), case.settings.clone())?;
    let plans = FramePlans::new(
        case.settings.sizes,
        case.settings.network.as_deref(),
        Path::Plain,
    );
    for number in 0..synthetic::FRAMES {
        let frame = synthetic::frame(case, number);
        let theirs = reference.evaluate(&frame.input())?;
        let picture = ours.evaluate(&frame.input())?;
        // Every frame is reconstructed, so the histories take turns.
        let plan = &plans.reconstruct[number % 2];
        let bits = |v: &f32| u32::from(half::f16::from_f32(*v).to_bits());
        let halves = |p: &crate::image::Picture| p.pixels.iter().flatten().map(bits).collect();
        let (expected, got): (Vec<u32>, Vec<u32>) = (halves(&theirs), halves(&picture));
        let found = differing_range(&plans, plan, reference.as_mut(), ours)?.or_else(|| {
            differing_word(&expected, &got, |_| true).map(|(index, expected, got)| {
                ("output".into(), "output_image".into(), index, expected, got)
            })
        });
        if let Some((pass, place, index, expected, got)) = found {
            return Ok(Some(Difference {
                frame: number,
                pass,
                place,
                index,
                expected: format!("{expected:#x}"),
                got: format!("{got:#x}"),
            }));
        }
    }
    Ok(None)
}

type Found = (String, String, usize, u32, u32);

/// The first range that a pass of the plan writes and that differs.
fn differing_range(
    plans: &FramePlans,
    plan: &Plan,
    reference: &mut dyn Executor,
    ours: &mut dyn Executor,
) -> Result<Option<Found>> {
    for (number, step) in plan.steps.iter().enumerate() {
        for (slot, binding) in step.slots.iter().zip(step.pass.bindings) {
            let (Slot::Range(range), BindingKind::Output(_)) = (slot, binding.kind) else {
                continue;
            };
            let (expected, got) = (reference.range(*range)?, ours.range(*range)?);
            // Layers of a network share memory: a word that a later step wrote tells of that step.
            let is_its_own = |index: usize| {
                let byte = range.offset + 4 * index as u64;
                !plan.steps[number + 1..]
                    .iter()
                    .any(|later| writes(later, byte))
            };
            if let Some((index, expected, got)) = differing_word(&expected, &got, is_its_own) {
                let mut ranges = plans.arena.ranges().iter();
                let place = ranges.find(|(_, r)| r == range);
                let place = place
                    .map_or(binding.name, |(name, _)| name.as_ref())
                    .to_owned();
                return Ok(Some((step.label.to_string(), place, index, expected, got)));
            }
        }
    }
    Ok(None)
}

/// Whether a step writes a byte of the arena.
fn writes(step: &Step, byte: u64) -> bool {
    let mut slots = step.slots.iter().zip(step.pass.bindings);
    slots.any(|(slot, binding)| match (slot, binding.kind) {
        (Slot::Range(range), BindingKind::Output(_)) => range.contains(byte),
        _ => false,
    })
}

/// The first word that differs among those whose index counts.
fn differing_word(
    expected: &[u32],
    got: &[u32],
    counts: impl Fn(usize) -> bool,
) -> Option<(usize, u32, u32)> {
    let words = expected.iter().zip(got).enumerate();
    let mut differing = words.filter(|(_, (e, g))| e != g);
    let (index, (&expected, &got)) = differing.find(|(index, _)| counts(*index))?;
    Some((index, expected, got))
}

/// What this build's references give in a frame.
fn reference_hash(case: &Case, frame: usize) -> Result<String> {
    let mut reference = executor::open(Some(executor::CPU), case.settings.clone())?;
    let mut hash = String::new();
    for number in 0..=frame {
        hash = golden::hash(&reference.evaluate(&synthetic::frame(case, number).input())?);
    }
    Ok(hash)
}

/// A frame's hash is not the stored one, yet nothing differed from the references beside it: the stored hashes are
/// of other references, or the device gives different bits each time.
fn unexplained(frame: usize, stored: &[String], got: &[String], reference: &str) -> Difference {
    Difference {
        frame,
        pass: if reference == got[frame] {
            "none (this build's CPU references give the same: the stored hashes are of another version)"
        } else {
            "unknown (a second run gave the exact bits: the device is not repeatable)"
        }
        .to_owned(),
        place: "output_image".to_owned(),
        index: 0,
        expected: stored.get(frame).cloned().unwrap_or_default(),
        got: got[frame].clone(),
    }
}

fn text(report: &Report) -> String {
    let mut text = format!("{}\n", report.device);
    for case in &report.cases {
        text += &match &case.difference {
            None => format!("  {}: {} frames equal\n", case.case, case.frames.len()),
            Some(d) => format!(
                "  {}: frame {}, pass {}, {}[{}]: expected {}, got {}\n",
                case.case, d.frame, d.pass, d.place, d.index, d.expected, d.got
            ),
        };
    }
    if report.is_exact {
        text += "this driver gives the exact bits\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Input;
    use crate::image::Picture;
    use reconstruction_core::plan::Range;

    /// The references with one fault in frame 5.
    struct Faulty {
        inner: Box<dyn Executor>,
        fault: Fault,
    }

    #[derive(PartialEq)]
    enum Fault {
        Exposure,
        Picture,
    }

    impl Executor for Faulty {
        fn device(&self) -> String {
            "faulty".to_owned()
        }

        fn restart(&mut self, settings: executor::Settings) -> Result<()> {
            self.inner.restart(settings)
        }

        fn evaluate(&mut self, input: &Input) -> Result<Picture> {
            let mut input = *input;
            let is_bad = input.frame_index == 5;
            if is_bad && self.fault == Fault::Exposure {
                input.exposure = Some(0.5);
            }
            let mut picture = self.inner.evaluate(&input)?;
            if is_bad && self.fault == Fault::Picture {
                picture.pixels[10][2] = 77.0;
            }
            Ok(picture)
        }

        fn range(&mut self, range: Range) -> Result<Vec<u32>> {
            self.inner.range(range)
        }
    }

    fn difference(fault: Fault) -> Difference {
        let case = &synthetic::CASES[0];
        let inner = executor::open(Some(executor::CPU), case.settings.clone()).unwrap();
        first_difference(case, &mut Faulty { inner, fault })
            .unwrap()
            .unwrap()
    }

    #[test]
    fn the_first_differing_frame_and_pass_are_found() {
        let found = difference(Fault::Exposure);
        assert_eq!(
            (found.frame, &*found.pass, &*found.place, found.index),
            (5, "exposure", "exposure_value", 0)
        );
        // The bits of 0.25 and 0.5.
        assert_eq!(
            (found.expected.as_str(), found.got.as_str()),
            ("0x3e800000", "0x3f000000")
        );

        let found = difference(Fault::Picture);
        assert_eq!(
            (found.frame, &*found.pass, &*found.place, found.index),
            (5, "output", "output_image", 42)
        );
        assert_eq!(found.got, "0x54d0", "the half 77");
    }

    #[test]
    fn stale_hashes_are_told_apart_from_a_device_that_changes_its_mind() {
        let [stored, got] = ["a", "b"].map(|hash| [hash.to_owned()]);
        assert!(unexplained(0, &stored, &got, "b").pass.starts_with("none"));
        assert!(unexplained(0, &stored, &got, "a")
            .pass
            .starts_with("unknown"));
    }

    #[test]
    fn a_difference_is_one_line_and_exit_code_one() {
        let report = Report {
            device: "some device".to_owned(),
            is_exact: false,
            cases: vec![CaseReport {
                case: "dlaa",
                frames: Vec::new(),
                difference: Some(difference(Fault::Exposure)),
            }],
        };
        assert_eq!(
            text(&report),
            "some device\n  dlaa: frame 5, pass exposure, exposure_value[0]: expected 0x3e800000, got 0x3f000000\n"
        );
        assert_eq!(Error::Differs(String::new()).exit_code(), 1);
    }
}
