//! The host's raw handles.

use crate::error::{Error, Result};
use ash::vk::{self, Handle};
use reconstruction_core::host_blocks::HostBlock;

/// Most frames in flight that a host may have.
pub(crate) const MAX_FRAMES_IN_FLIGHT: u32 = 8;

/// What a host gives: its own objects, which outlive every object of this crate.
#[derive(Clone, Copy)]
pub struct HostHandles {
    /// The loader's entry point.
    pub get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// The instance.
    pub instance: vk::Instance,
    /// The physical device.
    pub physical_device: vk::PhysicalDevice,
    /// The device.
    pub device: vk::Device,
    /// Family of the queue that runs the recorded commands.
    pub queue_family: u32,
    /// `apiVersion` of the instance's application info.
    pub api_version: u32,
    /// Frames that the host keeps in flight, 1 to 8.
    pub frames_in_flight: u32,
    /// Features that the host enabled: bit `n` is the feature of that code in
    /// [`EnabledFeature`](reconstruction_core::host_blocks::EnabledFeature). They only choose faster pipelines.
    pub enabled_features: u32,
}

impl HostHandles {
    /// The handles of a block.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a null handle or address.
    ///
    /// # Safety
    /// A non-zero `get_instance_proc_addr` is the address of `vkGetInstanceProcAddr`.
    pub unsafe fn from_block(block: &HostBlock) -> Result<Self> {
        let address = usize::try_from(block.get_instance_proc_addr).unwrap_or(0);
        if address == 0 {
            return Err(null("getInstanceProcAddr"));
        }
        let handles = HostHandles {
            // SAFETY: the caller guarantees that the address is the function's.
            get_instance_proc_addr: unsafe {
                std::mem::transmute::<usize, vk::PFN_vkGetInstanceProcAddr>(address)
            },
            instance: vk::Instance::from_raw(block.instance),
            physical_device: vk::PhysicalDevice::from_raw(block.physical_device),
            device: vk::Device::from_raw(block.device),
            queue_family: block.queue_family,
            api_version: block.api_version,
            frames_in_flight: block.frames_in_flight,
            enabled_features: block.enabled_features,
        };
        handles.check()?;
        Ok(handles)
    }

    /// Refuses null handles and impossible numbers.
    pub(crate) fn check(&self) -> Result<()> {
        let nulls = [
            ("instance", self.instance.is_null()),
            ("physicalDevice", self.physical_device.is_null()),
            ("device", self.device.is_null()),
        ];
        for (what, is_null) in nulls {
            if is_null {
                return Err(null(what));
            }
        }
        if !(1..=MAX_FRAMES_IN_FLIGHT).contains(&self.frames_in_flight) {
            return Err(Error::invalid(
                "framesInFlight",
                format!("1..{MAX_FRAMES_IN_FLIGHT}"),
                self.frames_in_flight.to_string(),
                "give the number of frames that may be recorded before the oldest has finished",
            ));
        }
        Ok(())
    }
}

fn null(what: &'static str) -> Error {
    Error::invalid(
        what,
        "a handle",
        "0",
        "give the handle of the running Vulkan host",
    )
}
