//! Everything of a context that lives on the device. Dropping it frees all of it, also when half of it was made.

use crate::device::Device;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::memory::{Buffer, Image};
use crate::network_memory::NetworkMemory;
use crate::pipeline::{descriptor_type, Pipeline, PARAMETERS};
use crate::program::{PlanKind, Program};
use crate::record::Bindings;
use crate::step::{write_set, Bound};
use ash::vk;
use gpu_allocator::MemoryLocation;
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::frame_plans::FramePlans;
use reconstruction_core::network::Model as Network;
use reconstruction_core::pass::Pass;
use reconstruction_core::plan::{Step, RANGE_ALIGNMENT};
use reconstruction_core::{Size, Sizes};
use std::sync::Arc;

/// Bytes of a slot in the ring buffers: one parameter block, one set of counters.
pub(crate) const SLOT_BYTES: u64 = RANGE_ALIGNMENT;
const _: () = assert!(FrameParams::SIZE as u64 <= SLOT_BYTES);

pub(crate) struct Resources {
    pub program: Program,
    pub arena: Buffer,
    pub output: Image,
    /// The debug picture, or one pixel that stands in for it.
    pub debug: Image,
    /// What a network keeps on the device, where there is one.
    pub network: Option<NetworkMemory>,
    /// A parameter block for each slot.
    pub parameters: Buffer,
    /// Copied counters of each slot.
    pub readback: Buffer,
    pub sets: Sets,
    pub queries: Option<Queries>,
}

impl Resources {
    pub fn new(
        device: &Device,
        sizes: &Sizes,
        has_debug: bool,
        slots: usize,
        network: Option<&Network>,
    ) -> Result<Self> {
        let gpu = &device.gpu;
        let program = Program::new(
            device,
            FramePlans::new(*sizes, network, device.network_path()),
        )?;
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let ring = SLOT_BYTES * slots as u64;
        let picture = vk::ImageUsageFlags::STORAGE
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let debug_size = if has_debug {
            sizes.output
        } else {
            Size::new(1, 1)
        };
        let resources = Resources {
            arena: Buffer::new(
                gpu,
                "arena",
                program.plans.arena.size(),
                usage,
                MemoryLocation::GpuOnly,
            )?,
            output: Image::new(gpu, "output image", sizes.output, picture)?,
            debug: Image::new(gpu, "debug image", debug_size, picture)?,
            network: network
                .map(|network| NetworkMemory::new(gpu, network, &program.plans.reconstruct[0]))
                .transpose()?,
            parameters: Buffer::new(
                gpu,
                "parameter ring",
                ring,
                vk::BufferUsageFlags::UNIFORM_BUFFER,
                MemoryLocation::CpuToGpu,
            )?,
            readback: Buffer::new(
                gpu,
                "readback ring",
                ring,
                vk::BufferUsageFlags::TRANSFER_DST,
                MemoryLocation::GpuToCpu,
            )?,
            sets: Sets::new(gpu, &program.sets(), slots)?,
            queries: Queries::new(gpu, &program, slots)?,
            program,
        };
        resources.write_constant_sets(&gpu.device, slots);
        Ok(resources)
    }

    /// Writes the descriptor sets that no frame changes.
    fn write_constant_sets(&self, device: &ash::Device, slots: usize) {
        let kind = PlanKind::Reconstruct;
        let (steps, plan) = (self.program.steps(kind), self.program.plan(kind, 0));
        let no_images = Bindings::default();
        for (index, step) in plan.steps.iter().enumerate() {
            for slot in (0..slots).filter(|_| steps.is_constant[index]) {
                let set = self.sets.get(slot, steps.first_set + index);
                let bound = self.bound(step, index, slot, &no_images);
                write_set(device, set, step, &bound);
            }
        }
    }

    /// The memory of step `index` of a plan in a slot of the ring.
    pub fn bound<'a>(
        &self,
        step: &Step,
        index: usize,
        slot: usize,
        images: &'a Bindings,
    ) -> Bound<'a> {
        let network = self.network.as_ref();
        let own = network.filter(|_| step.params.is_some());
        let of_frame = (self.parameters.handle, slot as u64 * SLOT_BYTES);
        Bound {
            parameters: own.map_or(of_frame, |network| network.parameters(index)),
            arena: self.arena.handle,
            weights: network.map(|network| network.weights.handle),
            images,
        }
    }

    /// Bytes of device memory.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes
            + self.output.bytes
            + self.debug.bytes
            + self.parameters.bytes
            + self.readback.bytes
            + self.network.as_ref().map_or(0, NetworkMemory::bytes)
    }
}

/// The descriptor sets of every slot.
pub(crate) struct Sets {
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    per_slot: usize,
    gpu: Arc<Gpu>,
}

impl Sets {
    /// `slots` times a set for each of the passes.
    pub fn new(gpu: &Arc<Gpu>, passes: &[(&Pass, &Pipeline)], slots: usize) -> Result<Self> {
        let kinds = [
            PARAMETERS,
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::SAMPLED_IMAGE,
            vk::DescriptorType::STORAGE_IMAGE,
        ];
        let mut counts = [0u32; 4];
        for (pass, _) in passes {
            counts[0] += 1;
            for binding in pass.bindings {
                let kind = descriptor_type(binding.kind);
                counts[kinds
                    .iter()
                    .position(|&k| k == kind)
                    .expect("a kind of a pass")] += 1;
            }
        }
        let pool_sizes: Vec<_> = kinds
            .iter()
            .zip(counts)
            .filter(|(_, count)| *count > 0)
            .map(|(&kind, count)| vk::DescriptorPoolSize {
                ty: kind,
                descriptor_count: count * slots as u32,
            })
            .collect();
        let layouts: Vec<_> = passes.iter().map(|(_, p)| p.set_layout).collect();
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets((layouts.len() * slots) as u32)
            .pool_sizes(&pool_sizes);
        // SAFETY: the host guarantees the device.
        let pool = unsafe { gpu.device.create_descriptor_pool(&info, None) }
            .map_err(|e| gpu.error("vkCreateDescriptorPool", e))?;
        let mut sets = Sets {
            pool,
            sets: Vec::new(),
            per_slot: layouts.len(),
            gpu: gpu.clone(),
        };
        let layouts = layouts.repeat(slots);
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        // SAFETY: the pool has room for exactly these sets.
        sets.sets = unsafe { gpu.device.allocate_descriptor_sets(&info) }
            .map_err(|e| gpu.error("vkAllocateDescriptorSets", e))?;
        Ok(sets)
    }

    /// A set of a slot; `index` counts the steps of all plans.
    pub fn get(&self, slot: usize, index: usize) -> vk::DescriptorSet {
        self.sets[slot * self.per_slot + index]
    }
}

impl Drop for Sets {
    fn drop(&mut self) {
        // SAFETY: the device has finished with the context.
        unsafe { self.gpu.device.destroy_descriptor_pool(self.pool, None) };
    }
}

/// Timestamps of every slot.
pub(crate) struct Queries {
    pub pool: vk::QueryPool,
    pub per_slot: u32,
    gpu: Arc<Gpu>,
}

impl Queries {
    /// None where the queue has no timestamps.
    fn new(gpu: &Arc<Gpu>, program: &Program, slots: usize) -> Result<Option<Self>> {
        if gpu.capabilities.timestamp_bits == 0 {
            return Ok(None);
        }
        let per_slot = 1 + program.pipelines().count() as u32;
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(per_slot * slots as u32);
        // SAFETY: the host guarantees the device.
        let pool = unsafe { gpu.device.create_query_pool(&info, None) }
            .map_err(|e| gpu.error("vkCreateQueryPool", e))?;
        Ok(Some(Queries {
            pool,
            per_slot,
            gpu: gpu.clone(),
        }))
    }
}

impl Drop for Queries {
    fn drop(&mut self) {
        // SAFETY: the device has finished with the context.
        unsafe { self.gpu.device.destroy_query_pool(self.pool, None) };
    }
}
