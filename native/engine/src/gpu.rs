//! The host's device as every object of this crate holds it.

use crate::capabilities::Capabilities;
use crate::error::{Error, Result};
use ash::vk;
use gpu_allocator::vulkan::{
    Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc,
};
use gpu_allocator::{AllocationError, AllocationSizes, MemoryLocation};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a block of device memory and of host-visible memory; what is larger gets a block of its own.
const DEVICE_BLOCK: u64 = 32 << 20;
const HOST_BLOCK: u64 = 4 << 20;

/// Functions, allocator and the state of the device. The device itself belongs to the host.
pub(crate) struct Gpu {
    pub device: ash::Device,
    pub handle: vk::Device,
    pub capabilities: Capabilities,
    allocator: Mutex<Allocator>,
    is_lost: AtomicBool,
}

impl Gpu {
    pub fn new(
        instance: ash::Instance,
        device: ash::Device,
        physical_device: vk::PhysicalDevice,
        capabilities: Capabilities,
    ) -> Result<Self> {
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance,
            device: device.clone(),
            physical_device,
            debug_settings: Default::default(),
            buffer_device_address: false,
            allocation_sizes: AllocationSizes::new(DEVICE_BLOCK, HOST_BLOCK),
        })
        .map_err(|e| allocation_error("allocator", 0, &e))?;
        Ok(Gpu {
            handle: device.handle(),
            device,
            capabilities,
            allocator: Mutex::new(allocator),
            is_lost: AtomicBool::new(false),
        })
    }

    /// Remembers that the device is lost.
    pub fn set_lost(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
    }

    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Refuses every call on a lost device.
    pub fn check_lost(&self) -> Result<()> {
        if self.is_lost() {
            Err(Error::DeviceLost)
        } else {
            Ok(())
        }
    }

    /// The error of a failed call; remembers a loss.
    pub fn error(&self, call: &'static str, result: vk::Result) -> Error {
        if result == vk::Result::ERROR_DEVICE_LOST {
            self.set_lost();
        }
        Error::vulkan(call, result)
    }

    pub fn allocate(
        &self,
        what: &'static str,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
        linear: bool,
    ) -> Result<Allocation> {
        self.allocator()
            .allocate(&AllocationCreateDesc {
                name: what,
                requirements,
                location,
                linear,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            })
            .map_err(|e| allocation_error(what, requirements.size, &e))
    }

    pub fn free(&self, allocation: Allocation) {
        // Freeing fails only for an allocation of another allocator.
        let _ = self.allocator().free(allocation);
    }

    /// Bytes of device memory in use.
    pub fn allocated_bytes(&self) -> u64 {
        self.allocator().generate_report().total_allocated_bytes
    }

    fn allocator(&self) -> MutexGuard<'_, Allocator> {
        self.allocator
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn allocation_error(what: &'static str, bytes: u64, error: &AllocationError) -> Error {
    match error {
        AllocationError::OutOfMemory | AllocationError::FailedToMap(_) => {
            Error::OutOfDeviceMemory { what, bytes }
        }
        other => Error::Internal {
            call: what,
            detail: other.to_string(),
        },
    }
}
