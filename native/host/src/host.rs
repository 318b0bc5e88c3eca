//! The host: one device, its frames, and images moved in and out.

use crate::buffer::{Buffer, Location};
use crate::device_info::DeviceInfo;
use crate::error::{Error, Named, Result};
use crate::frames::{Frame, Frames};
use crate::image::Image;
use crate::instance::{Instance, InstanceOptions, MessageLog};
use crate::memory::Shared;
use crate::timestamps::Timestamps;
use ash::vk::{self, Handle};
use reconstruction_core::host_blocks::{EnabledFeature, HostBlock};
use reconstruction_core::Size;
use std::sync::Arc;

/// Device features that a host may switch on where the device has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OptionalFeatures {
    /// Dot products of packed 8-bit integers.
    pub integer_dot_product: bool,
    /// Storage buffers of 8-bit elements.
    pub storage_8bit: bool,
    /// Cooperative matrices, with 8-bit integers and the Vulkan memory model.
    pub cooperative_matrix: bool,
}

impl OptionalFeatures {
    /// One bit a feature, at the code of its [`EnabledFeature`].
    fn bits(self) -> u32 {
        let bit = |is_on, feature: EnabledFeature| u32::from(is_on) << feature.code();
        bit(self.integer_dot_product, EnabledFeature::IntegerDotProduct)
            | bit(self.storage_8bit, EnabledFeature::StorageBuffer8Bit)
            | bit(self.cooperative_matrix, EnabledFeature::CooperativeMatrix)
            | bit(self.cooperative_matrix, EnabledFeature::ShaderInt8)
    }
}

/// How a host is made.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Part of the name of the device or of its driver; the best device when none is given.
    pub device: Option<String>,
    /// Validation of calls and of synchronisation; see [`Host::messages`].
    pub validation: bool,
    /// The Vulkan version asked for.
    pub api_version: u32,
    /// Frames that may be recorded before the oldest must have finished, at least 1.
    pub frames_in_flight: u32,
    /// Features to switch on; those that the device lacks stay off.
    pub features: OptionalFeatures,
}

impl Default for HostOptions {
    fn default() -> Self {
        HostOptions {
            device: None,
            validation: false,
            api_version: vk::API_VERSION_1_3,
            frames_in_flight: 2,
            features: OptionalFeatures::default(),
        }
    }
}

/// A headless Vulkan host. Dropping it waits for the device and destroys everything in order; images, buffers and
/// timestamps may outlive it.
pub struct Host {
    frames: Frames,
    frames_in_flight: u32,
    features: OptionalFeatures,
    info: DeviceInfo,
    shared: Arc<Shared>,
}

impl Host {
    /// Opens a device.
    ///
    /// # Errors
    /// No loader, no such device, no validation layer, or the failed call.
    pub fn new(options: &HostOptions) -> Result<Self> {
        let instance = Arc::new(Instance::new(&InstanceOptions {
            validation: options.validation,
            api_version: options.api_version,
        })?);
        let info = instance.pick(options.device.as_deref())?;
        let (queue_family, device, features) = create_device(&instance, &info, options.features)?;
        let shared = Arc::new(Shared::new(instance, device, info.handle, queue_family)?);
        let frames_in_flight = options.frames_in_flight.max(1);
        Ok(Host {
            frames: Frames::new(&shared, frames_in_flight)?,
            frames_in_flight,
            features,
            info,
            shared,
        })
    }

    /// The device.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// What the validation layer said; a clone still hears what is said while the host is dropped.
    pub fn messages(&self) -> MessageLog {
        self.shared.instance.messages.clone()
    }

    /// Calls of the device.
    pub fn device(&self) -> &ash::Device {
        &self.shared.device
    }

    /// The queue that runs the frames.
    pub fn queue(&self) -> vk::Queue {
        self.shared.queue
    }

    /// What an engine in this host's frames is made of: handles that live as long as the host.
    pub fn to_block(&self) -> HostBlock {
        let instance = &self.shared.instance;
        let entry_point = instance.entry.static_fn().get_instance_proc_addr;
        HostBlock {
            instance: instance.raw.handle().as_raw(),
            physical_device: self.shared.physical_device.as_raw(),
            device: self.shared.device.handle().as_raw(),
            get_instance_proc_addr: entry_point as usize as u64,
            queue_family: self.shared.queue_family,
            frames_in_flight: self.frames_in_flight,
            api_version: instance.api_version,
            enabled_features: self.features.bits(),
        }
    }

    /// Begins a frame; waits for the one whose place it takes.
    ///
    /// # Errors
    /// The failed call, device loss among them.
    pub fn begin_frame(&mut self) -> Result<Frame> {
        self.frames.begin()
    }

    /// Submits a frame without waiting.
    ///
    /// # Errors
    /// The failed call, device loss among them.
    pub fn submit(&mut self, frame: Frame) -> Result<()> {
        self.frames.submit(frame)
    }

    /// The newest frame that the device has finished; 0 before the first.
    ///
    /// # Errors
    /// The failed call, device loss among them.
    pub fn last_finished(&mut self) -> Result<u64> {
        self.frames.last_finished()
    }

    /// Waits until the device has nothing to do.
    pub fn wait_idle(&self) {
        self.shared.wait_idle();
    }

    /// Records commands, submits them and waits for them, outside the frame counter.
    ///
    /// # Errors
    /// The failed call.
    pub fn run_now(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        self.shared.run_now(record)
    }

    /// A buffer.
    ///
    /// # Errors
    /// The failed call or allocation.
    pub fn create_buffer(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
        location: Location,
    ) -> Result<Buffer> {
        Buffer::new(&self.shared, size, usage, location)
    }

    /// An image in an undefined layout.
    ///
    /// # Errors
    /// The failed call or allocation.
    pub fn create_image(
        &self,
        format: vk::Format,
        size: Size,
        usage: vk::ImageUsageFlags,
    ) -> Result<Image> {
        Image::new(&self.shared, format, size, usage)
    }

    /// `count` timestamps.
    ///
    /// # Errors
    /// The failed call.
    pub fn create_timestamps(&self, count: u32) -> Result<Timestamps> {
        Timestamps::new(&self.shared, count, self.info.limits.timestamp_period)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.shared.wait_idle();
    }
}

/// A device with one queue that can compute, and draw where the device can.
fn create_device(
    instance: &Instance,
    info: &DeviceInfo,
    wanted: OptionalFeatures,
) -> Result<(u32, ash::Device, OptionalFeatures)> {
    let calls = &instance.raw;
    // SAFETY: the physical device was enumerated from this instance.
    let families = unsafe { calls.get_physical_device_queue_family_properties(info.handle) };
    let family_with = |flags: vk::QueueFlags| {
        families
            .iter()
            .position(|family| family.queue_flags.contains(flags))
    };
    let queue_family = family_with(vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS)
        .or_else(|| family_with(vk::QueueFlags::COMPUTE))
        .ok_or_else(|| Error::NoDevice {
            expected: "a device with a compute queue".into(),
            found: info.name.clone(),
        })? as u32;

    let is_1_3 = instance.api_version.min(info.api_version) >= vk::API_VERSION_1_3;
    let mut features = OptionalFeatures::default();
    let mut dot = vk::PhysicalDeviceShaderIntegerDotProductFeatures::default();
    let mut byte = vk::PhysicalDevice8BitStorageFeatures::default();
    let mut int8 = vk::PhysicalDeviceShaderFloat16Int8Features::default();
    let mut model = vk::PhysicalDeviceVulkanMemoryModelFeatures::default();
    let mut matrix = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default();
    if is_1_3 {
        let mut all = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut dot)
            .push_next(&mut byte)
            .push_next(&mut int8)
            .push_next(&mut model);
        let matrix_name = vk::KHR_COOPERATIVE_MATRIX_NAME;
        // SAFETY: the physical device was enumerated from this instance.
        let has_matrix = unsafe { calls.enumerate_device_extension_properties(info.handle) }
            .named("vkEnumerateDeviceExtensionProperties")?
            .iter()
            .any(|e| e.extension_name_as_c_str() == Ok(matrix_name));
        if has_matrix {
            all = all.push_next(&mut matrix);
        }
        // SAFETY: the structures are core in 1.3, or of an extension that the device has.
        unsafe { calls.get_physical_device_features2(info.handle, &mut all) };
        let is_whole = [
            matrix.cooperative_matrix,
            int8.shader_int8,
            model.vulkan_memory_model,
        ];
        features.cooperative_matrix = wanted.cooperative_matrix && is_whole == [vk::TRUE; 3];
        features.integer_dot_product =
            wanted.integer_dot_product && dot.shader_integer_dot_product == vk::TRUE;
        features.storage_8bit = wanted.storage_8bit && byte.storage_buffer8_bit_access == vk::TRUE;
    }
    let mut dot = vk::PhysicalDeviceShaderIntegerDotProductFeatures::default()
        .shader_integer_dot_product(true);
    let mut byte =
        vk::PhysicalDevice8BitStorageFeatures::default().storage_buffer8_bit_access(true);
    let mut int8 = vk::PhysicalDeviceShaderFloat16Int8Features::default().shader_int8(true);
    let mut model =
        vk::PhysicalDeviceVulkanMemoryModelFeatures::default().vulkan_memory_model(true);
    let mut matrix =
        vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default().cooperative_matrix(true);
    let extensions = [vk::KHR_COOPERATIVE_MATRIX_NAME.as_ptr()];
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(queue_family)
        .queue_priorities(&priorities)];
    let mut create = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    if features.integer_dot_product {
        create = create.push_next(&mut dot);
    }
    if features.storage_8bit {
        create = create.push_next(&mut byte);
    }
    if features.cooperative_matrix {
        create = create
            .push_next(&mut int8)
            .push_next(&mut model)
            .push_next(&mut matrix)
            .enabled_extension_names(&extensions);
    }
    // SAFETY: every pointer in `create` lives until the call returns.
    let device =
        unsafe { calls.create_device(info.handle, &create, None) }.named("vkCreateDevice")?;
    Ok((queue_family, device, features))
}
