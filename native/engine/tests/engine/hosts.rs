//! Hosts of other Vulkan versions, and one that ends without a word.

use crate::stage::{engine_handles, settings, Inputs, Stage, FORMATS};
use ash::vk;
use reconstruction_core::convention::{Fault, Feature, Model};
use reconstruction_core::Size;
use reconstruction_engine::{Context, Device};

const RENDER: Size = Size::new(40, 40);
const OUTPUT: Size = Size::new(64, 64);

#[test]
fn a_host_of_vulkan_1_1_is_enough() {
    let mut stage = Stage::with_version("llvmpipe", vk::API_VERSION_1_1);
    assert_eq!(
        stage.device().capabilities().api_version,
        vk::API_VERSION_1_1
    );
    let mut context = stage.context(RENDER, OUTPUT);
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    for index in 0..3 {
        stage.evaluate(&mut context, &inputs.frame(index)).unwrap();
    }
}

#[test]
fn a_host_of_vulkan_1_0_gets_the_reason() {
    let stage = Stage::with_version("llvmpipe", vk::API_VERSION_1_0);
    let reason = stage
        .device()
        .support(Feature::SuperResolution, Model::Analytic)
        .unwrap_err();
    assert!(
        reason.as_str().contains("1.1 or later, got 1.0"),
        "{reason}"
    );
    let error = Context::new(stage.device(), settings(RENDER, OUTPUT))
        .err()
        .unwrap();
    assert_eq!(error.fault(), Fault::UnsupportedDevice);
    assert_eq!(error.to_string(), reason.to_string());
}

#[test]
fn a_device_dropped_with_work_in_flight_destroys_nothing_in_use() {
    let mut stage = Stage::new("llvmpipe");
    let log = stage.log.clone();
    let handles = engine_handles(stage.host());
    // SAFETY: the stage outlives the device.
    let device = unsafe { Device::from_host(handles) }.unwrap();
    let mut context = Context::new(&device, settings(RENDER, OUTPUT)).unwrap();
    let inputs = Inputs::new(&mut stage, FORMATS, RENDER, OUTPUT, 1);
    stage.evaluate(&mut context, &inputs.frame(0)).unwrap();
    drop((context, device));
    assert_eq!(log.take(), []);
    drop(inputs);
    stage.end_without_asserting();
    // Left to the host's own end, which the layer names: so it would name any other leak.
    let left = log.take();
    assert!(
        !left.is_empty() && left.iter().all(|m| m.id.contains("vkDestroyDevice")),
        "{left:?}"
    );
}
