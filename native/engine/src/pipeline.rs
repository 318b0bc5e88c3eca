//! The pipeline of a pass, shared by every context of a device.

use crate::error::{Error, Reason, Result};
use crate::gpu::Gpu;
use ash::vk;
use reconstruction_core::pass::{BindingKind, Pass};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;

/// Most bindings of a pass, the parameter block included.
pub(crate) const MAX_BINDINGS: usize = 16;

/// How a pass reads its parameter block: through constant memory, where the device has one.
pub(crate) const PARAMETERS: vk::DescriptorType = vk::DescriptorType::UNIFORM_BUFFER;

pub(crate) struct Pipeline {
    pub set_layout: vk::DescriptorSetLayout,
    pub layout: vk::PipelineLayout,
    pub handle: vk::Pipeline,
    /// Whether an empty dispatch is still to be recorded; see [`Pipeline::takes_empty_dispatch`].
    wants_empty_dispatch: AtomicBool,
    gpu: Arc<Gpu>,
}

impl Pipeline {
    /// # Errors
    /// When the library holds no shader of this pass, or a call failed.
    pub fn new(gpu: &Arc<Gpu>, pass: &Pass) -> Result<Self> {
        let shader = reconstruction_shaders::shader(pass).ok_or_else(|| missing_shader(pass))?;
        let mut pipeline = Pipeline {
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            handle: vk::Pipeline::null(),
            wants_empty_dispatch: AtomicBool::new(gpu.capabilities.is_processor),
            gpu: gpu.clone(),
        };
        let kinds = std::iter::once(PARAMETERS)
            .chain(pass.bindings.iter().map(|b| descriptor_type(b.kind)));
        let bindings: Vec<_> = (0..)
            .zip(kinds)
            .map(|(binding, kind)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        assert!(bindings.len() <= MAX_BINDINGS, "bindings of {}", pass.name);
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let device = &gpu.device;
        // SAFETY: the host guarantees the device; what is made here is destroyed with the pipeline.
        unsafe {
            pipeline.set_layout = device
                .create_descriptor_set_layout(&info, None)
                .map_err(|e| gpu.error("vkCreateDescriptorSetLayout", e))?;
            let layouts = [pipeline.set_layout];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            pipeline.layout = device
                .create_pipeline_layout(&info, None)
                .map_err(|e| gpu.error("vkCreatePipelineLayout", e))?;
            let info = vk::ShaderModuleCreateInfo::default().code(shader.spirv);
            let module = device
                .create_shader_module(&info, None)
                .map_err(|e| gpu.error("vkCreateShaderModule", e))?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default()
                .stage(stage)
                .layout(pipeline.layout);
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            device.destroy_shader_module(module, None);
            pipeline.handle = made
                .map_err(|(_, e)| gpu.error("vkCreateComputePipelines", e))?
                .into_iter()
                .next()
                .unwrap_or_default();
        }
        Ok(pipeline)
    }

    /// True once, on a processor: after its first dispatch the pipeline is to be bound again for one of no workgroups.
    ///
    /// lavapipe before Mesa 23 writes uniform values into a copy of the shader at every bind, and frees no copy before
    /// the pipeline goes: 0.6 to 4 MB a frame. It stops for good where a bind brings no new values and a dispatch
    /// follows.
    pub fn takes_empty_dispatch(&self) -> bool {
        self.wants_empty_dispatch.load(Relaxed) && self.wants_empty_dispatch.swap(false, Relaxed)
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let device = &self.gpu.device;
        // SAFETY: the device has finished with every context; null handles are ignored.
        unsafe {
            device.destroy_pipeline(self.handle, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

pub(crate) fn descriptor_type(kind: BindingKind) -> vk::DescriptorType {
    match kind {
        BindingKind::Input(_) | BindingKind::Output(_) | BindingKind::Atomic(_) => {
            vk::DescriptorType::STORAGE_BUFFER
        }
        BindingKind::Sampled => vk::DescriptorType::SAMPLED_IMAGE,
        BindingKind::Storage => vk::DescriptorType::STORAGE_IMAGE,
    }
}

pub(crate) fn missing_shader(pass: &Pass) -> Error {
    Reason::new(
        "model",
        format_args!("the shader {}/{}", pass.area, pass.name),
        "none in this build",
        "build the library from a complete source tree",
    )
    .into()
}
