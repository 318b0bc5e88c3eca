//! Every fault of wiring: refused in one line that names the parameter, and the context goes on.

use crate::stage::{describe, engine_handles, settings, Inputs, Stage, FORMATS, READ};
use ash::vk::{self, Handle};
use reconstruction_core::convention::{Bypass, ColorEncoding, DebugView, Fault, ResetReason};
use reconstruction_core::host_blocks::{HostBlock, ImageBlock};
use reconstruction_core::{Mode, Size};
use reconstruction_engine::{
    Context, Device, Error, Exposure, Frame, HostHandles, ImageDesc, LastFinished, Outcome,
};

const RENDER: Size = Size::new(40, 40);
const OUTPUT: Size = Size::new(64, 64);

type Change = fn(&mut Frame<'static>);

fn color(change: fn(&mut ImageDesc)) -> impl Fn(&mut Frame<'static>) {
    move |frame| change(&mut frame.color)
}

fn depth(change: fn(&mut ImageDesc)) -> impl Fn(&mut Frame<'static>) {
    move |frame| change(frame.depth.as_mut().unwrap())
}

fn motion(change: fn(&mut ImageDesc)) -> impl Fn(&mut Frame<'static>) {
    move |frame| change(frame.motion.as_mut().unwrap())
}

#[test]
fn every_fault_of_a_frame_is_one_line_and_the_context_stays_usable() {
    let mut stage = Stage::new("llvmpipe");
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    stage.evaluate(&mut context, &inputs.frame(0)).unwrap();

    let wiring: [(&str, &str, Change); 10] = [
        ("jitter.x", "NaN", |f| f.jitter_px[0] = f32::NAN),
        ("jitter.y", "inf", |f| f.jitter_px[1] = f32::INFINITY),
        ("jitter.x", "0.50001", |f| f.jitter_px[0] = 0.50001),
        ("jitter.y", "-0.75", |f| f.jitter_px[1] = -0.75),
        ("bypass", "ENLARGED", |f| f.bypass = Bypass::Source),
        ("debugView", "debug = true", |f| {
            f.debug_view = DebugView::Motion
        }),
        ("reset", "reason in words", |f| f.reset = Some("")),
        ("depth", "that of color", |f| {
            f.depth.as_mut().unwrap().image = f.color.image
        }),
        ("motion", "that of depth", |f| {
            f.motion.as_mut().unwrap().image = f.depth.unwrap().image;
        }),
        ("exposure.format", "R8G8B8A8_UNORM", |f| {
            let mut texture = f.color;
            texture.format = vk::Format::R8G8B8A8_UNORM;
            f.exposure = Exposure::Texture(texture);
        }),
    ];
    for (what, detail, change) in wiring {
        refused(&mut stage, &mut context, &inputs, what, detail, change);
    }

    let mut image = |what: &str, detail: &str, change: &dyn Fn(&mut Frame<'static>)| {
        refused(&mut stage, &mut context, &inputs, what, detail, change);
    };
    image(
        "color:",
        "view 0",
        &color(|i| i.view = vk::ImageView::null()),
    );
    image("depth:", "image 0", &depth(|i| i.image = vk::Image::null()));
    image("motion:", "closed", &motion(|i| i.is_alive = false));
    image(
        "color.device",
        "0x7",
        &color(|i| i.device = vk::Device::from_raw(7)),
    );
    image(
        "color.size",
        "40x40 (inputSize), got 41x40",
        &color(|i| i.size.width = 41),
    );
    image("depth.size", "got 40x39", &depth(|i| i.size.height = 39));
    image(
        "motion.size",
        "got 20x20",
        &motion(|i| i.size = Size::new(20, 20)),
    );
    image(
        "motion.size",
        "got 0x0",
        &motion(|i| i.size = Size::new(0, 0)),
    );
    image("color.samples", "got 4", &color(|i| i.samples = 4));
    image("depth.view", "2 mips and 1 layers", &depth(|i| i.mips = 2));
    image(
        "motion.view",
        "1 mips and 2 layers",
        &motion(|i| i.layers = 2),
    );
    image(
        "color.usage",
        "SAMPLED",
        &color(|i| i.usage = vk::ImageUsageFlags::COLOR_ATTACHMENT),
    );
    image(
        "color.layout",
        "COLOR_ATTACHMENT_OPTIMAL",
        &color(|i| i.layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL),
    );
    image(
        "depth.layout",
        "UNDEFINED",
        &depth(|i| i.layout = vk::ImageLayout::UNDEFINED),
    );
    image(
        "color.format",
        "make a UNORM view",
        &color(|i| i.format = vk::Format::R8G8B8A8_SRGB),
    );
    image(
        "color.format",
        "B8G8R8A8_SRGB",
        &color(|i| i.format = vk::Format::B8G8R8A8_SRGB),
    );
    image(
        "color.format",
        "R8_UINT",
        &color(|i| i.format = vk::Format::R8_UINT),
    );
    image(
        "color.aspect",
        "DEPTH",
        &color(|i| i.aspect = vk::ImageAspectFlags::DEPTH),
    );
    image(
        "motion.format",
        "R8G8_UNORM",
        &motion(|i| i.format = vk::Format::R8G8_UNORM),
    );
    for (format, name) in [
        (vk::Format::D16_UNORM, "D16_UNORM"),
        (vk::Format::D24_UNORM_S8_UINT, "D24_UNORM_S8_UINT"),
        (vk::Format::X8_D24_UNORM_PACK32, "X8_D24_UNORM_PACK32"),
    ] {
        image("depth.format", name, &|f| {
            f.depth.as_mut().unwrap().format = format
        });
    }
    for (aspect, name) in [
        (
            vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
            "STENCIL",
        ),
        (vk::ImageAspectFlags::STENCIL, "STENCIL"),
    ] {
        image("depth.aspect", name, &|f| {
            let depth = f.depth.as_mut().unwrap();
            (depth.format, depth.aspect) = (vk::Format::D32_SFLOAT_S8_UINT, aspect);
        });
    }
    image("color.format", "LINEAR_HDR", &|f| {
        f.color.format = vk::Format::B10G11R11_UFLOAT_PACK32;
        f.conventions.color_encoding = ColorEncoding::SrgbLdr;
    });
    let output = context.output().unwrap();
    refused(
        &mut stage,
        &mut context,
        &inputs,
        "color:",
        "own output",
        move |f| {
            f.color.image = output.image;
        },
    );

    // Host frames went by while frames were refused: a pause, and no other cause of a reset.
    let outcome = stage.evaluate(&mut context, &inputs.frame(1)).unwrap();
    let reset = ResetReason::Resumed;
    assert_eq!(
        outcome,
        Outcome::Reconstructed {
            reset,
            frames_since_reset: 0
        }
    );
}

/// Evaluates three frames; then the host's frame for a fourth, and the fourth as it should be.
fn begin_fourth(
    stage: &mut Stage,
    context: &mut Context,
    inputs: &Inputs,
) -> (reconstruction_host::Frame, Frame<'static>) {
    for index in 0..3 {
        stage.evaluate(context, &inputs.frame(index)).unwrap();
    }
    let begun = stage.host().begin_frame().unwrap();
    let good = Frame {
        host_frame: begun.number,
        last_finished: LastFinished::Frame(begun.last_finished),
        ..inputs.frame(3)
    };
    (begun, good)
}

#[test]
fn a_refused_frame_that_is_mended_in_the_same_host_frame_loses_no_history() {
    let mut stage = Stage::new("llvmpipe");
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    let (begun, good) = begin_fourth(&mut stage, &mut context, &inputs);
    let mut small = good;
    small.motion.as_mut().unwrap().size.width = 20;
    let mut cut = good;
    (cut.reset, cut.jitter_px[0]) = (Some("a cut"), f32::NAN);
    for bad in [small, cut] {
        // SAFETY: refused before the command buffer is touched.
        unsafe { context.evaluate(begun.command_buffer, &bad) }.unwrap_err();
    }
    // SAFETY: the command buffer is recording, and the inputs live until the stage has waited.
    let outcome = unsafe { context.evaluate(begun.command_buffer, &good) }.unwrap();
    stage.host().submit(begun).unwrap();
    let reset = ResetReason::None;
    assert_eq!(
        outcome,
        Outcome::Reconstructed {
            reset,
            frames_since_reset: 3
        }
    );
}

fn refused(
    stage: &mut Stage,
    context: &mut Context,
    inputs: &Inputs,
    what: &str,
    detail: &str,
    change: impl Fn(&mut Frame<'static>),
) {
    let mut frame = inputs.frame(1);
    change(&mut frame);
    let error = stage
        .evaluate(context, &frame)
        .err()
        .unwrap_or_else(|| panic!("{what} {detail} was accepted"));
    let line = error.to_string();
    assert_eq!(error.fault(), Fault::InvalidInput, "{line}");
    assert!(
        line.starts_with(what) && line.contains(detail),
        "expected {what} {detail}: {line}"
    );
    assert!(line.is_ascii() && !line.contains('\n'), "{line}");
    assert!(
        line.contains("expected ") && line.contains("got ") && line.contains("; "),
        "{line}"
    );
}

#[test]
fn a_null_command_buffer_and_frame_numbers_that_go_back_are_refused() {
    let mut stage = Stage::new("llvmpipe");
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    let (begun, good) = begin_fourth(&mut stage, &mut context, &inputs);
    let mut refuse = |commands, frame: &Frame<'_>, what: &str| {
        // SAFETY: every one of these frames is refused before the command buffer is touched.
        let error = unsafe { context.evaluate(commands, frame) }.unwrap_err();
        assert!(error.to_string().starts_with(what), "{error}");
    };
    refuse(vk::CommandBuffer::null(), &good, "commandBuffer");
    for host_frame in [0, 1] {
        let old = Frame { host_frame, ..good };
        refuse(begun.command_buffer, &old, "hostFrame");
    }
    let future = LastFinished::Frame(begun.number);
    refuse(
        begun.command_buffer,
        &Frame {
            last_finished: future,
            ..good
        },
        "lastFinished",
    );
    stage.host().submit(begun).unwrap();
}

#[test]
fn a_host_that_never_reports_progress_is_told_so() {
    let mut stage = Stage::new("llvmpipe");
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    let begun = stage.host().begin_frame().unwrap();
    let mut evaluate = |index| {
        let frame = Frame {
            host_frame: begun.number,
            ..inputs.frame(index)
        };
        // SAFETY: the command buffer is recording, and the inputs live until the stage has waited.
        unsafe { context.evaluate(begun.command_buffer, &frame) }
    };
    for index in 0..6 {
        evaluate(index).unwrap();
    }
    let error = evaluate(6).unwrap_err();
    assert_eq!(error.fault(), Fault::InvalidState);
    assert!(
        error.to_string().contains("newest finished frame"),
        "{error}"
    );
    stage.host().submit(begun).unwrap();
    stage.finish();
    // The same index again: the refused evaluate left no trace.
    stage.evaluate(&mut context, &inputs.frame(6)).unwrap();
    assert_eq!(context.frames_since_reset(), 6);
}

#[test]
fn sizes_and_scales_out_of_range_make_no_context() {
    let stage = Stage::new("llvmpipe");
    let s = Size::new;
    for (render, output, mode, what) in [
        (s(641, 360), s(640, 360), Mode::Quality, "inputSize.width"),
        (s(213, 119), s(640, 360), Mode::Quality, "inputSize.height"),
        (s(638, 358), s(640, 360), Mode::Dlaa, "inputSize"),
        (s(0, 0), s(0, 0), Mode::Dlaa, "outputSize.width"),
        (s(21, 21), s(63, 64), Mode::Performance, "outputSize.width"),
        (s(100, 100), s(200, 200), Mode::Scale(3.5), "scale"),
        (s(100, 100), s(200, 200), Mode::Scale(f64::NAN), "scale"),
    ] {
        let mut settings = settings(render, output);
        settings.mode = mode;
        let error = Context::new(stage.device(), settings).err().expect(what);
        assert_eq!(error.fault(), Fault::InvalidInput);
        assert!(error.to_string().starts_with(what), "{error}");
    }
}

#[test]
fn null_handles_make_no_device() {
    let mut stage = Stage::new("llvmpipe");
    let good = engine_handles(stage.host());
    type HandleChange = fn(&mut HostHandles);
    let changes: [(&str, HandleChange); 5] = [
        ("instance", |h| h.instance = vk::Instance::null()),
        ("physicalDevice", |h| {
            h.physical_device = vk::PhysicalDevice::null()
        }),
        ("device", |h| h.device = vk::Device::null()),
        ("framesInFlight", |h| h.frames_in_flight = 0),
        ("framesInFlight", |h| h.frames_in_flight = 9),
    ];
    for (what, change) in changes {
        let mut handles = good;
        change(&mut handles);
        // SAFETY: refused before a handle is used.
        let error = unsafe { Device::from_host(handles) }.err().expect(what);
        assert!(error.to_string().starts_with(what), "{error}");
    }
    let block = HostBlock {
        instance: good.instance.as_raw(),
        physical_device: good.physical_device.as_raw(),
        device: good.device.as_raw(),
        get_instance_proc_addr: 0,
        queue_family: good.queue_family,
        frames_in_flight: 2,
        api_version: good.api_version,
        enabled_features: 0,
    };
    // SAFETY: the address is zero, which is refused.
    let error = unsafe { HostHandles::from_block(&block) }.err().unwrap();
    assert!(
        error.to_string().starts_with("getInstanceProcAddr"),
        "{error}"
    );
    let address = good.get_instance_proc_addr as usize as u64;
    // SAFETY: the loader's own entry point.
    let handles = unsafe {
        HostHandles::from_block(&HostBlock {
            get_instance_proc_addr: address,
            ..block
        })
    };
    // SAFETY: the stage outlives the device, which is dropped at once.
    assert!(unsafe { Device::from_host(handles.unwrap()) }.is_ok());
}

#[test]
fn a_queue_family_that_does_not_exist_is_a_reason() {
    let mut stage = Stage::new("llvmpipe");
    let mut handles = engine_handles(stage.host());
    handles.queue_family = 40;
    // SAFETY: the handles are alive; the family is only looked up.
    let device = unsafe { Device::from_host(handles) }.unwrap();
    let error = Context::new(&device, settings(RENDER, OUTPUT))
        .err()
        .unwrap();
    assert!(matches!(error, Error::Unsupported(_)));
    assert!(error.to_string().starts_with("queue family"), "{error}");
}

#[test]
fn images_cross_the_boundary_whole() {
    let mut stage = Stage::new("llvmpipe");
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    let desc = describe(&inputs.depth, READ);
    let block: ImageBlock = desc.to_block();
    assert_eq!(ImageDesc::from_block(&block), desc);
    assert_eq!(
        ImageDesc::from_block(&ImageBlock {
            format: 126,
            ..block
        })
        .aspect,
        vk::ImageAspectFlags::DEPTH
    );
}
