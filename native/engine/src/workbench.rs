//! Steps without a context: a plan over an arena and weights of its own, for tests and for checking stages.

use crate::device::Device;
use crate::error::Result;
use crate::memory::Buffer;
use crate::pipeline::Pipeline;
use crate::record::Bindings;
use crate::resources::Sets;
use crate::step::{constant_offset, constant_parameters, record_step, write_set, Bound};
use ash::vk;
use gpu_allocator::MemoryLocation;
use reconstruction_core::plan::Plan;
use std::sync::Arc;

/// A plan whose steps all have parameters of their own and touch no image, with its memory on a device.
///
/// Whoever drops it knows that the device has finished with it.
pub struct Workbench {
    plan: Plan,
    pipelines: Vec<Arc<Pipeline>>,
    sets: Sets,
    arena: Buffer,
    weights: Buffer,
    _parameters: Buffer,
    device: Arc<Device>,
}

impl Workbench {
    /// Makes the memory, whose contents are undefined, and the pipelines.
    ///
    /// # Errors
    /// When the device lacks the memory, or a call failed.
    ///
    /// # Panics
    /// When a step has no parameters of its own, or an image.
    pub fn new(
        device: &Arc<Device>,
        plan: Plan,
        arena_bytes: u64,
        weights_bytes: u64,
    ) -> Result<Self> {
        let gpu = &device.gpu;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let on_device = MemoryLocation::GpuOnly;
        let arena = Buffer::new(gpu, "arena", arena_bytes, usage, on_device)?;
        let weights = Buffer::new(gpu, "weights", weights_bytes, usage, on_device)?;
        let is_constant = plan.steps.iter().all(|step| step.params.is_some());
        assert!(is_constant, "every step has parameters of its own");
        let parameters = constant_parameters(gpu, &plan)?;
        let pipelines = (plan.steps.iter())
            .map(|step| device.pipeline(step.pass))
            .collect::<Result<Vec<_>>>()?;
        let passes: Vec<_> = (plan.steps.iter().map(|step| step.pass))
            .zip(pipelines.iter().map(|pipeline| &**pipeline))
            .collect();
        let sets = Sets::new(gpu, &passes, 1)?;
        for (index, step) in plan.steps.iter().enumerate() {
            let bound = Bound {
                parameters: (parameters.handle, constant_offset(index)),
                arena: arena.handle,
                weights: Some(weights.handle),
                images: &Bindings::default(),
            };
            write_set(&gpu.device, sets.get(0, index), step, &bound);
        }
        Ok(Workbench {
            plan,
            pipelines,
            sets,
            arena,
            weights,
            _parameters: parameters,
            device: device.clone(),
        })
    }

    /// The arena, to be copied from and to.
    pub fn arena(&self) -> vk::Buffer {
        self.arena.handle
    }

    /// The weights, to be copied to.
    pub fn weights(&self) -> vk::Buffer {
        self.weights.handle
    }

    /// The steps.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records one step, with its barrier.
    ///
    /// # Safety
    /// `commands` is a command buffer of the device in the recording state, outside a render pass. Arena and weights
    /// hold what the step reads, and copies to them are visible to it.
    pub unsafe fn record_step(&self, commands: vk::CommandBuffer, index: usize) {
        record_step(
            &self.device.gpu.device,
            commands,
            &self.plan.steps[index],
            &self.pipelines[index],
            self.sets.get(0, index),
        );
    }
}
