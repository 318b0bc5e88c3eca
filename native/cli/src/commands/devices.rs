//! `reconstruct devices`: every device, what it can do, and why not.

use crate::error::Result;
use crate::gpu_executor::{engine_device, open_host};
use clap::Args;
use reconstruction_core::convention::{Feature, Model};
use reconstruction_host::DeviceInfo;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write;

/// List every Vulkan device: what it can do, and why not where it cannot.
#[derive(Debug, Args)]
pub struct Options {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Device {
    name: String,
    kind: &'static str,
    driver: String,
    vulkan: String,
    memory_mib: u64,
    storage_range_mib: u32,
    shared_memory_kib: u32,
    workgroup_invocations: u32,
    has_timestamps: bool,
    features: Vec<Support>,
}

/// Whether a feature runs with a model.
#[derive(Debug, Serialize)]
struct Support {
    feature: &'static str,
    model: &'static str,
    /// Why not; absent where it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsupported: Option<String>,
}

/// What is asked for: names for people, and codes.
const ASKED: [(&str, Feature, &str, Model); 3] = [
    (
        "sr, dlaa",
        Feature::SuperResolution,
        "analytic",
        Model::Analytic,
    ),
    (
        "sr, dlaa",
        Feature::SuperResolution,
        "network",
        Model::Network,
    ),
    ("rr", Feature::RayReconstruction, "network", Model::Network),
];

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let devices: Vec<Device> = reconstruction_host::devices()?
        .iter()
        .map(describe)
        .collect();
    if options.json {
        return super::print_json(out, &devices);
    }
    if devices.is_empty() {
        return super::print(
            out,
            "no Vulkan device; --device cpu runs the CPU references\n",
        );
    }
    super::print(out, &devices.iter().map(text).collect::<String>())
}

fn describe(info: &DeviceInfo) -> Device {
    let opened = open_host(Some(&info.name)).and_then(|host| {
        let device = engine_device(&host)?;
        Ok((host, device))
    });
    let support = |(feature, feature_code, model, model_code)| {
        let unsupported = match &opened {
            Err(error) => Some(error.to_string()),
            Ok((_, device)) => match device.support(feature_code, model_code) {
                Ok(()) => None,
                Err(reason) => Some(reason.to_string()),
            },
        };
        Support {
            feature,
            model,
            unsupported,
        }
    };
    let features = ASKED.map(support).into();
    // The engine's side goes before the host that lends it the device.
    if let Ok((host, device)) = opened {
        drop(device);
        drop(host);
    }
    let limits = info.limits;
    Device {
        name: info.name.clone(),
        kind: info.kind,
        driver: info.driver.clone(),
        vulkan: info.api_version_text(),
        memory_mib: limits.device_memory >> 20,
        storage_range_mib: limits.max_storage_buffer_range >> 20,
        shared_memory_kib: limits.max_compute_shared_memory >> 10,
        workgroup_invocations: limits.max_workgroup_invocations,
        has_timestamps: limits.timestamp_period > 0.0,
        features,
    }
}

fn text(device: &Device) -> String {
    let mut text = format!(
        "{}\n  {}, Vulkan {}, {}\n  {} MiB memory, {} MiB a binding, {} KiB shared memory, {} invocations a group, {}\n",
        device.name,
        device.kind,
        device.vulkan,
        device.driver,
        device.memory_mib,
        device.storage_range_mib,
        device.shared_memory_kib,
        device.workgroup_invocations,
        if device.has_timestamps { "timestamps" } else { "no timestamps" },
    );
    for Support {
        feature,
        model,
        unsupported,
    } in &device.features
    {
        let answer = unsupported.as_deref().unwrap_or("yes");
        writeln!(text, "  {feature} ({model}): {answer}").expect("writing to a string");
    }
    text
}
