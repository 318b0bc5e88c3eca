//! The one pipeline, and the buffers that a dispatch binds.

use crate::error::{Error, Result};
use ash::vk;
use reconstruction_host::{Buffer, Host, Location};

/// Buffers of a descriptor set: scene, planes, history.
const BINDINGS: u32 = 3;

static LIGHT: &[u32] = include!(concat!(env!("OUT_DIR"), "/light.spv.rs"));

/// The pipeline with its layouts and a pool of sets. Dropped before the host's device, which it keeps by its buffers.
pub(crate) struct Pipeline {
    pub handle: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    device: ash::Device,
    // A buffer keeps the device alive until the handles here are destroyed.
    _keep: Buffer,
}

fn named<T>(call: &'static str, result: std::result::Result<T, vk::Result>) -> Result<T> {
    result.map_err(|result| Error::Vulkan { call, result })
}

impl Pipeline {
    pub fn new(host: &Host, sets: u32) -> Result<Self> {
        let device = host.device().clone();
        let keep = host.create_buffer(16, vk::BufferUsageFlags::TRANSFER_DST, Location::Device)?;
        let mut pipeline = Pipeline {
            handle: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            pool: vk::DescriptorPool::null(),
            device: device.clone(),
            _keep: keep,
        };
        let bindings: Vec<_> = (0..BINDINGS)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let sizes = [vk::DescriptorPoolSize {
            ty: vk::DescriptorType::STORAGE_BUFFER,
            descriptor_count: BINDINGS * sets,
        }];
        let layout = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let pool = vk::DescriptorPoolCreateInfo::default()
            .max_sets(sets)
            .pool_sizes(&sizes);
        // SAFETY: the device is alive, every pointer lives until its call returns, and drop destroys what is made.
        unsafe {
            pipeline.set_layout = named(
                "vkCreateDescriptorSetLayout",
                device.create_descriptor_set_layout(&layout, None),
            )?;
            pipeline.pool = named(
                "vkCreateDescriptorPool",
                device.create_descriptor_pool(&pool, None),
            )?;
            let layouts = [pipeline.set_layout];
            let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            pipeline.layout = named(
                "vkCreatePipelineLayout",
                device.create_pipeline_layout(&layout, None),
            )?;
            let code = vk::ShaderModuleCreateInfo::default().code(LIGHT);
            let module = named(
                "vkCreateShaderModule",
                device.create_shader_module(&code, None),
            )?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::DISPATCH_BASE)
                .stage(stage)
                .layout(pipeline.layout);
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            device.destroy_shader_module(module, None);
            pipeline.handle = named(
                "vkCreateComputePipelines",
                made.map_err(|(_, result)| result),
            )?[0];
        }
        Ok(pipeline)
    }

    /// A set for the buffers of one submission.
    pub fn new_set(&self) -> Result<vk::DescriptorSet> {
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts);
        // SAFETY: the pool has room for one set a submission in flight.
        let sets = named("vkAllocateDescriptorSets", unsafe {
            self.device.allocate_descriptor_sets(&info)
        })?;
        Ok(sets[0])
    }

    /// Points a set, which no submission in flight uses, at its buffers.
    pub fn bind(&self, set: vk::DescriptorSet, buffers: [&Buffer; BINDINGS as usize]) {
        let infos = buffers.map(|buffer| {
            [vk::DescriptorBufferInfo::default()
                .buffer(buffer.handle)
                .range(vk::WHOLE_SIZE)]
        });
        let writes: Vec<_> = (infos.iter().zip(0..))
            .map(|(info, binding)| {
                vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(info)
            })
            .collect();
        // SAFETY: set and buffers are alive, and the set is not in use.
        unsafe { self.device.update_descriptor_sets(&writes, &[]) };
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: the kept buffer holds the device; it is made idle first. Null handles are ignored.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_pipeline(self.handle, None);
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_descriptor_pool(self.pool, None);
            self.device
                .destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
