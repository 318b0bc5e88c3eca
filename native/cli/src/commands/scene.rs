//! `reconstruct scene`: renders a world into a frame folder.

use super::bench::median;
use super::{parse_even, parse_share, parse_size};
use crate::error::{Error, Result};
use crate::folder::FolderWriter;
use crate::png_file::write_png;
use crate::scene::channels::{self, PLANES};
use crate::scene::guide_sheet::Guides;
use crate::scene::shot::{Samples, Shot, CLEAN, HALVES};
use crate::scene::source::{Search, Source};
use crate::scene::{knobs, told};
use crate::sequence::{FrameEntry, Sequence, FILE_NAME, FORMAT, MOTION};
use crate::{gpu_executor, progress, whole_file};
use clap::{Args, ValueEnum};
use reconstruction_core::convention::Depth;
use reconstruction_core::Size;
use reconstruction_host::Host;
use reconstruction_scene::flat::FlatWorld;
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::gltf_scene::Reading;
use reconstruction_scene::random::Split;
use reconstruction_scene::renderer::{Rendered, Renderer, View};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

const HELP: &str = "\
SCENE is room, gallery, garden or stage, the seed of a random world (0..999999999 for training, from 1000000000 on \
for validation, from 1100000000 on for tests), or a glTF 2.0 file (.gltf, .glb).
The folder is what `reconstruct frames` reads (reconstruct frames --help describes it); further channels of a frame: \
diffuse.R/G/B, specular.R/G/B, normal.X/Y/Z (world), roughness.Y, hit.Z, mask.Y (1: was hidden in the frame before), \
subsurface.Y, beforeParticles.R/G/B, emissive.R/G/B. reference/NNNN.a.exr and NNNN.b.exr have half of the samples \
each, NNNN.exr is their mean. --view writes sheet.png.";

/// Render a world into a frame folder: noisy colour, clean colour, guides and references.
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct Options {
    /// A demo scene's name, a seed, or a glTF file
    scene: String,
    /// Number of frames
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=9999))]
    frames: u32,
    /// Size of the frames, for example 320x180
    #[arg(long, value_parser = parse_size)]
    render: Size,
    /// Size of the references, for example 640x360
    #[arg(long, value_parser = parse_size)]
    output: Size,
    /// Samples a pixel of the noisy colour
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=32))]
    spp: u32,
    /// Samples a pixel of the clean colour
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    clean: u32,
    /// Samples a pixel of the reference, an even number
    #[arg(long, default_value_t = 256, value_parser = parse_even)]
    reference: u32,
    /// What depth.Z holds
    #[arg(long, value_enum, default_value_t = DepthKind::ViewLinear)]
    depth: DepthKind,
    /// Refuse a seed that does not belong to this split: train, val or test
    #[arg(long)]
    seed_split: Option<String>,
    /// Difficulty of a seed's world: easy, default, hard, or a JSON file of knobs
    #[arg(long, default_value = "default")]
    knobs: String,
    /// Share of seeds whose light reuses samples of the frame before
    #[arg(long, default_value_t = 0.4, value_parser = parse_share)]
    reuse: f64,
    /// Frames a second of a glTF file's animations
    #[arg(long, default_value_t = 30.0, value_parser = parse_rate)]
    fps: f64,
    /// Leave a glTF file without lights to what glows in it; it gets a sky and a sun otherwise
    #[arg(long)]
    no_daylight: bool,
    /// The folder to write
    #[arg(long)]
    out: PathBuf,
    /// Also write sheet.png: the last frame with every guide
    #[arg(long)]
    view: bool,
    /// Replace the frames of a folder that is there
    #[arg(long)]
    overwrite: bool,
    /// Part of a device's name; the best device where absent
    #[arg(long)]
    device: Option<String>,
}

/// A depth convention as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum DepthKind {
    ViewLinear,
    Hardware,
    HardwareReversed,
    HardwareReversedInfinite,
}

impl DepthKind {
    fn depth(self) -> Depth {
        match self {
            DepthKind::ViewLinear => Depth::ViewLinear,
            DepthKind::Hardware => Depth::Hardware,
            DepthKind::HardwareReversed => Depth::HardwareReversed,
            DepthKind::HardwareReversedInfinite => Depth::HardwareReversedInfinite,
        }
    }
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let sizes = super::rendered_sizes(options.render, options.output, ["--render", "--output"])?;
    let split: Option<Split> = match &options.seed_split {
        Some(name) => Some(name.parse().map_err(Error::Scene)?),
        None => None,
    };
    let remedy = "add --overwrite to replace its frames, or choose another folder";
    whole_file::refuse_occupied(&options.out, options.overwrite, remedy)?;
    let source = Source::open(
        &options.scene,
        &Search {
            frames: options.frames,
            knobs: &knobs::read(&options.knobs)?,
            split,
            reuse: options.reuse,
            reading: Reading {
                frames_per_second: options.fps,
                has_daylight: !options.no_daylight,
            },
        },
    )?;
    let shot = Shot {
        sizes,
        samples: Samples {
            color: options.spp,
            clean: options.clean,
            reference: options.reference,
        },
        depth: options.depth.depth(),
        seed: source.seed(),
        is_reusing: source.world.is_reusing_light,
        slot: 0,
    };
    let sequence = describe(&source, &shot);
    let aspect = sizes.output.width as f32 / sizes.output.height as f32;
    let flattener = Flattener::new(Arc::new(source.world), aspect).map_err(Error::Scene)?;
    let host = gpu_executor::open_host(options.device.as_deref())?;
    let device = host.info().name.clone();
    let _claim = whole_file::claim(&options.out)?;
    whole_file::refuse_occupied(&options.out, options.overwrite, remedy)?;
    clear(options)?;
    let writer = FolderWriter::create(&options.out, sequence)?;
    let times =
        render(options, &shot, flattener, host, writer)?.map(|kind| median(kind.into_iter()));
    super::print(
        out,
        &format!(
            "{} frames of {} in {}, {} to {}, on {device}\n\
             GPU, medians: colour and guides {:.2} ms, clean {:.2} ms, reference {:.2} ms\n",
            options.frames,
            options.scene,
            options.out.display(),
            sizes.render,
            sizes.output,
            times[0],
            times[1],
            times[2]
        ),
    )
}

/// Removes an earlier sequence: its description first, so that the folder is never read half replaced.
fn clear(options: &Options) -> Result<()> {
    let is_image = |name: &str| {
        let stem = name.strip_suffix(".exr").unwrap_or_default();
        let number = stem.strip_suffix(".a").or_else(|| stem.strip_suffix(".b"));
        let number = number.unwrap_or(stem);
        number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit())
    };
    whole_file::clear(&options.out, |name| name == FILE_NAME)?;
    whole_file::clear(&options.out, |name| name == "sheet.png" || is_image(name))?;
    whole_file::clear(&options.out.join("reference"), is_image)
}

fn describe(source: &Source, shot: &Shot) -> Sequence {
    let mut other = serde_json::Map::new();
    other.insert("scene".into(), json!(source.world.name));
    other.insert("samples".into(), json!(shot.samples));
    other.insert("is_reusing_light".into(), json!(shot.is_reusing));
    other.insert("near".into(), json!(source.world.near));
    other.insert("far".into(), json!(source.world.far));
    if let Some(recipe) = &source.recipe {
        other.insert("recipe".into(), json!(recipe));
    }
    let version = concat!("reconstruct ", env!("CARGO_PKG_VERSION"));
    other.insert("generator".into(), json!(version));
    Sequence {
        format: FORMAT.to_owned(),
        render_size: shot.sizes.render,
        output_size: shot.sizes.output,
        depth: shot.depth,
        motion: Some(MOTION.to_owned()),
        exposure: Some(source.world.exposure),
        frames: Vec::new(),
        other,
    }
}

/// Milliseconds on the GPU of every frame: colour with guides, clean colour, reference.
type Times = [Vec<f64>; 3];

fn render(
    options: &Options,
    shot: &Shot,
    mut flattener: Flattener,
    mut host: Host,
    mut writer: FolderWriter,
) -> Result<Times> {
    let mut times = Times::default();
    let mut renderer = Renderer::new(&host).map_err(|e| told(e, "nothing yet"))?;
    let bar = progress::bar(options.frames as usize, "frames");
    for frame in 0..options.frames {
        let world = flattener.frame(frame);
        let mut requests = shot.requests(frame, &PLANES);
        let halves = requests.split_off(HALVES[0]);
        let clean = requests.split_off(CLEAN);
        // Each apart: a large reference fills a submission by itself, and each has a time of its own.
        let view = |requests| View { world, requests };
        let rendered = submit(&mut renderer, &mut host, view(requests), frame)?;
        times[0].push(rendered.milliseconds);
        let mut channels = channels::frame(&rendered);
        let rendered = submit(&mut renderer, &mut host, view(clean), frame)?;
        times[1].push(rendered.milliseconds);
        channels::add_clean(&mut channels, &rendered);
        let rendered = submit(&mut renderer, &mut host, view(halves), frame)?;
        times[2].push(rendered.milliseconds);
        let ([a, b], mean) = channels::references(&rendered, [0, 1]);
        writer.write_reference_halves([&a, &b])?;
        writer.add(entry(shot, frame, world), &channels, Some(&mean))?;
        if options.view && frame + 1 == options.frames {
            let guides = Guides {
                channels: &channels,
                reference: &mean,
                samples: shot.samples,
                exposure: world.exposure,
                depth: shot.depth,
            };
            write_png(&options.out.join("sheet.png"), &guides.sheet())?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    writer.finish()?;
    Ok(times)
}

fn submit<'r>(
    renderer: &'r mut Renderer,
    host: &mut Host,
    view: View<'_>,
    frame: u32,
) -> Result<Rendered<'r>> {
    let rendered = renderer.render(host, &[view]);
    rendered.map_err(|e| told(e, &format!("frame {frame}")))
}

fn entry(shot: &Shot, frame: u32, world: &FlatWorld) -> FrameEntry {
    let matrix = |m: &[f32; 16]| Some(m.map(f64::from));
    FrameEntry {
        index: Some(i64::from(frame)),
        file: String::new(),
        reference: None,
        jitter: shot.jitter(frame),
        view: matrix(&world.camera.world_to_view),
        projection: matrix(&world.camera.projection),
        cut: world.is_cut,
        reset: None,
        exposure: Some(world.exposure),
        other: serde_json::Map::new(),
    }
}

fn parse_rate(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate.is_finite() => Ok(rate),
        _ => Err("expected frames a second above 0, for example 30".to_owned()),
    }
}
