//! Every Vulkan function that the engine calls, probed once so that none is missing in a frame.

use crate::error::{Error, Reason, Result};
use crate::handles::HostHandles;
use ash::vk;
use std::ffi::CStr;

const INSTANCE_FUNCTIONS: [&CStr; 5] = [
    c"vkGetDeviceProcAddr",
    c"vkGetPhysicalDeviceProperties",
    c"vkGetPhysicalDeviceMemoryProperties",
    c"vkGetPhysicalDeviceQueueFamilyProperties",
    c"vkGetPhysicalDeviceFormatProperties",
];

const DEVICE_FUNCTIONS: [&CStr; 38] = [
    c"vkAllocateDescriptorSets",
    c"vkAllocateMemory",
    c"vkBindBufferMemory",
    c"vkBindImageMemory",
    c"vkCmdBindDescriptorSets",
    c"vkCmdBindPipeline",
    c"vkCmdClearColorImage",
    c"vkCmdCopyBuffer",
    c"vkCmdDispatch",
    c"vkCmdFillBuffer",
    c"vkCmdPipelineBarrier",
    c"vkCmdResetQueryPool",
    c"vkCmdWriteTimestamp",
    c"vkCreateBuffer",
    c"vkCreateComputePipelines",
    c"vkCreateDescriptorPool",
    c"vkCreateDescriptorSetLayout",
    c"vkCreateImage",
    c"vkCreateImageView",
    c"vkCreatePipelineLayout",
    c"vkCreateQueryPool",
    c"vkCreateShaderModule",
    c"vkDestroyBuffer",
    c"vkDestroyDescriptorPool",
    c"vkDestroyDescriptorSetLayout",
    c"vkDestroyImage",
    c"vkDestroyImageView",
    c"vkDestroyPipeline",
    c"vkDestroyPipelineLayout",
    c"vkDestroyQueryPool",
    c"vkDestroyShaderModule",
    c"vkFreeMemory",
    c"vkGetBufferMemoryRequirements",
    c"vkGetImageMemoryRequirements",
    c"vkGetQueryPoolResults",
    c"vkMapMemory",
    c"vkUnmapMemory",
    c"vkUpdateDescriptorSets",
];

/// The host's functions, every one of them present.
///
/// # Errors
/// [`Error::Unsupported`] that names the first missing function.
///
/// # Safety
/// The handles are alive and belong together.
pub(crate) unsafe fn load(handles: &HostHandles) -> Result<(ash::Instance, ash::Device)> {
    for name in INSTANCE_FUNCTIONS {
        // SAFETY: the caller guarantees the instance and the entry point.
        let function = unsafe { (handles.get_instance_proc_addr)(handles.instance, name.as_ptr()) };
        if function.is_none() {
            return Err(missing(name));
        }
    }
    let entry = ash::StaticFn {
        get_instance_proc_addr: handles.get_instance_proc_addr,
    };
    // SAFETY: as above.
    let instance = unsafe { ash::Instance::load(&entry, handles.instance) };
    let get_device_proc_addr: vk::PFN_vkGetDeviceProcAddr = instance.fp_v1_0().get_device_proc_addr;
    for name in DEVICE_FUNCTIONS {
        // SAFETY: the caller guarantees the device.
        if unsafe { get_device_proc_addr(handles.device, name.as_ptr()) }.is_none() {
            return Err(missing(name));
        }
    }
    // SAFETY: as above.
    let device = unsafe { ash::Device::load(instance.fp_v1_0(), handles.device) };
    Ok((instance, device))
}

fn missing(name: &CStr) -> Error {
    Reason::new(
        "device",
        format_args!("the function {}", name.to_string_lossy()),
        "a null pointer",
        "the Vulkan driver or a layer in front of it is incomplete; choose another device",
    )
    .into()
}
