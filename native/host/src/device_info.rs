//! What a Vulkan device is, as plain data.

use crate::instance::Instance;
use ash::vk;
use std::ffi::CStr;

/// A device of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceInfo {
    /// Name as the driver gives it.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    /// Driver and its version; empty where the device does not tell.
    pub driver: String,
    /// Highest Vulkan version, as `vk::make_api_version` packs it.
    pub api_version: u32,
    /// Limits that decide what fits.
    pub limits: DeviceLimits,
    /// The physical device; valid while its instance lives.
    pub handle: vk::PhysicalDevice,
}

/// Limits of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceLimits {
    /// Largest bindable range of a storage buffer, in bytes.
    pub max_storage_buffer_range: u32,
    /// Shared memory of a workgroup, in bytes.
    pub max_compute_shared_memory: u32,
    /// Largest number of invocations in a workgroup.
    pub max_workgroup_invocations: u32,
    /// Largest width and height of an image, in pixels.
    pub max_image_dimension: u32,
    /// Nanoseconds per timestamp tick; 0 where queues have no timestamps.
    pub timestamp_period: f32,
    /// Size of the largest device-local heap, in bytes.
    pub device_memory: u64,
}

impl DeviceInfo {
    pub(crate) fn read(instance: &Instance, handle: vk::PhysicalDevice) -> Self {
        let calls = &instance.raw;
        // SAFETY: the handle was enumerated from this instance.
        let (properties, memory) = unsafe {
            (
                calls.get_physical_device_properties(handle),
                calls.get_physical_device_memory_properties(handle),
            )
        };
        let limits = properties.limits;
        let is_newer_than_1_1 = properties.api_version >= vk::API_VERSION_1_2
            && instance.api_version >= vk::API_VERSION_1_1;
        DeviceInfo {
            name: text(&properties.device_name),
            kind: match properties.device_type {
                vk::PhysicalDeviceType::DISCRETE_GPU => "discrete",
                vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated",
                vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual",
                vk::PhysicalDeviceType::CPU => "software",
                _ => "other",
            },
            driver: if is_newer_than_1_1 {
                driver(calls, handle)
            } else {
                String::new()
            },
            api_version: properties.api_version,
            limits: DeviceLimits {
                max_storage_buffer_range: limits.max_storage_buffer_range,
                max_compute_shared_memory: limits.max_compute_shared_memory_size,
                max_workgroup_invocations: limits.max_compute_work_group_invocations,
                max_image_dimension: limits.max_image_dimension2_d,
                timestamp_period: limits.timestamp_period,
                device_memory: memory
                    .memory_heaps_as_slice()
                    .iter()
                    .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
                    .map(|heap| heap.size)
                    .max()
                    .unwrap_or(0),
            },
            handle,
        }
    }

    /// Whether name or driver contain `part`, in any case. `lavapipe` also finds its device, llvmpipe.
    pub fn is_called(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        let part = if part == "lavapipe" {
            "llvmpipe"
        } else {
            &part
        };
        self.name.to_lowercase().contains(part) || self.driver.to_lowercase().contains(part)
    }

    /// The version as people write it.
    pub fn api_version_text(&self) -> String {
        let v = self.api_version;
        format!(
            "{}.{}.{}",
            vk::api_version_major(v),
            vk::api_version_minor(v),
            vk::api_version_patch(v)
        )
    }

    /// Smaller is better; software drivers come last, the faster one of those first.
    pub(crate) fn rank(&self) -> u32 {
        match self.kind {
            "discrete" => 0,
            "integrated" => 1,
            "virtual" => 2,
            "software" if self.name.contains("llvmpipe") => 3,
            "software" => 4,
            _ => 5,
        }
    }
}

fn driver(calls: &ash::Instance, handle: vk::PhysicalDevice) -> String {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: instance and device are at least 1.1, and the driver structure is core in 1.2.
    unsafe { calls.get_physical_device_properties2(handle, &mut properties) };
    format!(
        "{} {}",
        text(&driver.driver_name),
        text(&driver.driver_info)
    )
    .trim()
    .to_string()
}

fn text(bytes: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = bytes.iter().map(|&c| c as u8).collect();
    CStr::from_bytes_until_nul(&bytes)
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}
