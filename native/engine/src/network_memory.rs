//! What a context keeps on the device for its network: the weights, and the parameters that no frame changes.

use crate::error::Result;
use crate::gpu::Gpu;
use crate::memory::Buffer;
use crate::step::{constant_offset, constant_parameters};
use ash::vk;
use gpu_allocator::MemoryLocation;
use reconstruction_core::network::Model as Network;
use reconstruction_core::plan::Plan;
use std::sync::Arc;

/// Weights and constant parameter blocks.
pub(crate) struct NetworkMemory {
    pub weights: Buffer,
    /// Where the weights come from in the context's first frame.
    staging: Buffer,
    constants: Buffer,
    size: u64,
}

impl NetworkMemory {
    pub fn new(gpu: &Arc<Gpu>, network: &Network, plan: &Plan) -> Result<Self> {
        let size = network.weights.size();
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
        let weights = Buffer::new(gpu, "weights", size, usage, MemoryLocation::GpuOnly)?;
        let source = vk::BufferUsageFlags::TRANSFER_SRC;
        let upload = MemoryLocation::CpuToGpu;
        let mut staging = Buffer::new(gpu, "weights on their way", size, source, upload)?;
        let words = network.weights.words().iter();
        for (bytes, word) in staging.mapped_mut().chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Ok(NetworkMemory {
            weights,
            staging,
            constants: constant_parameters(gpu, plan)?,
            size,
        })
    }

    /// Records the copy of the weights.
    pub fn record_upload(&self, device: &ash::Device, commands: vk::CommandBuffer) {
        let copy = vk::BufferCopy::default().size(self.size);
        // SAFETY: both buffers hold this many bytes, and the caller's command buffer is recording outside a render pass.
        unsafe {
            device.cmd_copy_buffer(commands, self.staging.handle, self.weights.handle, &[copy]);
        }
    }

    /// The parameter block of a step that has its own: buffer and offset.
    pub fn parameters(&self, index: usize) -> (vk::Buffer, u64) {
        (self.constants.handle, constant_offset(index))
    }

    /// Bytes of device memory.
    pub fn bytes(&self) -> u64 {
        self.weights.bytes + self.staging.bytes + self.constants.bytes
    }
}
