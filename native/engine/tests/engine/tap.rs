//! A tap on the host's entry point: it can hide a function, fail the n-th creation, drop a barrier, lose the device,
//! and it writes down every command. State is per thread, so tests do not meet.

use ash::vk;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{c_char, CStr};

/// What the tap does, and what it saw.
#[derive(Default)]
pub struct Tap {
    /// This function does not exist.
    pub hidden: Option<&'static str>,
    /// The creation with this number, from 1, fails with this result.
    pub failing: Option<(usize, vk::Result)>,
    /// The barrier with this number, from 1, is dropped.
    pub dropped_barrier: Option<usize>,
    /// Reading queries says that the device is lost.
    pub is_lost: bool,
    /// Names of the creations seen.
    pub created: Vec<&'static str>,
    /// Commands seen, with what matters of their arguments.
    pub commands: Vec<String>,
    barriers: usize,
    real: HashMap<String, usize>,
}

thread_local! {
    static TAP: RefCell<Tap> = RefCell::default();
}

/// Changes the tap of this thread, or reads it.
pub fn tap<T>(with: impl FnOnce(&mut Tap) -> T) -> T {
    TAP.with(|tap| with(&mut tap.borrow_mut()))
}

/// Forgets everything, also the real functions.
pub fn reset() {
    tap(|tap| *tap = Tap::default());
}

/// Routes an entry point through the tap of this thread.
pub fn through_tap(real: vk::PFN_vkGetInstanceProcAddr) -> vk::PFN_vkGetInstanceProcAddr {
    tap(|tap| {
        tap.real
            .insert("vkGetInstanceProcAddr".into(), real as usize)
    });
    get_instance_proc_addr
}

fn real(name: &str) -> usize {
    tap(|tap| tap.real[name])
}

unsafe extern "system" fn get_instance_proc_addr(
    instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: stored by `through_tap` with this type.
    let next: vk::PFN_vkGetInstanceProcAddr =
        unsafe { std::mem::transmute(real("vkGetInstanceProcAddr")) };
    // SAFETY: the caller's own arguments.
    let (found, text) = unsafe { (next(instance, name), CStr::from_ptr(name).to_str().unwrap()) };
    if tap(|tap| tap.hidden == Some(text)) {
        return None;
    }
    if text == "vkGetDeviceProcAddr" {
        let address = found? as usize;
        tap(|tap| tap.real.insert(text.into(), address));
        let tapped: vk::PFN_vkGetDeviceProcAddr = get_device_proc_addr;
        // SAFETY: a function pointer; callers cast it back to the type of this name.
        return unsafe {
            std::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, vk::PFN_vkVoidFunction>(tapped)
        };
    }
    found
}

unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: stored by `get_instance_proc_addr` with this type.
    let next: vk::PFN_vkGetDeviceProcAddr =
        unsafe { std::mem::transmute(real("vkGetDeviceProcAddr")) };
    // SAFETY: the caller's own arguments.
    let (found, text) = unsafe { (next(device, name), CStr::from_ptr(name).to_str().unwrap()) };
    if tap(|tap| tap.hidden == Some(text)) {
        return None;
    }
    let address = found? as usize;
    tap(|tap| tap.real.insert(text.into(), address));
    tapped(text).or(found)
}

/// Functions that make something: counted, and failing when told to.
macro_rules! creations {
    ($($name:ident as $kind:ty => ($($arg:ident: $type:ty),*);)*) => {
        $(
            #[allow(non_snake_case)]
            unsafe extern "system" fn $name($($arg: $type),*) -> vk::Result {
                let name = stringify!($name);
                let failure = tap(|tap| {
                    tap.created.push(name);
                    tap.failing.filter(|(at, _)| *at == tap.created.len()).map(|(_, result)| result)
                });
                if let Some(result) = failure {
                    return result;
                }
                // SAFETY: stored with this type by `get_device_proc_addr`; the caller's own arguments.
                unsafe { std::mem::transmute::<usize, $kind>(real(name))($($arg),*) }
            }
        )*
        fn tapped_creation(name: &str) -> Option<usize> {
            match name {
                $(stringify!($name) => Some($name as $kind as usize),)*
                _ => None,
            }
        }
    };
}

creations! {
    vkAllocateMemory as vk::PFN_vkAllocateMemory =>
        (d: vk::Device, i: *const vk::MemoryAllocateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::DeviceMemory);
    vkMapMemory as vk::PFN_vkMapMemory =>
        (d: vk::Device, m: vk::DeviceMemory, a: vk::DeviceSize, s: vk::DeviceSize, f: vk::MemoryMapFlags, o: *mut *mut std::ffi::c_void);
    vkCreateBuffer as vk::PFN_vkCreateBuffer =>
        (d: vk::Device, i: *const vk::BufferCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::Buffer);
    vkBindBufferMemory as vk::PFN_vkBindBufferMemory =>
        (d: vk::Device, b: vk::Buffer, m: vk::DeviceMemory, a: vk::DeviceSize);
    vkCreateImage as vk::PFN_vkCreateImage =>
        (d: vk::Device, i: *const vk::ImageCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::Image);
    vkBindImageMemory as vk::PFN_vkBindImageMemory =>
        (d: vk::Device, b: vk::Image, m: vk::DeviceMemory, a: vk::DeviceSize);
    vkCreateImageView as vk::PFN_vkCreateImageView =>
        (d: vk::Device, i: *const vk::ImageViewCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::ImageView);
    vkCreateDescriptorSetLayout as vk::PFN_vkCreateDescriptorSetLayout =>
        (d: vk::Device, i: *const vk::DescriptorSetLayoutCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::DescriptorSetLayout);
    vkCreatePipelineLayout as vk::PFN_vkCreatePipelineLayout =>
        (d: vk::Device, i: *const vk::PipelineLayoutCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::PipelineLayout);
    vkCreateShaderModule as vk::PFN_vkCreateShaderModule =>
        (d: vk::Device, i: *const vk::ShaderModuleCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::ShaderModule);
    vkCreateComputePipelines as vk::PFN_vkCreateComputePipelines =>
        (d: vk::Device, p: vk::PipelineCache, n: u32, i: *const vk::ComputePipelineCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::Pipeline);
    vkCreateDescriptorPool as vk::PFN_vkCreateDescriptorPool =>
        (d: vk::Device, i: *const vk::DescriptorPoolCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::DescriptorPool);
    vkAllocateDescriptorSets as vk::PFN_vkAllocateDescriptorSets =>
        (d: vk::Device, i: *const vk::DescriptorSetAllocateInfo<'_>, o: *mut vk::DescriptorSet);
    vkCreateQueryPool as vk::PFN_vkCreateQueryPool =>
        (d: vk::Device, i: *const vk::QueryPoolCreateInfo<'_>, c: *const vk::AllocationCallbacks<'_>, o: *mut vk::QueryPool);
}

/// Commands: written down, and passed on.
macro_rules! commands {
    ($($name:ident as $kind:ty => ($buffer:ident, $($arg:ident: $type:ty),*) $shown:expr;)*) => {
        $(
            #[allow(non_snake_case)]
            unsafe extern "system" fn $name($buffer: vk::CommandBuffer, $($arg: $type),*) {
                let name = stringify!($name);
                let line = format!("{name} {}", $shown);
                let is_dropped = tap(|tap| {
                    tap.commands.push(line);
                    if name == "vkCmdPipelineBarrier" {
                        tap.barriers += 1;
                    }
                    name == "vkCmdPipelineBarrier" && tap.dropped_barrier == Some(tap.barriers)
                });
                if !is_dropped {
                    // SAFETY: stored with this type by `get_device_proc_addr`; the caller's own arguments.
                    unsafe { std::mem::transmute::<usize, $kind>(real(name))($buffer, $($arg),*) }
                }
            }
        )*
        fn tapped_command(name: &str) -> Option<usize> {
            match name {
                $(stringify!($name) => Some($name as $kind as usize),)*
                _ => None,
            }
        }
    };
}

commands! {
    vkCmdBindPipeline as vk::PFN_vkCmdBindPipeline =>
        (b, p: vk::PipelineBindPoint, h: vk::Pipeline) format!("{p:?}");
    vkCmdBindDescriptorSets as vk::PFN_vkCmdBindDescriptorSets =>
        (b, p: vk::PipelineBindPoint, l: vk::PipelineLayout, first: u32, n: u32, s: *const vk::DescriptorSet, dn: u32, o: *const u32)
        format!("{p:?} set {first}, {n} of them");
    vkCmdDispatch as vk::PFN_vkCmdDispatch => (b, x: u32, y: u32, z: u32) format!("{x}x{y}x{z}");
    vkCmdFillBuffer as vk::PFN_vkCmdFillBuffer =>
        (b, h: vk::Buffer, o: vk::DeviceSize, s: vk::DeviceSize, v: u32) v;
    vkCmdClearColorImage as vk::PFN_vkCmdClearColorImage =>
        (b, i: vk::Image, l: vk::ImageLayout, c: *const vk::ClearColorValue, n: u32, r: *const vk::ImageSubresourceRange) n;
    vkCmdCopyBuffer as vk::PFN_vkCmdCopyBuffer =>
        (b, f: vk::Buffer, t: vk::Buffer, n: u32, r: *const vk::BufferCopy) n;
    vkCmdResetQueryPool as vk::PFN_vkCmdResetQueryPool => (b, p: vk::QueryPool, f: u32, n: u32) n;
    vkCmdWriteTimestamp as vk::PFN_vkCmdWriteTimestamp =>
        (b, s: vk::PipelineStageFlags, p: vk::QueryPool, q: u32) q;
    vkCmdPipelineBarrier as vk::PFN_vkCmdPipelineBarrier =>
        (b, s: vk::PipelineStageFlags, t: vk::PipelineStageFlags, f: vk::DependencyFlags, mn: u32, m: *const vk::MemoryBarrier<'_>,
         bn: u32, bb: *const vk::BufferMemoryBarrier<'_>, n: u32, i: *const vk::ImageMemoryBarrier<'_>)
        format!("{s:?} -> {t:?}, {n} images");
}

unsafe extern "system" fn get_query_pool_results(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    size: usize,
    data: *mut std::ffi::c_void,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    if tap(|tap| tap.is_lost) {
        return vk::Result::ERROR_DEVICE_LOST;
    }
    // SAFETY: stored with this type by `get_device_proc_addr`; the caller's own arguments.
    unsafe {
        let next: vk::PFN_vkGetQueryPoolResults =
            std::mem::transmute(real("vkGetQueryPoolResults"));
        next(device, pool, first, count, size, data, stride, flags)
    }
}

fn tapped(name: &str) -> vk::PFN_vkVoidFunction {
    let query: vk::PFN_vkGetQueryPoolResults = get_query_pool_results;
    let address = tapped_creation(name)
        .or_else(|| tapped_command(name))
        .or((name == "vkGetQueryPoolResults").then_some(query as usize))?;
    // SAFETY: the address of a function; callers cast it back to the type of this name.
    unsafe { std::mem::transmute::<usize, vk::PFN_vkVoidFunction>(address) }
}
