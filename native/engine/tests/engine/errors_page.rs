//! The lines of the engine in docs/errors.md are those that the engine says. `RECONSTRUCTION_BLESS=1` writes them anew.

use crate::capabilities::baseline;
use crate::stage::{engine_handles, settings, Inputs, Stage, FORMATS};
use crate::tap::{self, tap};
use ash::vk;
use reconstruction_core::convention::{Bypass, ColorEncoding, DebugView, Feature, Model};
use reconstruction_core::{Mode, Size, Sizes};
use reconstruction_engine::{
    refusals, size_refusals, Capabilities, Context, Device, Error, Exposure, Frame, ImageDesc,
    LastFinished, Outcome,
};
use std::path::Path;

const RENDER: Size = Size::new(64, 36);
const OUTPUT: Size = Size::new(128, 72);
const BEGIN: &str = "<!-- lines of the engine: begin -->\n";
const END: &str = "<!-- lines of the engine: end -->";

#[test]
fn the_page_of_errors_shows_the_lines_of_the_engine() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect(BEGIN);
    let (written, after) = rest.split_once(END).expect(END);
    let said = sections();
    if std::env::var_os("RECONSTRUCTION_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, format!("{before}{BEGIN}{said}{END}{after}")).unwrap();
    } else {
        assert_eq!(written, said);
    }
}

/// Every section with its lines, as the page has them.
fn sections() -> String {
    let mut stage = Stage::new("llvmpipe");
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    stage.evaluate(&mut context, &inputs.frame(0)).unwrap();
    let mut text = String::new();
    let mut section = |title: &str, lines: Vec<String>| {
        text += &format!("\n### {title}\n\n```text\n{}\n```\n", lines.join("\n"));
    };
    section("InvalidInput: handles of the host", handles(&mut stage));
    section("InvalidInput: sizes and modes", sizes(&stage));
    let changes = images(&context);
    section(
        "InvalidInput: images",
        refused(&mut stage, &mut context, &inputs, &changes),
    );
    section(
        "InvalidInput: the frame",
        [
            numbers(&mut stage, &mut context, &inputs),
            refused(&mut stage, &mut context, &inputs, &settings_of_a_frame()),
        ]
        .concat(),
    );
    section(
        "Declined: a value, not an exception",
        declined(&mut stage, &mut context, &inputs),
    );
    section("InvalidState", states(&mut stage, &inputs));
    section(
        "UnsupportedDevice: feature, model, driver",
        features(&mut stage),
    );
    section("UnsupportedDevice: what a device lacks", lacks());
    section("UnsupportedDevice: what a device cannot hold", limits());
    section(
        "OutOfDeviceMemory, DeviceLost, InternalFault",
        vec![
            line(Error::OutOfDeviceMemory {
                what: "arena",
                bytes: 1_000_000,
            }),
            line(Error::DeviceLost),
            line(Error::Internal {
                call: "vkCreateBuffer",
                detail: format!("{:?}", vk::Result::ERROR_UNKNOWN),
            }),
        ],
    );
    text + "\n"
}

fn line(error: Error) -> String {
    error.to_string()
}

fn handles(stage: &mut Stage) -> Vec<String> {
    let good = engine_handles(stage.host());
    let mut null = good;
    null.device = vk::Device::null();
    let mut many = good;
    many.frames_in_flight = 9;
    [null, many]
        .map(|handles| {
            // SAFETY: refused before a handle is used.
            line(unsafe { Device::from_host(handles) }.err().unwrap())
        })
        .into()
}

fn sizes(stage: &Stage) -> Vec<String> {
    let s = Size::new;
    [
        (s(1921, 1080), s(1920, 1080), Mode::Quality),
        (s(640, 359), s(1920, 1080), Mode::UltraPerformance),
        (s(3802, 2138), s(3840, 2160), Mode::Dlaa),
        (s(0, 0), s(0, 0), Mode::Quality),
        (s(960, 540), s(1920, 1080), Mode::Scale(3.5)),
    ]
    .map(|(render, output, mode)| {
        let mut settings = settings(render, output);
        settings.mode = mode;
        line(Context::new(stage.device(), settings).err().unwrap())
    })
    .into()
}

type Change = Box<dyn Fn(&mut Frame<'static>)>;

fn images(context: &Context) -> Vec<Change> {
    let color = |change: fn(&mut ImageDesc)| -> Change { Box::new(move |f| change(&mut f.color)) };
    let depth = |change: fn(&mut ImageDesc)| -> Change {
        Box::new(move |f| change(f.depth.as_mut().unwrap()))
    };
    let motion = |change: fn(&mut ImageDesc)| -> Change {
        Box::new(move |f| change(f.motion.as_mut().unwrap()))
    };
    let output = context.output().unwrap();
    vec![
        color(|i| i.view = vk::ImageView::null()),
        motion(|i| i.is_alive = false),
        Box::new(move |f| f.color.image = output.image),
        color(|i| i.samples = 4),
        motion(|i| i.layers = 2),
        color(|i| i.format = vk::Format::R8G8B8A8_SRGB),
        depth(|i| i.format = vk::Format::D24_UNORM_S8_UINT),
        motion(|i| i.format = vk::Format::R8G8_UNORM),
        Box::new(|f| {
            f.color.format = vk::Format::B10G11R11_UFLOAT_PACK32;
            f.conventions.color_encoding = ColorEncoding::SrgbLdr;
        }),
        depth(|i| {
            i.format = vk::Format::D32_SFLOAT_S8_UINT;
            i.aspect = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        }),
        color(|i| i.size.width = 65),
        color(|i| i.usage = vk::ImageUsageFlags::COLOR_ATTACHMENT),
        depth(|i| i.layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL),
        Box::new(|f| f.motion.as_mut().unwrap().image = f.depth.unwrap().image),
        Box::new(|f| {
            let mut texture = f.color;
            texture.format = vk::Format::R8G8B8A8_UNORM;
            f.exposure = Exposure::Texture(texture);
        }),
    ]
}

fn settings_of_a_frame() -> Vec<Change> {
    vec![
        Box::new(|f| f.jitter_px[0] = f32::NAN),
        Box::new(|f| f.jitter_px[1] = -0.75),
        Box::new(|f| f.bypass = Bypass::Source),
        Box::new(|f| f.debug_view = DebugView::Motion),
        Box::new(|f| f.reset = Some("")),
    ]
}

fn refused(
    stage: &mut Stage,
    context: &mut Context,
    inputs: &Inputs,
    changes: &[Change],
) -> Vec<String> {
    changes
        .iter()
        .map(|change| {
            let mut frame = inputs.frame(1);
            change(&mut frame);
            line(stage.evaluate(context, &frame).unwrap_err())
        })
        .collect()
}

/// The command buffer and the frame numbers.
fn numbers(stage: &mut Stage, context: &mut Context, inputs: &Inputs) -> Vec<String> {
    let begun = stage.host().begin_frame().unwrap();
    let good = Frame {
        host_frame: 8,
        last_finished: LastFinished::Frame(0),
        ..inputs.frame(1)
    };
    let mut refuse = |commands, frame: Frame<'_>| {
        // SAFETY: every one of these frames is refused before the command buffer is touched.
        line(unsafe { context.evaluate(commands, &frame) }.unwrap_err())
    };
    let past = Frame {
        host_frame: 0,
        ..good
    };
    let ahead = Frame {
        last_finished: LastFinished::Frame(8),
        ..good
    };
    let lines = vec![
        refuse(vk::CommandBuffer::null(), good),
        refuse(begun.command_buffer, past),
        refuse(begun.command_buffer, ahead),
    ];
    stage.host().submit(begun).unwrap();
    lines
}

fn declined(stage: &mut Stage, context: &mut Context, inputs: &Inputs) -> Vec<String> {
    let changes: [Change; 2] = [
        Box::new(|f| f.exposure = Exposure::Scalar(f32::NAN)),
        Box::new(|f| f.depth = None),
    ];
    changes
        .map(|change| {
            let mut frame = inputs.frame(1);
            change(&mut frame);
            match stage.evaluate(context, &frame).unwrap() {
                Outcome::Declined(reason) => reason,
                other => panic!("{other:?}"),
            }
        })
        .into()
}

fn states(stage: &mut Stage, inputs: &Inputs) -> Vec<String> {
    let mut bare = settings(RENDER, OUTPUT);
    bare.debug = false;
    bare.name = "left eye".into();
    let mut context = Context::new(stage.device(), bare).unwrap();
    let no_debug = line(context.debug_output().unwrap_err());
    let begun = stage.host().begin_frame().unwrap();
    let taken = (0..16).find_map(|index| {
        let frame = Frame {
            host_frame: begun.number,
            ..inputs.frame(index)
        };
        // SAFETY: the command buffer is recording, and the inputs live until the stage has waited.
        unsafe { context.evaluate(begun.command_buffer, &frame) }.err()
    });
    stage.host().submit(begun).unwrap();
    stage.finish();
    context.close();
    let closed = line(context.output().unwrap_err());
    vec![closed, no_debug, line(taken.unwrap())]
}

fn features(stage: &mut Stage) -> Vec<String> {
    let device = stage.device().clone();
    let reason = |feature, model| device.support(feature, model).unwrap_err().to_string();
    let mut lines = vec![reason(Feature::RayReconstruction, Model::Analytic)];
    tap::reset();
    let mut handles = engine_handles(stage.host());
    handles.get_instance_proc_addr = tap::through_tap(handles.get_instance_proc_addr);
    tap(|tap| tap.hidden = Some("vkCmdDispatch"));
    // SAFETY: the stage outlives the attempt.
    lines.push(line(unsafe { Device::from_host(handles) }.err().unwrap()));
    tap(|tap| tap.hidden = None);
    lines
}

/// A device below the baseline in everything, one line each.
fn lacks() -> Vec<String> {
    let poor = Capabilities {
        api_version: vk::API_VERSION_1_0,
        is_processor: false,
        has_compute_queue: false,
        has_rgba16f_storage: false,
        has_rgba16f_target: false,
        max_shared_memory: 16 * 1024,
        max_workgroup_invocations: 64,
        max_workgroup_size: [8, 4, 1],
        max_storage_buffers: 4,
        max_storage_images: 1,
        max_sampled_images: 2,
        storage_buffer_alignment: 512,
        ..baseline()
    };
    refusals(&poor).iter().map(ToString::to_string).collect()
}

fn limits() -> Vec<String> {
    let small = Capabilities {
        max_storage_buffer_range: 1 << 24,
        max_image_dimension: 2048,
        device_memory: 1 << 26,
        max_workgroup_count: [128, 128, 128],
        ..baseline()
    };
    let sizes = Sizes::new(
        Size::new(1920, 1080),
        Size::new(3840, 2160),
        Mode::Performance,
    );
    size_refusals(&small, &sizes.unwrap(), true, None)
        .iter()
        .map(ToString::to_string)
        .collect()
}
