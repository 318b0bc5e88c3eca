//! `reconstruct check-stage`: a part of a network on a device against its CPU reference, and its time.

use super::bench::median;
use crate::error::{Error, Result};
use crate::gpu_executor::{engine_device, open_host_with};
use crate::network_run::Part;
use clap::Args;
use reconstruction_core::network::plan::StepSizes;
use reconstruction_core::network::Path;
use reconstruction_core::plan::{Slot, Step};
use reconstruction_engine::Workbench;
use reconstruction_host::{Host, OptionalFeatures};
use std::fmt::Write as _;
use std::io::Write;

/// Run a part of a network on a device and on the CPU, each step from the same memory, and compare every byte.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    part: Part,
    /// Runs whose median time is printed; 0 measures nothing
    #[arg(long, default_value_t = 0, value_name = "RUNS")]
    time: u32,
    /// Part of a device's name; the best device where absent
    #[arg(long)]
    device: Option<String>,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let (mut run, steps) = options.part.open()?;
    let every_path = OptionalFeatures {
        integer_dot_product: true,
        cooperative_matrix: true,
        ..OptionalFeatures::default()
    };
    let host = open_host_with(options.device.as_deref(), every_path)?;
    let device = engine_device(&host)?;
    let paths: Vec<Path> = Path::ALL
        .into_iter()
        .filter(|&path| device.runs_path(path))
        .collect();
    let benches = (paths.iter())
        .map(|&path| run.bench(&host, &device, path))
        .collect::<Result<Vec<_>>>()?;
    let name = &host.info().name;
    let mut text = format!("{name}, {}, hash {}\n", run.size, run.model.hash);
    if let Some((tops, gigabytes)) = peak(name).filter(|_| options.time > 0) {
        writeln!(text, "peak {tops} TOPS of int8, {gigabytes} GB/s").expect("string");
    }
    let mut differing = 0;
    let mut totals = vec![0.0; paths.len()];
    for index in 0..=steps[steps.len() - 1] {
        let is_checked = steps.contains(&index);
        if is_checked {
            for bench in &benches {
                run.upload(&host, bench)?;
            }
        }
        run.run_reference(index);
        if !is_checked {
            continue;
        }
        let step = &run.plan.steps[index];
        for ((path, bench), total) in paths.iter().zip(&benches).zip(&mut totals) {
            // SAFETY: the host waits for the command buffer, and the bench outlives it.
            host.run_now(|commands| unsafe { bench.record_step(commands, index) })?;
            let got = run.download(&host, bench)?;
            let difference = (run.arena().iter().zip(&got)).position(|(a, b)| a != b);
            let verdict = match difference {
                None => "equal".to_owned(),
                Some(word) => {
                    differing += 1;
                    format!("differs at {}", run.place(index, word))
                }
            };
            let (label, variant, path) = (&step.label, step.pass.variant, path.name());
            write!(text, "{label:<18}{variant:<16}{path:<8}{verdict}").expect("string");
            if options.time > 0 {
                let ms = time(&host, bench, index, options.time)?;
                *total += ms;
                let [tops, gigabytes] = rates(step, ms);
                write!(text, "{ms:>10.4} ms{tops:>9.3} TOPS{gigabytes:>9.1} GB/s").expect("string");
            }
            text.push('\n');
        }
    }
    if options.time > 0 {
        for (path, total) in paths.iter().zip(totals) {
            let path = path.name();
            writeln!(text, "{:<34}{path:<13}{total:>10.4} ms", "together").expect("string");
        }
    }
    super::print(out, &text)?;
    if differing > 0 {
        let what = format!("{differing} steps differ from the reference");
        return Err(Error::Differs(what));
    }
    Ok(())
}

/// 10^12 operations of int8 a second without sparsity and 10^9 bytes a second, by the vendors' data sheets.
fn peak(device: &str) -> Option<(u32, u32)> {
    let known = [
        ("H200", (1979, 4800)),
        ("H100 80GB HBM3", (1979, 3350)),
        ("A100-SXM4-80GB", (624, 2039)),
    ];
    let found = known.iter().find(|(name, _)| device.contains(name));
    found.map(|(_, peak)| *peak)
}

/// Median of a step's time on the device.
fn time(host: &Host, bench: &Workbench, index: usize, runs: u32) -> Result<f64> {
    const WARM_UP: u32 = 3;
    let stamps = host.create_timestamps(1 + WARM_UP + runs)?;
    host.run_now(|commands| {
        stamps.record_reset(commands);
        stamps.record(commands, 0);
        for run in 1..=WARM_UP + runs {
            // SAFETY: the host waits for the command buffer, and the bench outlives it.
            unsafe { bench.record_step(commands, index) };
            stamps.record(commands, run);
        }
    })?;
    let points = stamps.milliseconds()?;
    let times = points.windows(2).map(|pair| pair[1] - pair[0]);
    Ok(median(times.skip(WARM_UP as usize)))
}

/// 10^12 operations a second (a multiply-add is two), and 10^9 bytes a second of everything that is read or written.
fn rates(step: &Step, ms: f64) -> [f64; 2] {
    let bytes: u64 = (step.slots.iter())
        .map(|slot| match slot {
            Slot::Range(range) | Slot::Weights(range) => range.size,
            Slot::Image(_) => 0,
        })
        .sum();
    let macs = StepSizes::of(step).map_or(0, |sizes| {
        let [width, height] = sizes.output_grid.map(u64::from);
        width * height * sizes.macs_per_token
    });
    [2.0 * macs as f64 / ms / 1e9, bytes as f64 / ms / 1e6]
}

#[cfg(test)]
mod tests {
    use super::peak;

    #[test]
    fn the_peak_is_told_of_devices_that_have_a_data_sheet_here() {
        assert_eq!(peak("NVIDIA H200"), Some((1979, 4800)));
        assert_eq!(peak("llvmpipe (LLVM 15.0.6, 256 bits)"), None);
    }
}
