//! Missing functions, failing creations, a dropped barrier, a lost device: through a tapped entry point.

use crate::stage::{engine_handles, open_host, settings, Inputs, Stage, DRIVERS, FORMATS};
use crate::tap::{self, tap};
use ash::vk;
use reconstruction_core::convention::Fault;
use reconstruction_core::Size;
use reconstruction_engine::{Context, Device, Error, LastFinished};
use reconstruction_host::Host;
use std::sync::Arc;

const RENDER: Size = Size::new(40, 40);
const OUTPUT: Size = Size::new(64, 64);

/// An engine's device that calls everything through the tap.
fn open_device(host: &Host) -> Result<Arc<Device>, Error> {
    let mut handles = engine_handles(host);
    handles.get_instance_proc_addr = tap::through_tap(handles.get_instance_proc_addr);
    // SAFETY: every test keeps the host longer than the device.
    unsafe { Device::from_host(handles) }
}

#[test]
fn a_missing_function_is_named_and_the_host_goes_on() {
    tap::reset();
    let host = open_host("llvmpipe", 2);
    for name in [
        "vkGetDeviceProcAddr",
        "vkCmdDispatch",
        "vkCreateQueryPool",
        "vkUpdateDescriptorSets",
    ] {
        tap(|tap| tap.hidden = Some(name));
        let error = open_device(&host).err().expect("a function is missing");
        assert_eq!(error.fault(), Fault::UnsupportedDevice);
        let line = error.to_string();
        assert!(
            line.contains(name) && line.is_ascii() && !line.contains('\n'),
            "{line}"
        );
    }
    tap(|tap| tap.hidden = None);
    assert!(open_device(&host).is_ok());
    assert_eq!(host.messages().take(), []);
}

/// Makes a context while the creation with this number fails; false when fewer are made.
fn fails_at(device: &Arc<Device>, step: usize) -> bool {
    tap(|tap| {
        tap.created.clear();
        tap.failing = Some((step, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    });
    let made = Context::new(device, settings(RENDER, OUTPUT));
    tap(|tap| tap.failing = None);
    match made {
        Ok(_) => false,
        Err(error) => {
            assert!(
                matches!(error, Error::OutOfDeviceMemory { .. }),
                "step {step}: {error}"
            );
            assert_eq!(error.fault(), Fault::OutOfDeviceMemory);
            true
        }
    }
}

#[test]
fn a_creation_that_fails_at_any_step_frees_everything() {
    failing_creations_free_everything("llvmpipe", 1);
    // SwiftShader takes a second over its pipelines, so only some of the steps.
    failing_creations_free_everything("SwiftShader", 7);
}

#[test]
#[ignore = "sweep: every step on SwiftShader, a second each"]
fn a_creation_that_fails_at_any_step_frees_everything_on_swiftshader() {
    failing_creations_free_everything("SwiftShader", 1);
}

/// Lets the creation of a device and a context fail at every `stride`th call that makes a pipeline, and at every call
/// behind those.
fn failing_creations_free_everything(driver: &'static str, stride: usize) {
    tap::reset();
    let host = open_host(driver, 2);
    let log = host.messages();
    let device = open_device(&host).unwrap();
    let context = Context::new(&device, settings(RENDER, OUTPUT)).unwrap();
    let steps = tap(|tap| tap.created.clone());
    drop((context, device));

    let last_pipeline = 1 + steps
        .iter()
        .rposition(|&s| s == "vkCreateComputePipelines")
        .unwrap();
    // While pipelines are made: a new device each time.
    for step in (1..=last_pipeline).step_by(stride) {
        let device = open_device(&host).unwrap();
        assert!(fails_at(&device, step), "{driver}, {}", steps[step - 1]);
    }
    // Behind them, and again as soon as memory is back: a device that has its pipelines.
    let device = open_device(&host).unwrap();
    assert!(fails_at(&device, last_pipeline + 1));
    let mut step = 1;
    while fails_at(&device, step) {
        assert_eq!(device.allocated_bytes(), 0, "step {step}");
        step += 1;
    }
    // The allocator keeps its one block, so memory is asked for and mapped only once.
    let behind = &steps[last_pipeline..];
    let kept = ["vkAllocateMemory", "vkMapMemory"];
    let expected = behind.iter().filter(|s| !kept.contains(s)).count();
    assert_eq!(step - 1, expected, "{driver}: {behind:?}");
    drop(device);
    drop(host);
    // The layer names every object that a failed creation left behind.
    assert_eq!(log.take(), [], "{driver}");
}

#[test]
fn another_failure_of_the_driver_is_an_internal_fault() {
    tap::reset();
    let host = open_host("llvmpipe", 2);
    let device = open_device(&host).unwrap();
    tap(|tap| tap.failing = Some((1, vk::Result::ERROR_INITIALIZATION_FAILED)));
    let error = Context::new(&device, settings(RENDER, OUTPUT))
        .err()
        .unwrap();
    assert_eq!(error.fault(), Fault::InternalFault);
    assert!(
        error.to_string().contains("ERROR_INITIALIZATION_FAILED"),
        "{error}"
    );
}

#[test]
fn without_one_barrier_the_validation_layer_speaks() {
    for driver in DRIVERS {
        let silent = messages_without_barrier(driver, None);
        assert_eq!(silent, Vec::<String>::new(), "{driver}");
        let steps = barriers_between_passes();
        assert!(!steps.is_empty());
        for number in steps {
            let heard = messages_without_barrier(driver, Some(number));
            assert!(
                heard.iter().any(|id| id.contains("SYNC-HAZARD")),
                "{driver}, barrier {number}: {heard:?}"
            );
        }
    }
}

/// Numbers of the compute-to-compute barriers among those of a first evaluate.
fn barriers_between_passes() -> Vec<usize> {
    tap(|tap| {
        let barriers = tap
            .commands
            .iter()
            .filter(|c| c.starts_with("vkCmdPipelineBarrier"));
        (1..)
            .zip(barriers)
            .filter(|(_, line)| line.contains("COMPUTE_SHADER -> COMPUTE_SHADER,"))
            .map(|(number, _)| number)
            .collect()
    })
}

fn messages_without_barrier(driver: &'static str, number: Option<usize>) -> Vec<String> {
    let mut stage = Stage::new(driver);
    tap::reset();
    let device = open_device(stage.host()).unwrap();
    let mut context = Context::new(&device, settings(RENDER, OUTPUT)).unwrap();
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    tap(|tap| tap.dropped_barrier = number);
    stage.evaluate(&mut context, &inputs.frame(0)).unwrap();
    stage.host().wait_idle();
    device.collect(LastFinished::Idle).unwrap();
    stage
        .log
        .take()
        .into_iter()
        .map(|message| message.id)
        .collect()
}

#[test]
fn a_lost_device_stays_lost_and_closes_cleanly() {
    let mut stage = Stage::new("llvmpipe");
    tap::reset();
    let device = open_device(stage.host()).unwrap();
    let mut context = Context::new(&device, settings(RENDER, OUTPUT)).unwrap();
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    let mut frame = inputs.frame(0);
    frame.wants_timings = true;
    stage.evaluate(&mut context, &frame).unwrap();
    stage.host().wait_idle();
    device.collect(LastFinished::Idle).unwrap();
    tap(|tap| tap.is_lost = true);
    assert_eq!(context.timings().unwrap_err(), Error::DeviceLost);
    assert!(device.is_lost());
    assert_eq!(
        stage.evaluate(&mut context, &inputs.frame(1)).unwrap_err(),
        Error::DeviceLost
    );
    assert_eq!(context.statistics().unwrap_err(), Error::DeviceLost);
    assert_eq!(
        Context::new(&device, settings(RENDER, OUTPUT)).err(),
        Some(Error::DeviceLost)
    );
    assert!(context.status_line().contains("device lost"));
    context.close();
    context.close();
    assert_eq!(
        device.collect(LastFinished::Frame(9)).unwrap_err(),
        Error::DeviceLost
    );
}

#[test]
fn a_host_that_says_lost_is_believed() {
    let mut stage = Stage::new("llvmpipe");
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    stage.evaluate(&mut context, &inputs.frame(0)).unwrap();
    stage.host().wait_idle();
    assert_eq!(
        stage.device().collect(LastFinished::Lost),
        Err(Error::DeviceLost)
    );
    assert_eq!(
        stage.evaluate(&mut context, &inputs.frame(1)),
        Err(Error::DeviceLost)
    );
    assert_eq!(LastFinished::from_code(u64::MAX), LastFinished::Lost);
    assert_eq!(LastFinished::from_code(7), LastFinished::Frame(7));
}
