//! Commands of a frame: barriers, dispatches, timestamps. Nothing here allocates or fails.

use crate::memory::Image;
use crate::program::PlanKind;
use crate::resources::{Resources, SLOT_BYTES};
use crate::step::{record_step, write_set};
use ash::vk;
use reconstruction_core::plan::{ImageSlot, Range};

/// A view in the layout in which a pass meets it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Binding {
    pub view: vk::ImageView,
    pub layout: vk::ImageLayout,
}

/// The images of a frame by [`ImageSlot`].
pub(crate) type Bindings = [Binding; 6];

/// Where commands go.
#[derive(Clone, Copy)]
pub(crate) struct Recorder<'a> {
    pub device: &'a ash::Device,
    pub commands: vk::CommandBuffer,
    pub resources: &'a Resources,
    /// The ring slot whose parameters, sets and queries the commands use.
    pub slot: usize,
    pub is_timed: bool,
}

const READ: vk::ImageLayout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
const WRITE: vk::ImageLayout = vk::ImageLayout::GENERAL;

impl Recorder<'_> {
    /// Makes everything earlier visible to the passes and brings the pictures into the layout for writing. In a
    /// context's first frame the pictures become black and the arena zero.
    pub fn begin(&self, is_first: bool) {
        let work = vk::AccessFlags::SHADER_READ
            | vk::AccessFlags::SHADER_WRITE
            | vk::AccessFlags::TRANSFER_READ
            | vk::AccessFlags::TRANSFER_WRITE;
        let stages = vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER;
        let from = if is_first {
            vk::ImageLayout::UNDEFINED
        } else {
            READ
        };
        self.barrier(
            vk::PipelineStageFlags::ALL_COMMANDS,
            stages,
            vk::AccessFlags::MEMORY_WRITE,
            work,
            Some((from, WRITE)),
        );
        if !is_first {
            return;
        }
        let black = vk::ClearColorValue {
            float32: [0.0, 0.0, 0.0, 1.0],
        };
        // SAFETY: the context's own objects, in the layout of the barrier above.
        unsafe {
            for picture in [&self.resources.output, &self.resources.debug] {
                self.device.cmd_clear_color_image(
                    self.commands,
                    picture.handle,
                    WRITE,
                    &black,
                    &[Image::RANGE],
                );
            }
            self.device.cmd_fill_buffer(
                self.commands,
                self.resources.arena.handle,
                0,
                vk::WHOLE_SIZE,
                0,
            );
        }
        if let Some(network) = &self.resources.network {
            network.record_upload(self.device, self.commands);
        }
        self.barrier(
            vk::PipelineStageFlags::TRANSFER,
            stages,
            vk::AccessFlags::TRANSFER_WRITE,
            work,
            None,
        );
    }

    /// Returns the pictures to the layout for reading, visible to every later command; later commands also wait
    /// until the inputs were read.
    pub fn end(&self) {
        self.barrier(
            vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
            vk::PipelineStageFlags::ALL_COMMANDS,
            vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE,
            vk::AccessFlags::SHADER_READ | vk::AccessFlags::TRANSFER_READ,
            Some((WRITE, READ)),
        );
    }

    /// Empties the slot's timestamps and writes the first.
    pub fn begin_timing(&self) {
        if let (true, Some(queries)) = (self.is_timed, &self.resources.queries) {
            let first = self.slot as u32 * queries.per_slot;
            // SAFETY: the slot's own queries, and the device has finished with the slot.
            unsafe {
                self.device.cmd_reset_query_pool(
                    self.commands,
                    queries.pool,
                    first,
                    queries.per_slot,
                );
            }
            self.timestamp(0);
        }
    }

    /// Every step of a plan.
    pub fn plan(&self, kind: PlanKind, parity: usize, images: &Bindings) {
        for index in 0..self.resources.program.steps(kind).pipelines.len() {
            self.step(kind, parity, index, images);
            if kind != PlanKind::Statistics {
                self.timestamp(1 + index as u32);
            }
        }
    }

    /// One step of a plan, with its barrier.
    pub fn step(&self, kind: PlanKind, parity: usize, index: usize, images: &Bindings) {
        let steps = self.resources.program.steps(kind);
        let step = &self.resources.program.plan(kind, parity).steps[index];
        let pipeline = &steps.pipelines[index];
        let set = self.resources.sets.get(self.slot, steps.first_set + index);
        if !steps.is_constant[index] {
            let bound = self.resources.bound(step, index, self.slot, images);
            write_set(self.device, set, step, &bound);
        }
        record_step(self.device, self.commands, step, pipeline, set);
    }

    /// Counts what the inputs hold and copies the counters to the slot's place in the readback ring.
    pub fn statistics(&self, images: &Bindings) {
        let Range { offset, size } = self.resources.program.plans.statistics_range;
        let (compute, transfer) = (
            vk::PipelineStageFlags::COMPUTE_SHADER,
            vk::PipelineStageFlags::TRANSFER,
        );
        let both = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
        let arena = self.resources.arena.handle;
        // SAFETY: the range lies inside the arena; `begin` has waited for its earlier uses.
        unsafe {
            self.device
                .cmd_fill_buffer(self.commands, arena, offset, size, 0);
        }
        let written = vk::AccessFlags::TRANSFER_WRITE;
        self.barrier(transfer, compute, written, both, None);
        self.plan(PlanKind::Statistics, 0, images);
        let read = vk::AccessFlags::TRANSFER_READ;
        self.barrier(compute, transfer, vk::AccessFlags::SHADER_WRITE, read, None);
        let copy = vk::BufferCopy {
            src_offset: offset,
            dst_offset: self.slot as u64 * SLOT_BYTES,
            size,
        };
        // SAFETY: both ranges lie inside their buffers; the device has finished with the slot.
        unsafe {
            self.device.cmd_copy_buffer(
                self.commands,
                arena,
                self.resources.readback.handle,
                &[copy],
            );
        }
        self.barrier(
            transfer,
            vk::PipelineStageFlags::HOST,
            written,
            vk::AccessFlags::HOST_READ,
            None,
        );
    }

    fn timestamp(&self, index: u32) {
        if let (true, Some(queries)) = (self.is_timed, &self.resources.queries) {
            // SAFETY: the slot's own query, emptied by `begin_timing`.
            unsafe {
                self.device.cmd_write_timestamp(
                    self.commands,
                    vk::PipelineStageFlags::BOTTOM_OF_PIPE,
                    queries.pool,
                    self.slot as u32 * queries.per_slot + index,
                );
            }
        }
    }

    /// A barrier over all memory, and over the layouts of the pictures where given.
    fn barrier(
        &self,
        from: vk::PipelineStageFlags,
        to: vk::PipelineStageFlags,
        written: vk::AccessFlags,
        used: vk::AccessFlags,
        layouts: Option<(vk::ImageLayout, vk::ImageLayout)>,
    ) {
        let memory = vk::MemoryBarrier::default()
            .src_access_mask(written)
            .dst_access_mask(used);
        let (old, new) = layouts.unwrap_or_default();
        let pictures = [&self.resources.output, &self.resources.debug].map(|picture| {
            vk::ImageMemoryBarrier::default()
                .src_access_mask(written)
                .dst_access_mask(used)
                .old_layout(old)
                .new_layout(new)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(picture.handle)
                .subresource_range(Image::RANGE)
        });
        let pictures: &[_] = if layouts.is_some() { &pictures } else { &[] };
        // SAFETY: the caller of evaluate guarantees a recording command buffer outside a render pass.
        unsafe {
            self.device.cmd_pipeline_barrier(
                self.commands,
                from,
                to,
                vk::DependencyFlags::empty(),
                &[memory],
                &[],
                pictures,
            );
        }
    }
}

/// The images of a frame: its inputs, and this context's pictures for writing.
pub(crate) fn bindings(frame: &crate::Frame<'_>, resources: &Resources) -> Bindings {
    let input = |desc: &crate::ImageDesc| Binding {
        view: desc.view,
        layout: desc.layout,
    };
    let picture = |image: &Image| Binding {
        view: image.view,
        layout: WRITE,
    };
    let color = input(&frame.color);
    let mut all = [color; 6];
    all[ImageSlot::Depth as usize] = frame.depth.as_ref().map_or(color, input);
    all[ImageSlot::Motion as usize] = frame.motion.as_ref().map_or(color, input);
    if let crate::Exposure::Texture(texture) = &frame.exposure {
        all[ImageSlot::Exposure as usize] = input(texture);
    }
    all[ImageSlot::Output as usize] = picture(&resources.output);
    all[ImageSlot::Debug as usize] = picture(&resources.debug);
    all
}
