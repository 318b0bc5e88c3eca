//! `reconstruct frames`: reconstructs a frame folder and scores the result.

use super::{open_network, NETWORK};
use crate::error::{Error, Result};
use crate::executor::{self, Executor, Input, Settings};
use crate::exr_file::write_channels;
use crate::folder::{require_another, ColorSource, Frame, FrameFolder};
use crate::frame_dump::DumpingExecutor;
use crate::image::{Channels, Picture, Precision};
use crate::png_file::{write_png, Rgb8};
use crate::resample::{bicubic, box_mean, RunningMean};
use crate::scorecard::{Grouping, Method, Scorecard, Summary};
use crate::sequence::{write_json, FILE_NAME, HELP};
use crate::{progress, score, sheet, table, whole_file};
use clap::{Args, ValueEnum};
use reconstruction_core::convention::Alpha;
use reconstruction_core::{Mode, Size, Sizes};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reconstruct a folder of frames and score the result against its references.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct Options {
    /// Frame folder: sequence.json, NNNN.exr with R G B (or clean.R ...), depth.Z, motion.X, motion.Y
    dir: PathBuf,
    /// What to do: enlarge to output_size, or antialias at render_size (scored against the reference, box-averaged)
    #[arg(long)]
    feature: Feature,
    /// The reconstruction model: network (the shipped one), analytic, or a model file
    #[arg(long, default_value = NETWORK)]
    model: String,
    /// Part of a device's name, or cpu for the CPU references; the best device where absent
    #[arg(long)]
    device: Option<String>,
    /// Write NNNN.exr, NNNN.png, sheet.png and summary.json here
    #[arg(long)]
    out: Option<PathBuf>,
    /// Also write the baselines, under --out in bicubic, corrected and accumulated
    #[arg(long, requires = "out", conflicts_with = "psnr_only")]
    baselines: bool,
    /// Write NNNN.safetensors here: exposure, features, recurrent features, and the history's colour and weight that the
    /// frame left; by the CPU references
    #[arg(long, conflicts_with = "device")]
    dump: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Print the means only, and leave out the baselines
    #[arg(long)]
    psnr_only: bool,
    /// First and last frame of the moving mean, for example 3-6; where absent: frames amid a movement, from the
    /// third after a reset on
    #[arg(long, value_parser = parse_range)]
    moving: Option<(usize, usize)>,
    /// Frames at the end that form the still mean
    #[arg(long, default_value_t = 4)]
    still: usize,
}

/// What the command reconstructs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
enum Feature {
    /// Super resolution
    Sr,
    /// Antialiasing at the same size
    Dlaa,
}

/// What `--json` prints and `summary.json` holds.
#[derive(Debug, Serialize)]
struct Report {
    folder: String,
    feature: Feature,
    model: String,
    device: String,
    render_size: [u32; 2],
    output_size: [u32; 2],
    exposure: f32,
    metric: &'static str,
    #[serde(flatten)]
    summary: Summary,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let folder = FrameFolder::open(&options.dir)?;
    let sizes = sizes(&folder, options)?;
    let _claim = match &options.out {
        None => None,
        Some(path) => {
            require_another(&options.dir, path)?;
            Some(whole_file::claim(path)?)
        }
    };
    let settings = Settings {
        sizes,
        depth: folder.sequence.depth,
        alpha: Alpha::Ignore,
        is_color_half: false,
        network: open_network(&options.model)?,
    };
    let mut executor: Box<dyn Executor> = match &options.dump {
        None => executor::open(options.device.as_deref(), settings)?,
        Some(path) => {
            require_another(&options.dir, path)?;
            whole_file::make_folder(path)?;
            Box::new(DumpingExecutor::new(settings, path.clone()))
        }
    };
    let summary = reconstruct(&folder, options, sizes, executor.as_mut())?;
    let report = Report {
        folder: options.dir.display().to_string(),
        feature: options.feature,
        model: options.model.clone(),
        device: executor.device(),
        render_size: [sizes.render.width, sizes.render.height],
        output_size: [sizes.output.width, sizes.output.height],
        exposure: folder.sequence.score_exposure(),
        metric: "psnr_db of log1p(8 x) / log 9 of exposed colour, peak 1",
        summary,
    };
    if let Some(path) = &options.out {
        write_json(&path.join("summary.json"), &report)?;
    }
    if options.json {
        return super::print_json(out, &report);
    }
    let Sizes { render, output } = sizes;
    super::print(
        out,
        &format!(
            "{}: {render} to {output}, {} frames, on {}\n{}",
            report.folder,
            folder.len(),
            report.device,
            table::scores(&report.summary, options.psnr_only)
        ),
    )
}

fn sizes(folder: &FrameFolder, options: &Options) -> Result<Sizes> {
    let (render, output) = (folder.sequence.render_size, folder.sequence.output_size);
    match options.feature {
        Feature::Sr => Ok(Sizes::new(render, output, Mode::Performance)?),
        Feature::Dlaa => {
            if output.width % render.width != 0 || output.height % render.height != 0 {
                return Err(Error::key(
                    &options.dir.join(FILE_NAME),
                    "output_size",
                    format!("expected a whole multiple of render_size {render} for --feature dlaa, got {output}"),
                ));
            }
            Ok(Sizes::new(render, render, Mode::Dlaa)?)
        }
    }
}

/// Runs every frame through the executor and scores it.
fn reconstruct(
    folder: &FrameFolder,
    options: &Options,
    sizes: Sizes,
    executor: &mut dyn Executor,
) -> Result<Summary> {
    let exposure = folder.sequence.score_exposure();
    let mut card = Scorecard::new(exposure);
    let mut accumulation = RunningMean::default();
    let bar = progress::bar(folder.len(), "frames");
    for (at, entry) in folder.sequence.frames.iter().enumerate() {
        let frame = folder.frame(at, ColorSource::CleanFirst)?;
        let index = folder.sequence.frame_index(at);
        let is_reset = at == 0 || entry.is_reset();
        let is_moving = frame.motion.iter().any(|m| *m != [0.0, 0.0]);
        let ours = executor.evaluate(&Input {
            frame_index: index,
            color: &frame.color,
            depth: &frame.depth,
            motion: &frame.motion,
            jitter_px: entry.jitter,
            is_reset: entry.is_reset(),
            exposure: entry.exposure,
        })?;
        let reference = scored_reference(folder.reference(at)?, sizes.output);
        let mut pictures = vec![(Method::Reconstructed, &ours)];
        let baselines = if options.psnr_only {
            Vec::new()
        } else {
            if is_moving || is_reset {
                accumulation.clear();
            }
            baselines(&frame, entry.jitter, sizes.output, &mut accumulation)
        };
        pictures.extend(baselines.iter().map(|(method, picture)| (*method, picture)));
        let row = card.add(index, is_moving, is_reset, reference.as_ref(), &pictures);
        if let Some([a, b]) = folder.reference_halves(at)? {
            let halves = [a, b].map(|half| scored_reference(Some(half), sizes.output));
            if let [Some(a), Some(b)] = &halves {
                row.ceiling_db = Some(score::psnr(&score::log_error(a, b, exposure)) + 6.0);
            }
        }
        if let Some(path) = &options.out {
            write_frame(path, at, &ours, exposure)?;
            if options.baselines {
                for (method, picture) in &baselines {
                    write_baseline(&path.join(method.folder()), at, picture)?;
                }
            }
            if at + 1 == folder.len() {
                write_sheet(path, &pictures, reference.as_ref(), exposure)?;
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(card.finish(Grouping {
        moving: options.moving,
        still: options.still,
    }))
}

/// The reference at the size of the result: as it is, or its box mean.
fn scored_reference(reference: Option<Picture>, size: Size) -> Option<Picture> {
    match reference {
        Some(picture) if picture.size != size => box_mean(&picture, size),
        other => other,
    }
}

fn baselines(
    frame: &Frame,
    jitter_px: [f32; 2],
    size: Size,
    accumulation: &mut RunningMean,
) -> Vec<(Method, Picture)> {
    let corrected = bicubic(&frame.color, size, jitter_px);
    vec![
        (Method::Bicubic, bicubic(&frame.color, size, [0.0, 0.0])),
        (Method::Accumulated, accumulation.add(&corrected)),
        (Method::BicubicCorrected, corrected),
    ]
}

fn write_baseline(folder: &Path, at: usize, picture: &Picture) -> Result<()> {
    whole_file::make_folder(folder)?;
    let mut channels = Channels::new(picture.size);
    channels.set_rgb("", picture, Precision::Half);
    write_channels(&folder.join(format!("{at:04}.exr")), &channels)
}

fn write_frame(folder: &Path, at: usize, picture: &Picture, exposure: f32) -> Result<()> {
    let mut channels = Channels::new(picture.size);
    channels.set_rgb("", picture, Precision::Half);
    let alpha = picture.pixels.iter().map(|p| p[3]).collect();
    channels.set("A", Precision::Half, alpha);
    write_channels(&folder.join(format!("{at:04}.exr")), &channels)?;
    let png = folder.join(format!("{at:04}.png"));
    write_png(&png, &Rgb8::from_picture(picture, exposure))
}

/// Side by side, of the last frame: every method and the reference.
fn write_sheet(
    folder: &Path,
    pictures: &[(Method, &Picture)],
    reference: Option<&Picture>,
    exposure: f32,
) -> Result<()> {
    let mut cells: Vec<(String, Rgb8)> = Method::ALL
        .into_iter()
        .filter_map(|method| pictures.iter().find(|(m, _)| *m == method))
        .map(|(method, picture)| {
            let label = match method {
                Method::Reconstructed => "reconstructed",
                Method::Bicubic => "bicubic enlargement",
                Method::BicubicCorrected => "bicubic, jitter corrected",
                Method::Accumulated => "plain accumulation",
            };
            (label.to_owned(), Rgb8::from_picture(picture, exposure))
        })
        .collect();
    if let Some(picture) = reference {
        let label = "reference".to_owned();
        cells.push((label, Rgb8::from_picture(picture, exposure)));
    }
    write_png(&folder.join("sheet.png"), &sheet::sheet(&cells, 3))
}

fn parse_range(text: &str) -> std::result::Result<(usize, usize), String> {
    let parsed = text
        .split_once('-')
        .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    match parsed {
        Some((first, last)) if first <= last => Ok((first, last)),
        _ => Err("expected FIRST-LAST, for example 3-6".to_owned()),
    }
}
