package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkFormatProperties
import org.lwjgl.vulkan.VkSamplerCreateInfo

/** How a sampler reads between texels. */
enum class Filter { NEAREST, LINEAR }

/** What happens outside 0..1. */
enum class Wrap { CLAMP, REPEAT }

/** The few samplers that modules share, made on first use and kept for the renderer's life. */
internal class Samplers(private val renderer: Renderer) : AutoCloseable {
    private data class Key(val filter: Filter, val wrap: Wrap, val mipBias: Float)

    private val made = HashMap<Key, Long>()
    private val linearFormats = HashMap<Int, Boolean>()

    /** [Filter.LINEAR] becomes nearest where the device cannot filter the view's format. */
    fun get(view: ImageView, filter: Filter, wrap: Wrap, mipBias: Float): Long {
        val possible = if (filter == Filter.LINEAR && canFilter(view.format)) Filter.LINEAR else Filter.NEAREST
        return made.getOrPut(Key(possible, wrap, mipBias)) { create(possible, wrap, mipBias) }
    }

    private fun canFilter(format: Int): Boolean = linearFormats.getOrPut(format) {
        VkFormatProperties.calloc().use { properties ->
            vkGetPhysicalDeviceFormatProperties(renderer.physicalDevice, format, properties)
            properties.optimalTilingFeatures() and VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT != 0
        }
    }

    private fun create(filter: Filter, wrap: Wrap, mipBias: Float): Long = stackPush().use { stack ->
        val vkFilter = if (filter == Filter.LINEAR) VK_FILTER_LINEAR else VK_FILTER_NEAREST
        val mipmap = if (filter == Filter.LINEAR) VK_SAMPLER_MIPMAP_MODE_LINEAR else VK_SAMPLER_MIPMAP_MODE_NEAREST
        val address = if (wrap == Wrap.REPEAT) VK_SAMPLER_ADDRESS_MODE_REPEAT else VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE
        val info = VkSamplerCreateInfo.calloc(stack).`sType$Default`()
            .magFilter(vkFilter).minFilter(vkFilter).mipmapMode(mipmap)
            .addressModeU(address).addressModeV(address).addressModeW(address)
            .mipLodBias(mipBias).maxLod(VK_LOD_CLAMP_NONE)
        val handle = stack.mallocLong(1)
        expectSuccess(vkCreateSampler(renderer.device, info, null, handle), "vkCreateSampler")
        handle[0]
    }

    override fun close() {
        made.values.forEach { vkDestroySampler(renderer.device, it, null) }
    }
}
