//! A host, its images, and what its device can do.

use crate::block::Text;
use crate::codes::codes;

crate::block! {
    /// What a host gives once: raw handles and what it enabled.
    pub struct HostBlock {
        /// VkInstance
        pub instance: u64,
        /// VkPhysicalDevice
        pub physical_device: u64,
        /// VkDevice
        pub device: u64,
        /// address of vkGetInstanceProcAddr
        pub get_instance_proc_addr: u64,
        /// family of the queue that runs the recorded commands
        pub queue_family: u32,
        /// frames that the host keeps in flight, 1 to 8
        pub frames_in_flight: u32,
        /// VkApplicationInfo.apiVersion of the instance
        pub api_version: u32,
        /// bits of EnabledFeature
        pub enabled_features: u32,
    }
}

codes! {
    /// Optional device features a host may have enabled; the code is the bit in [`HostBlock::enabled_features`].
    pub enum EnabledFeature {
        /// `shaderInt8`
        ShaderInt8 = 0,
        /// `storageBuffer8BitAccess`
        StorageBuffer8Bit = 1,
        /// `shaderIntegerDotProduct`
        IntegerDotProduct = 2,
        /// `cooperativeMatrix` and `vulkanMemoryModel`
        CooperativeMatrix = 3,
        /// `subgroupSizeControl`
        SubgroupSizeControl = 4,
    }
}

crate::block! {
    /// An image with everything that Vulkan does not tell about a bare handle.
    pub struct ImageBlock {
        /// VkImageView
        pub view: u64,
        /// VkImage
        pub image: u64,
        /// VkDevice that made them
        pub device: u64,
        /// VkFormat of the view
        pub format: u32,
        /// pixels along x of mip 0
        pub width: u32,
        /// pixels along y of mip 0
        pub height: u32,
        /// VkImageUsageFlags of the image
        pub usage: u32,
        /// samples per pixel
        pub samples: u32,
        /// mip levels of the view
        pub mips: u32,
        /// array layers of the view
        pub layers: u32,
        /// VkImageLayout in which the image is given and returned
        pub layout: u32,
    }
}

crate::block! {
    /// Asks whether a feature with a model runs on this device.
    pub struct SupportBlock {
        /// code of Feature
        pub feature: u32,
        /// code of Model
        pub model: u32,
        /// answer: 1 when it runs
        pub is_supported: u32,
        /// answer: name of the device
        pub device_name: Text<256>,
        /// answer: why not
        pub reason: Text<512>,
    }
}

crate::block! {
    /// Asks for a render size; the answer is written behind the question.
    pub struct RecommendBlock {
        /// bits of the double that is the ratio of mode SCALE
        pub scale_bits: u64,
        /// size of the output
        pub output_size: [u32; 2],
        /// index among the named modes, or the code of SCALE
        pub mode: u32,
        /// code of Feature
        pub feature: u32,
        /// code of Model
        pub model: u32,
        /// answer: 1 when a context of the optimal size can be made
        pub is_supported: u32,
        /// answer: recommended render size
        pub optimal: [u32; 2],
        /// answer: smallest legal render size
        pub min: [u32; 2],
        /// answer: largest legal render size
        pub max: [u32; 2],
        /// answer: length of the jitter sequence
        pub jitter_phases: u32,
        /// answer: mip level bias for textures of the source pass
        pub mip_bias: f32,
        /// answer: why not
        pub reason: Text<512>,
    }
}
