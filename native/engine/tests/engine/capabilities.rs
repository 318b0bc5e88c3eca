//! Devices that the engine refuses, as tables; no such device is needed.

use crate::stage::{Stage, DRIVERS};
use ash::vk;
use reconstruction_core::convention::{Fault, Feature, Model};
use reconstruction_core::frame_plans::FramePlans;
use reconstruction_core::network::{self, Architecture, Path};
use reconstruction_core::{Mode, Size, Sizes};
use reconstruction_engine::{refusals, size_refusals, Capabilities, Context};

/// The least that the engine runs on.
pub fn baseline() -> Capabilities {
    Capabilities {
        device_name: "baseline".into(),
        api_version: vk::API_VERSION_1_1,
        is_processor: false,
        has_compute_queue: true,
        timestamp_bits: 0,
        timestamp_period: 1.0,
        has_rgba16f_storage: true,
        has_rgba16f_target: true,
        max_shared_memory: 32 * 1024,
        max_workgroup_invocations: 128,
        max_workgroup_size: [128, 128, 64],
        max_workgroup_count: [65535; 3],
        max_storage_buffers: 16,
        max_storage_images: 4,
        max_sampled_images: 16,
        max_storage_buffer_range: 1 << 27,
        storage_buffer_alignment: 256,
        max_image_dimension: 4096,
        device_memory: 1 << 30,
    }
}

#[test]
fn a_baseline_device_is_not_refused() {
    assert_eq!(refusals(&baseline()), []);
}

#[test]
fn each_lack_alone_is_one_reason_that_names_it() {
    type Change = fn(&mut Capabilities);
    let lacks: [(&str, &str, Change); 12] = [
        ("Vulkan version", "got 1.0", |c| {
            c.api_version = vk::API_VERSION_1_0
        }),
        ("queue family", "VK_QUEUE_COMPUTE_BIT", |c| {
            c.has_compute_queue = false
        }),
        ("R16G16B16A16_SFLOAT", "storage image", |c| {
            c.has_rgba16f_storage = false
        }),
        ("R16G16B16A16_SFLOAT", "colour attachment", |c| {
            c.has_rgba16f_target = false
        }),
        ("maxComputeSharedMemorySize", "got 16384", |c| {
            c.max_shared_memory = 16 * 1024
        }),
        ("maxComputeWorkGroupInvocations", "got 64", |c| {
            c.max_workgroup_invocations = 64
        }),
        ("maxComputeWorkGroupSize[0]", "got 8", |c| {
            c.max_workgroup_size[0] = 8
        }),
        ("maxComputeWorkGroupSize[1]", "got 4", |c| {
            c.max_workgroup_size[1] = 4
        }),
        ("maxPerStageDescriptorStorageBuffers", "got 4", |c| {
            c.max_storage_buffers = 4
        }),
        ("maxPerStageDescriptorStorageImages", "got 1", |c| {
            c.max_storage_images = 1
        }),
        ("maxPerStageDescriptorSampledImages", "got 2", |c| {
            c.max_sampled_images = 2
        }),
        ("minStorageBufferOffsetAlignment", "got 512", |c| {
            c.storage_buffer_alignment = 512
        }),
    ];
    for (what, detail, change) in lacks {
        let mut table = baseline();
        change(&mut table);
        let reasons = refusals(&table);
        assert_eq!(reasons.len(), 1, "{reasons:?}");
        let line = reasons[0].as_str();
        assert!(line.contains(what) && line.contains(detail), "{line}");
        assert!(
            line.is_ascii() && line.contains("choose another device"),
            "{line}"
        );
    }
}

#[test]
fn several_lacks_are_several_reasons() {
    let mut table = baseline();
    table.api_version = vk::API_VERSION_1_0;
    table.max_shared_memory = 16 * 1024;
    table.has_compute_queue = false;
    assert_eq!(refusals(&table).len(), 3);
}

#[test]
fn the_memory_of_a_network_counts() {
    let size = Size::new(640, 360);
    let sizes = Sizes::new(size, size, Mode::Dlaa).unwrap();
    let architecture = Architecture::conv(&[32, 32, 32], &[1, 0, 1, 0, 0]).unwrap();
    let network = network::from_bytes(&network::random(1, &architecture)).unwrap();
    let analytic = FramePlans::new(sizes, None, Path::Plain).arena.size();
    let device = Capabilities {
        device_memory: analytic + 8 * size.area(),
        ..baseline()
    };
    assert_eq!(size_refusals(&device, &sizes, false, None), []);
    let reasons = size_refusals(&device, &sizes, false, Some(&network));
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    let with_network = FramePlans::new(sizes, Some(&network), Path::Plain);
    let needed = with_network.arena.size() + 8 * size.area() + network.weights.size();
    assert!(reasons[0]
        .as_str()
        .contains(&format!("at least {needed} bytes")));
}

#[test]
fn what_a_device_cannot_hold_is_a_reason_with_the_numbers() {
    let sizes = |width, height| {
        let output = Size::new(width, height);
        Sizes::new(output, output, Mode::Dlaa).unwrap()
    };
    assert_eq!(
        size_refusals(&baseline(), &sizes(1920, 1080), true, None),
        []
    );

    let cases: [(&str, Capabilities, Sizes); 4] = [
        (
            "maxStorageBufferRange",
            Capabilities {
                max_image_dimension: 8192,
                device_memory: 1 << 34,
                ..baseline()
            },
            sizes(8192, 8192),
        ),
        ("maxImageDimension2D", baseline(), sizes(4097, 64)),
        (
            "device memory",
            Capabilities {
                device_memory: 1 << 20,
                ..baseline()
            },
            sizes(640, 480),
        ),
        (
            "maxComputeWorkGroupCount",
            Capabilities {
                max_workgroup_count: [32, 65535, 65535],
                ..baseline()
            },
            sizes(640, 480),
        ),
    ];
    for (what, table, sizes) in cases {
        let reasons = size_refusals(&table, &sizes, false, None);
        assert_eq!(reasons.len(), 1, "{reasons:?}");
        let line = reasons[0].as_str();
        assert!(
            line.starts_with(what) && line.contains(&sizes.output.to_string()),
            "{line}"
        );
    }
}

#[test]
fn the_constructor_refuses_with_the_line_of_recommend() {
    // Neither driver can hold an output of 8192x8192.
    for driver in DRIVERS {
        let stage = Stage::new(driver);
        let device = stage.device();
        assert_eq!(refusals(device.capabilities()), []);
        let output = Size::new(8192, 8192);
        let model = (Feature::SuperResolution, Model::Analytic);
        let advice = device
            .recommend(output, Mode::Performance, model.0, model.1, None)
            .unwrap();
        let reason = advice.unsupported.expect("too large");
        assert_eq!(
            advice.recommendation.optimal, output,
            "what the host then renders itself"
        );
        let mut settings = crate::stage::settings(Size::new(4096, 4096), output);
        settings.mode = Mode::Performance;
        let error = Context::new(device, settings).err().expect("too large");
        assert_eq!(error.to_string(), reason.to_string());
        assert_eq!(error.fault(), Fault::UnsupportedDevice);

        let fits = device
            .recommend(
                Size::new(640, 360),
                Mode::Performance,
                model.0,
                model.1,
                None,
            )
            .unwrap();
        assert_eq!(fits.unsupported, None);
        assert_eq!(fits.recommendation.optimal, Size::new(320, 180));
        assert!(device
            .recommend(Size::new(0, 0), Mode::Quality, model.0, model.1, None)
            .is_err());
    }
}

#[test]
fn what_this_version_lacks_is_said_before_anything_else_is_looked_at() {
    let stage = Stage::new("llvmpipe");
    let device = stage.device();
    assert_eq!(
        device.support(Feature::SuperResolution, Model::Analytic),
        Ok(())
    );
    for model in [Model::Analytic, Model::Network] {
        let (feature, word) = (Feature::RayReconstruction, "rayReconstruction");
        let reason = device.support(feature, model).unwrap_err();
        assert!(reason.as_str().contains(word), "{reason}");
        // Sizes that are illegal as well.
        let mut settings = crate::stage::settings(Size::new(1, 1), Size::new(9, 9));
        (settings.feature, settings.model) = (feature, model);
        let error = Context::new(device, settings).err().expect("unsupported");
        assert_eq!(error.to_string(), reason.to_string());
        let advice = device
            .recommend(Size::new(640, 360), Mode::Quality, feature, model, None)
            .unwrap();
        assert_eq!(advice.unsupported, Some(reason));
        assert_eq!(advice.recommendation.optimal, Size::new(640, 360));
    }
}

#[test]
fn a_network_needs_weights_of_its_feature() {
    let stage = Stage::new("llvmpipe");
    let device = stage.device();
    let line = |network| {
        let mut settings = crate::stage::settings(Size::new(64, 64), Size::new(128, 128));
        (settings.model, settings.network) = (Model::Network, network);
        let error = Context::new(device, settings).err().expect("refused");
        error.to_string()
    };
    assert!(line(None).starts_with("network: expected weights, got none"));
    let architecture = network::Architecture::conv(&[32, 32, 32], &[0; 5]).unwrap();
    let mut model = network::from_bytes(&network::random(1, &architecture)).unwrap();
    model.feature = Feature::RayReconstruction;
    let other = line(Some(std::sync::Arc::new(model)));
    assert!(
        other.starts_with("network: expected one for SuperResolution"),
        "{other}"
    );
}
