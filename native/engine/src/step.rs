//! One step of a plan: its own parameters, what stands in its descriptor set, and its commands.

use crate::error::Result;
use crate::gpu::Gpu;
use crate::memory::Buffer;
use crate::pipeline::{descriptor_type, Pipeline, MAX_BINDINGS, PARAMETERS};
use crate::record::Bindings;
use ash::vk;
use gpu_allocator::MemoryLocation;
use reconstruction_core::plan::{Plan, Slot, Step, RANGE_ALIGNMENT};
use std::sync::Arc;

/// The parameter blocks that no frame changes: that of step i of the plan at i times [`RANGE_ALIGNMENT`].
pub(crate) fn constant_parameters(gpu: &Arc<Gpu>, plan: &Plan) -> Result<Buffer> {
    let mut buffer = Buffer::new(
        gpu,
        "parameters of layers",
        RANGE_ALIGNMENT * plan.steps.len() as u64,
        vk::BufferUsageFlags::UNIFORM_BUFFER,
        MemoryLocation::CpuToGpu,
    )?;
    for (index, step) in plan.steps.iter().enumerate() {
        if let Some(bytes) = &step.params {
            let at = constant_offset(index) as usize;
            buffer.mapped_mut()[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }
    Ok(buffer)
}

/// Where the block of a step begins among the constant ones.
pub(crate) fn constant_offset(index: usize) -> u64 {
    RANGE_ALIGNMENT * index as u64
}

/// The memory that a step's slots lie in.
pub(crate) struct Bound<'a> {
    /// The buffer of the parameter block, and where it begins.
    pub parameters: (vk::Buffer, u64),
    pub arena: vk::Buffer,
    /// The weights of the model, for a plan that has one.
    pub weights: Option<vk::Buffer>,
    pub images: &'a Bindings,
}

/// Fills a descriptor set that the device does not use.
pub(crate) fn write_set(
    device: &ash::Device,
    set: vk::DescriptorSet,
    step: &Step,
    bound: &Bound<'_>,
) {
    let mut buffers = [vk::DescriptorBufferInfo::default(); MAX_BINDINGS];
    let mut views = [vk::DescriptorImageInfo::default(); MAX_BINDINGS];
    buffers[0] = vk::DescriptorBufferInfo {
        buffer: bound.parameters.0,
        offset: bound.parameters.1,
        range: u64::from(step.pass.block.size),
    };
    for (i, slot) in (1..).zip(&step.slots) {
        match slot {
            Slot::Range(range) | Slot::Weights(range) => {
                let buffer = match slot {
                    Slot::Weights(_) => bound.weights.expect("a plan with weights has a model"),
                    _ => bound.arena,
                };
                buffers[i] = vk::DescriptorBufferInfo {
                    buffer,
                    offset: range.offset,
                    range: range.size,
                };
            }
            Slot::Image(image) => {
                let binding = bound.images[*image as usize];
                views[i] = vk::DescriptorImageInfo {
                    sampler: vk::Sampler::null(),
                    image_view: binding.view,
                    image_layout: binding.layout,
                };
            }
        }
    }
    let mut writes = [vk::WriteDescriptorSet::default(); MAX_BINDINGS];
    let count = 1 + step.slots.len();
    for i in 0..count {
        let kind = match i {
            0 => PARAMETERS,
            _ => descriptor_type(step.pass.bindings[i - 1].kind),
        };
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(i as u32)
            .descriptor_type(kind);
        writes[i] = if matches!(kind, PARAMETERS | vk::DescriptorType::STORAGE_BUFFER) {
            write.buffer_info(&buffers[i..=i])
        } else {
            write.image_info(&views[i..=i])
        };
    }
    // SAFETY: the device has finished with the set, and every pointer lives until the call returns.
    unsafe { device.update_descriptor_sets(&writes[..count], &[]) };
}

/// Records a step with its barrier; `set` was written for it.
pub(crate) fn record_step(
    device: &ash::Device,
    commands: vk::CommandBuffer,
    step: &Step,
    pipeline: &Pipeline,
    set: vk::DescriptorSet,
) {
    let compute = vk::PipelineStageFlags::COMPUTE_SHADER;
    let bind_point = vk::PipelineBindPoint::COMPUTE;
    let [x, y, z] = step.groups;
    // SAFETY: the caller's command buffer is recording outside a render pass; the set fits the pipeline's layout and
    // every descriptor of it was written.
    unsafe {
        if step.barrier_before {
            let memory = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE);
            let flags = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(commands, compute, compute, flags, &[memory], &[], &[]);
        }
        device.cmd_bind_pipeline(commands, bind_point, pipeline.handle);
        device.cmd_bind_descriptor_sets(commands, bind_point, pipeline.layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, x, y, z);
        if pipeline.takes_empty_dispatch() {
            device.cmd_bind_pipeline(commands, bind_point, pipeline.handle);
            device.cmd_dispatch(commands, 0, 0, 0);
        }
    }
}
