//! The kernels, and the buffers that they bind.

use super::blocks::MAX_WAITING;
use crate::error::{Error, Result};
use ash::vk;
use reconstruction_host::{Buffer, Host, Location};
use std::collections::BTreeMap;

/// Buffers of a descriptor set: scene, planes, history, paths.
const BINDINGS: u32 = 4;

/// A kernel, by the name of its shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kernel {
    Camera,
    First,
    Trace,
    Second,
    Last,
    Sum,
}

/// What the worlds of a wave have; kernels are compiled without the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Features {
    /// Materials with holes.
    pub has_holes: bool,
    /// Materials with images.
    pub has_images: bool,
}

/// Invocations of a workgroup.
const INVOCATIONS: u32 = 64;
/// Entries of a ray that wait at most: those of both levels, the rest of a leaf, the mark of the level's change, the end.
const WAITING: u32 = 2 * MAX_WAITING + 3;

impl Features {
    /// Everything that a world may have.
    pub const ALL: Features = Features {
        has_holes: true,
        has_images: true,
    };

    /// Those of either.
    pub fn or(self, other: Features) -> Self {
        Features {
            has_holes: self.has_holes || other.has_holes,
            has_images: self.has_images || other.has_images,
        }
    }

    /// Those that make a difference to a kernel.
    fn of(self, kernel: Kernel) -> Self {
        let is_tracing = matches!(kernel, Kernel::Camera | Kernel::Trace);
        Features {
            has_holes: self.has_holes && is_tracing,
            has_images: self.has_images && !is_tracing && kernel != Kernel::Sum,
        }
    }
}

macro_rules! code {
    ($($kernel:ident: $file:literal),* $(,)?) => {
        /// Every kernel with its code.
        const CODE: &[(Kernel, &[u32])] = &[
            $((Kernel::$kernel, include!(concat!(env!("OUT_DIR"), "/", $file, ".spv.rs"))),)*
        ];
    };
}
code! {
    Camera: "camera",
    First: "first",
    Trace: "trace",
    Second: "second",
    Last: "last",
    Sum: "sum",
}

/// The pipelines with their layouts and a pool of sets. Dropped before the host's device, which they keep by a buffer.
pub(crate) struct Pipelines {
    handles: BTreeMap<(Kernel, Features), vk::Pipeline>,
    pub layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    /// The device is a software driver: see the shaders' constants.
    is_on_processor: bool,
    device: ash::Device,
    // A buffer keeps the device alive until the handles here are destroyed.
    _keep: Buffer,
}

fn named<T>(call: &'static str, result: std::result::Result<T, vk::Result>) -> Result<T> {
    result.map_err(|result| Error::Vulkan { call, result })
}

impl Pipelines {
    pub fn new(host: &Host, sets: u32) -> Result<Self> {
        let device = host.device().clone();
        let keep = host.create_buffer(16, vk::BufferUsageFlags::TRANSFER_DST, Location::Device)?;
        let mut pipelines = Pipelines {
            handles: BTreeMap::new(),
            layout: vk::PipelineLayout::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            pool: vk::DescriptorPool::null(),
            is_on_processor: host.info().kind == "software",
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
            pipelines.set_layout = named(
                "vkCreateDescriptorSetLayout",
                device.create_descriptor_set_layout(&layout, None),
            )?;
            pipelines.pool = named(
                "vkCreateDescriptorPool",
                device.create_descriptor_pool(&pool, None),
            )?;
            let layouts = [pipelines.set_layout];
            let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            pipelines.layout = named(
                "vkCreatePipelineLayout",
                device.create_pipeline_layout(&layout, None),
            )?;
        }
        Ok(pipelines)
    }

    /// Compiles the kernels that worlds of these features need and that are not there yet.
    ///
    /// # Errors
    /// The failed call.
    pub fn prepare(&mut self, features: Features) -> Result<()> {
        for (kernel, code) in CODE {
            let features = features.of(*kernel);
            if !self.handles.contains_key(&(*kernel, features)) {
                let handle = self.compile(code, features)?;
                self.handles.insert((*kernel, features), handle);
            }
        }
        Ok(())
    }

    fn compile(&self, code: &[u32], features: Features) -> Result<vk::Pipeline> {
        let device = &self.device;
        // Constants 0 to 3 of the shaders.
        let values = [
            features.has_holes.into(),
            features.has_images.into(),
            self.is_on_processor.into(),
            INVOCATIONS * if self.is_on_processor { WAITING } else { 1 },
        ];
        let bytes: Vec<u8> = values.iter().flat_map(|v: &u32| v.to_ne_bytes()).collect();
        let entries = [0, 1, 2, 3].map(|constant| {
            let entry = vk::SpecializationMapEntry::default().constant_id(constant);
            entry.offset(4 * constant).size(4)
        });
        let constants = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(&bytes);
        let info = vk::ShaderModuleCreateInfo::default().code(code);
        // SAFETY: device and layout are alive, the code was checked when it was built, and drop destroys the pipeline.
        unsafe {
            let module = named(
                "vkCreateShaderModule",
                device.create_shader_module(&info, None),
            )?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main")
                .specialization_info(&constants);
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::DISPATCH_BASE)
                .stage(stage)
                .layout(self.layout);
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            device.destroy_shader_module(module, None);
            let made = made.map_err(|(_, result)| result);
            Ok(named("vkCreateComputePipelines", made)?[0])
        }
    }

    /// A kernel for a wave, whose features were prepared.
    pub fn handle(&self, kernel: Kernel, features: Features) -> vk::Pipeline {
        self.handles[&(kernel, features.of(kernel))]
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

impl Drop for Pipelines {
    fn drop(&mut self) {
        // SAFETY: the kept buffer holds the device; it is made idle first. Null handles are ignored.
        unsafe {
            let _ = self.device.device_wait_idle();
            for handle in self.handles.values() {
                self.device.destroy_pipeline(*handle, None);
            }
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_descriptor_pool(self.pool, None);
            self.device
                .destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
