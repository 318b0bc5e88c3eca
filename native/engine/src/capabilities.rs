//! What a device can do, as plain data, and why that may not be enough.

use crate::error::Reason;
use ash::vk;
use reconstruction_core::frame_plans::FramePlans;
use reconstruction_core::network::{Model as Network, Path};
use reconstruction_core::pass::{BindingKind, Pass};
use reconstruction_core::{passes, Size, Sizes};
use std::ffi::CStr;

/// Shared memory that a baseline device has, in bytes.
const SHARED_MEMORY: u32 = 32 * 1024;
/// Bytes of an output pixel (RGBA16F).
const OUTPUT_TEXEL: u64 = 8;
const OTHER_DEVICE: &str = "choose another device, or show the source without reconstruction";
const SMALLER: &str = "reconstruct to a smaller size, or choose another device";

/// What the engine needs to know about a device and the host's queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Capabilities {
    /// Name of the device.
    pub device_name: String,
    /// The lower of the instance's and the device's Vulkan version.
    pub api_version: u32,
    /// Whether the device is a processor that runs shaders.
    pub is_processor: bool,
    /// Whether the host's queue family exists and computes.
    pub has_compute_queue: bool,
    /// Meaningful bits of a timestamp; 0 where the queue has none.
    pub timestamp_bits: u32,
    /// Nanoseconds per timestamp tick.
    pub timestamp_period: f32,
    /// Whether RGBA16F images can be written as storage images.
    pub has_rgba16f_storage: bool,
    /// Whether RGBA16F images can be sampled, attached and copied.
    pub has_rgba16f_target: bool,
    /// Shared memory of a workgroup, in bytes.
    pub max_shared_memory: u32,
    /// Invocations of a workgroup.
    pub max_workgroup_invocations: u32,
    /// Invocations of a workgroup on each axis.
    pub max_workgroup_size: [u32; 3],
    /// Workgroups of a dispatch on each axis.
    pub max_workgroup_count: [u32; 3],
    /// Storage buffers of a stage.
    pub max_storage_buffers: u32,
    /// Storage images of a stage.
    pub max_storage_images: u32,
    /// Sampled images of a stage.
    pub max_sampled_images: u32,
    /// Largest range of a storage buffer, in bytes.
    pub max_storage_buffer_range: u32,
    /// Alignment of a storage buffer's offset, in bytes.
    pub storage_buffer_alignment: u64,
    /// Width and height of an image.
    pub max_image_dimension: u32,
    /// Size of the largest device-local heap, in bytes.
    pub device_memory: u64,
}

impl Capabilities {
    /// Reads the table from a device.
    ///
    /// # Safety
    /// The physical device belongs to the instance.
    pub(crate) unsafe fn read(
        instance: &ash::Instance,
        physical_device: vk::PhysicalDevice,
        queue_family: u32,
        api_version: u32,
    ) -> Self {
        // SAFETY: guaranteed by the caller.
        let (properties, memory, families, rgba16f) = unsafe {
            (
                instance.get_physical_device_properties(physical_device),
                instance.get_physical_device_memory_properties(physical_device),
                instance.get_physical_device_queue_family_properties(physical_device),
                instance.get_physical_device_format_properties(
                    physical_device,
                    vk::Format::R16G16B16A16_SFLOAT,
                ),
            )
        };
        let limits = &properties.limits;
        let family = families.get(queue_family as usize);
        let name: Vec<u8> = properties.device_name.iter().map(|&c| c as u8).collect();
        // Transfer bits exist as format features from 1.1 on; before, every sampled format can be copied.
        let target =
            vk::FormatFeatureFlags::SAMPLED_IMAGE | vk::FormatFeatureFlags::COLOR_ATTACHMENT;
        Capabilities {
            device_name: CStr::from_bytes_until_nul(&name)
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            // An application that gives no version asks for 1.0.
            api_version: properties
                .api_version
                .min(api_version.max(vk::API_VERSION_1_0)),
            is_processor: properties.device_type == vk::PhysicalDeviceType::CPU,
            has_compute_queue: family
                .is_some_and(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE)),
            timestamp_bits: family.map_or(0, |f| f.timestamp_valid_bits),
            timestamp_period: limits.timestamp_period,
            has_rgba16f_storage: rgba16f
                .optimal_tiling_features
                .contains(vk::FormatFeatureFlags::STORAGE_IMAGE),
            has_rgba16f_target: rgba16f.optimal_tiling_features.contains(target),
            max_shared_memory: limits.max_compute_shared_memory_size,
            max_workgroup_invocations: limits.max_compute_work_group_invocations,
            max_workgroup_size: limits.max_compute_work_group_size,
            max_workgroup_count: limits.max_compute_work_group_count,
            max_storage_buffers: limits
                .max_per_stage_descriptor_storage_buffers
                .min(limits.max_descriptor_set_storage_buffers),
            max_storage_images: limits
                .max_per_stage_descriptor_storage_images
                .min(limits.max_descriptor_set_storage_images),
            max_sampled_images: limits
                .max_per_stage_descriptor_sampled_images
                .min(limits.max_descriptor_set_sampled_images),
            max_storage_buffer_range: limits.max_storage_buffer_range,
            storage_buffer_alignment: limits.min_storage_buffer_offset_alignment,
            max_image_dimension: limits.max_image_dimension2_d,
            device_memory: memory
                .memory_heaps_as_slice()
                .iter()
                .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
                .map(|heap| heap.size)
                .max()
                .unwrap_or(0),
        }
    }
}

/// Everything that this device lacks for the analytic model at any size; empty for a device that will do.
pub fn refusals(device: &Capabilities) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut refuse = |what: &str, expected: String, got: String| {
        reasons.push(Reason::new(what, expected, got, OTHER_DEVICE));
    };
    if device.api_version < vk::API_VERSION_1_1 {
        let v = device.api_version;
        refuse(
            "Vulkan version of instance and device",
            "1.1 or later".into(),
            format!("{}.{}", vk::api_version_major(v), vk::api_version_minor(v)),
        );
    }
    if !device.has_compute_queue {
        refuse(
            "queue family",
            "one with VK_QUEUE_COMPUTE_BIT".into(),
            "one without, or none".into(),
        );
    }
    if !device.has_rgba16f_storage {
        refuse(
            "VK_FORMAT_R16G16B16A16_SFLOAT",
            "a storage image".into(),
            "no VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT".into(),
        );
    }
    if !device.has_rgba16f_target {
        refuse(
            "VK_FORMAT_R16G16B16A16_SFLOAT",
            "a sampled colour attachment".into(),
            "neither or one of the two".into(),
        );
    }
    let mut at_least = |what: &str, needed: u32, got: u32| {
        if got < needed {
            refuse(what, format!("at least {needed}"), got.to_string());
        }
    };
    let most = |count: fn(&Pass) -> u32| {
        // Passes of every path share groups and bindings.
        passes::baseline().map(count).max().unwrap_or(0)
    };
    at_least(
        "maxComputeSharedMemorySize",
        SHARED_MEMORY,
        device.max_shared_memory,
    );
    at_least(
        "maxComputeWorkGroupInvocations",
        most(|pass| pass.group.iter().product()),
        device.max_workgroup_invocations,
    );
    at_least(
        "maxComputeWorkGroupSize[0]",
        most(|pass| pass.group[0]),
        device.max_workgroup_size[0],
    );
    at_least(
        "maxComputeWorkGroupSize[1]",
        most(|pass| pass.group[1]),
        device.max_workgroup_size[1],
    );
    at_least(
        "maxPerStageDescriptorStorageBuffers",
        most(|pass| 1 + count(pass, |kind| !is_image(kind))),
        device.max_storage_buffers,
    );
    at_least(
        "maxPerStageDescriptorStorageImages",
        most(|pass| count(pass, |kind| kind == BindingKind::Storage)),
        device.max_storage_images,
    );
    at_least(
        "maxPerStageDescriptorSampledImages",
        most(|pass| count(pass, |kind| kind == BindingKind::Sampled)),
        device.max_sampled_images,
    );
    if device.storage_buffer_alignment > reconstruction_core::plan::RANGE_ALIGNMENT {
        refuse(
            "minStorageBufferOffsetAlignment",
            format!("at most {}", reconstruction_core::plan::RANGE_ALIGNMENT),
            device.storage_buffer_alignment.to_string(),
        );
    }
    reasons
}

/// Everything that this device cannot hold at these sizes, with a network where one is given.
pub fn size_refusals(
    device: &Capabilities,
    sizes: &Sizes,
    has_debug_image: bool,
    network: Option<&Network>,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut at_most = |what: &str, limit: u64, needed: u64, unit: &str| {
        if needed > limit {
            reasons.push(Reason::new(
                what,
                format_args!(
                    "at least {needed} {unit} for {} to {}",
                    sizes.render, sizes.output
                ),
                limit,
                SMALLER,
            ));
        }
    };
    let plans = FramePlans::new(*sizes, network, Path::Plain);
    at_most(
        "maxStorageBufferRange",
        u64::from(device.max_storage_buffer_range),
        plans.arena.largest_range(),
        "bytes",
    );
    let Size { width, height } = sizes.output;
    at_most(
        "maxImageDimension2D",
        u64::from(device.max_image_dimension),
        u64::from(width.max(height)),
        "pixels",
    );
    let images = OUTPUT_TEXEL * sizes.output.area() * (1 + u64::from(has_debug_image));
    let weights = network.map_or(0, |network| network.weights.size());
    at_most(
        "device memory",
        device.device_memory,
        plans.arena.size() + images + weights,
        "bytes",
    );
    for axis in 0..2 {
        let groups = plans.reconstruct[0].steps.iter().map(|s| s.groups[axis]);
        at_most(
            "maxComputeWorkGroupCount",
            u64::from(device.max_workgroup_count[axis]),
            u64::from(groups.max().unwrap_or(0)),
            "workgroups",
        );
    }
    reasons
}

fn count(pass: &Pass, accept: fn(BindingKind) -> bool) -> u32 {
    pass.bindings.iter().filter(|b| accept(b.kind)).count() as u32
}

fn is_image(kind: BindingKind) -> bool {
    matches!(kind, BindingKind::Sampled | BindingKind::Storage)
}
