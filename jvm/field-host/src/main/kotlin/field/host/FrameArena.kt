package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkDescriptorPoolCreateInfo
import org.lwjgl.vulkan.VkDescriptorPoolSize
import org.lwjgl.vulkan.VkDescriptorSetAllocateInfo
import org.lwjgl.vulkan.VkDevice
import java.nio.ByteBuffer

/** Uniform slices and descriptor sets of one submission; all of them are given back at once by [reset]. */
internal class FrameArena(
    private val device: VkDevice, private val allocator: Long, private val alignment: Int,
) : AutoCloseable {
    /** [size] bytes at [offset] of [buffer]; [bytes] covers just them, zeroed. */
    class Slice(val buffer: Long, val offset: Long, val size: Int, val bytes: ByteBuffer)

    private val chunks = ArrayList<GpuBuffer>()
    private var chunk = 0
    private var used = 0
    private val pools = ArrayList<Long>()
    private var pool = 0

    fun uniforms(size: Int): Slice {
        if (chunk < chunks.size && used + size > chunks[chunk].size) {
            chunk++
            used = 0
        }
        while (chunk < chunks.size && size > chunks[chunk].size) chunk++
        if (chunk == chunks.size) {
            chunks += GpuBuffer(allocator, maxOf(size, CHUNK_BYTES), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT)
            used = 0
        }
        val buffer = chunks[chunk]
        val offset = used
        used = (used + size + alignment - 1) / alignment * alignment
        val bytes = buffer.bytes.duplicate().order(buffer.bytes.order()).position(offset).limit(offset + size).slice()
        bytes.order(buffer.bytes.order())
        for (at in 0 until size) bytes.put(at, 0)
        return Slice(buffer.vk, offset.toLong(), size, bytes)
    }

    fun descriptorSet(layout: Long): Long {
        while (pool < pools.size) {
            allocate(pools[pool], layout)?.let { return it }
            pool++
        }
        pools += newPool()
        return allocate(pools[pool], layout)
            ?: throw HostException("descriptor pool: expected room for a module's layout, got none in a new pool; use fewer samplers")
    }

    /** Null where the pool has no room left. */
    private fun allocate(from: Long, layout: Long): Long? = stackPush().use { stack ->
        val info = VkDescriptorSetAllocateInfo.calloc(stack).`sType$Default`()
            .descriptorPool(from).pSetLayouts(stack.longs(layout))
        val set = stack.mallocLong(1)
        if (vkAllocateDescriptorSets(device, info, set) == VK_SUCCESS) set[0] else null
    }

    fun reset() {
        chunk = 0
        used = 0
        pool = 0
        pools.forEach { vkResetDescriptorPool(device, it, 0) }
    }

    private fun newPool(): Long = stackPush().use { stack ->
        val sizes = VkDescriptorPoolSize.calloc(2, stack)
        sizes[0].type(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER).descriptorCount(SETS_PER_POOL)
        sizes[1].type(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER).descriptorCount(SETS_PER_POOL * SAMPLERS_PER_SET)
        val info = VkDescriptorPoolCreateInfo.calloc(stack).`sType$Default`()
            .maxSets(SETS_PER_POOL).pPoolSizes(sizes)
        val handle = stack.mallocLong(1)
        expectSuccess(vkCreateDescriptorPool(device, info, null, handle), "vkCreateDescriptorPool")
        handle[0]
    }

    override fun close() {
        pools.forEach { vkDestroyDescriptorPool(device, it, null) }
        chunks.forEach { it.close() }
    }

    private companion object {
        const val CHUNK_BYTES = 256 * 1024
        const val SETS_PER_POOL = 128
        const val SAMPLERS_PER_SET = 16
    }
}
