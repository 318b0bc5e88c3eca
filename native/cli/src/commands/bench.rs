//! `reconstruct bench`: GPU time of every pass.

use super::{open_network, parse_size, NETWORK};
use crate::error::Result;
use crate::executor::{Executor, Input, Settings};
use crate::gpu_executor::{open_host, GpuExecutor};
use crate::image::Picture;
use crate::progress;
use clap::Args;
use reconstruction_core::convention::{Alpha, Depth};
use reconstruction_core::{Mode, Size, Sizes};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

/// Time in which a device's clocks rise to what they are under load.
const WARM_UP_TIME: Duration = Duration::from_millis(300);

/// Measure the GPU time of every pass: the median of many frames after warm-up.
#[derive(Debug, Args)]
pub struct Options {
    /// Render and output sizes, for example 1920x1080:3840x2160,320x180:640x360
    #[arg(long, value_delimiter = ',', value_parser = parse_sizes, default_value = "320x180:640x360")]
    sizes: Vec<Sizes>,
    /// The reconstruction model: network (the shipped one), analytic, or a model file
    #[arg(long, default_value = NETWORK)]
    model: String,
    /// Part of a device's name; the best device where absent
    #[arg(long)]
    device: Option<String>,
    /// Measured frames
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Frames before the measured ones, at least; a device's clocks get 300 ms to rise in any case
    #[arg(long, default_value_t = 10)]
    warm_up: u32,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    device: String,
    frames: u32,
    sizes: Vec<SizeReport>,
}

#[derive(Debug, Serialize)]
struct SizeReport {
    render_size: [u32; 2],
    output_size: [u32; 2],
    /// Medians, in the order of the passes.
    passes: Vec<PassReport>,
    /// Median of the frames' sums.
    total_ms: f64,
}

#[derive(Debug, Serialize)]
struct PassReport {
    pass: String,
    ms: f64,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let mut report = Report {
        device: String::new(),
        frames: options.frames,
        sizes: Vec::new(),
    };
    let network = open_network(&options.model)?;
    for &sizes in &options.sizes {
        let settings = Settings {
            sizes,
            depth: Depth::ViewLinear,
            alpha: Alpha::Ignore,
            is_color_half: true,
            network: network.clone(),
        };
        let mut executor = GpuExecutor::new(open_host(options.device.as_deref())?, settings)?;
        report.device = executor.device();
        report.sizes.push(measure(options, sizes, &mut executor)?);
    }
    if options.json {
        super::print_json(out, &report)
    } else {
        super::print(out, &text(&report))
    }
}

fn measure(options: &Options, sizes: Sizes, executor: &mut GpuExecutor) -> Result<SizeReport> {
    let picture = StripesInMotion::new(sizes.render);
    let mut input = picture.input();
    executor.upload(&input)?;
    let started = Instant::now();
    let mut number = 0;
    while number < options.warm_up || started.elapsed() < WARM_UP_TIME {
        input.frame_index = i64::from(number);
        executor.submit(&input, false)?;
        number += 1;
    }
    let bar = progress::bar(options.frames as usize, "bench");
    let mut frames: Vec<Vec<(String, f32)>> = Vec::new();
    for measured in 0..options.frames {
        input.frame_index = i64::from(number + measured);
        executor.submit(&input, true)?;
        frames.push(executor.finished_timings()?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let passes = (0..frames[0].len())
        .map(|at| PassReport {
            pass: frames[0][at].0.clone(),
            ms: median(frames.iter().map(|frame| f64::from(frame[at].1))),
        })
        .collect();
    let sum = |frame: &Vec<(String, f32)>| frame.iter().map(|(_, ms)| f64::from(*ms)).sum();
    Ok(SizeReport {
        render_size: [sizes.render.width, sizes.render.height],
        output_size: [sizes.output.width, sizes.output.height],
        passes,
        total_ms: median(frames.iter().map(sum)),
    })
}

/// A picture that moves along its own stripes: it is its own previous frame, so that history is fetched between
/// texels and accepted, frame after frame, from inputs that are uploaded once.
struct StripesInMotion {
    color: Picture,
    depth: Vec<f32>,
    motion: Vec<[f32; 2]>,
}

impl StripesInMotion {
    /// Previous minus current position in render pixels.
    const MOTION_PX: [f32; 2] = [-3.3, 1.7];

    fn new(size: Size) -> Self {
        let pixels = size.area() as usize;
        let mut color = Picture::filled(size, [0.0; 4]);
        for (i, pixel) in color.pixels.iter_mut().enumerate() {
            let (x, y) = (i % size.width as usize, i / size.width as usize);
            let across = x as f32 * Self::MOTION_PX[1] - y as f32 * Self::MOTION_PX[0];
            let value = 0.5 + 0.4 * (across * 0.31).sin();
            *pixel = [value, 0.8 * value, 0.3, 1.0];
        }
        StripesInMotion {
            color,
            depth: vec![10.0; pixels],
            motion: vec![Self::MOTION_PX; pixels],
        }
    }

    fn input(&self) -> Input<'_> {
        Input {
            frame_index: 0,
            color: &self.color,
            depth: &self.depth,
            motion: &self.motion,
            jitter_px: [0.25, -0.125],
            is_reset: false,
            exposure: None,
        }
    }
}

/// The middle value; the mean of the two middle ones of an even number.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut list: Vec<f64> = values.collect();
    list.sort_by(f64::total_cmp);
    let (low, high) = ((list.len() - 1) / 2, list.len() / 2);
    (list[low] + list[high]) / 2.0
}

fn text(report: &Report) -> String {
    let mut text = format!(
        "{}, median of {} frames, ms\n",
        report.device, report.frames
    );
    for row in &report.sizes {
        let [[rw, rh], [ow, oh]] = [row.render_size, row.output_size];
        write!(text, "{rw}x{rh} to {ow}x{oh}: total {:.4}", row.total_ms).expect("string");
        for PassReport { pass, ms } in &row.passes {
            write!(text, ", {pass} {ms:.4}").expect("string");
        }
        text.push('\n');
    }
    text
}

fn parse_sizes(text: &str) -> std::result::Result<Sizes, String> {
    let parsed = text
        .split_once(':')
        .and_then(|(render, output)| Some((parse_size(render).ok()?, parse_size(output).ok()?)));
    let Some((render, output)) = parsed else {
        return Err("expected RENDER:OUTPUT, for example 1920x1080:3840x2160".to_owned());
    };
    Sizes::new(render, output, Mode::Quality).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
    }

    #[test]
    fn sizes_are_parsed_and_checked() {
        let sizes = parse_sizes("320x180:640x360").unwrap();
        assert_eq!(
            (sizes.render, sizes.output),
            (Size::new(320, 180), Size::new(640, 360))
        );
        assert!(parse_sizes("320x180")
            .unwrap_err()
            .starts_with("expected RENDER:OUTPUT"));
        assert!(parse_sizes("320x180:319x180")
            .unwrap_err()
            .starts_with("inputSize.width"));
    }
}
