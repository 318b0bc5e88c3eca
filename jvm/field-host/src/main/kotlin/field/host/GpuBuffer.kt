package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.MemoryUtil.memByteBuffer
import org.lwjgl.util.vma.Vma.*
import org.lwjgl.util.vma.VmaAllocationCreateInfo
import org.lwjgl.util.vma.VmaAllocationInfo
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkBufferCreateInfo
import java.nio.ByteBuffer

/** A host-visible, coherent, permanently mapped buffer. */
internal class GpuBuffer(private val allocator: Long, val size: Int, usage: Int, readBack: Boolean = false) :
    AutoCloseable {
    val vk: Long
    private val allocation: Long
    val bytes: ByteBuffer

    init {
        val (buffer, memory, mapped) = stackPush().use { stack ->
            val info = VkBufferCreateInfo.calloc(stack).`sType$Default`()
                .size(size.toLong()).usage(usage).sharingMode(VK_SHARING_MODE_EXCLUSIVE)
            val access = if (readBack) VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT
            else VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT
            val memory = VmaAllocationCreateInfo.calloc(stack)
                .usage(VMA_MEMORY_USAGE_AUTO)
                .flags(access or VMA_ALLOCATION_CREATE_MAPPED_BIT)
                .requiredFlags(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT or VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
            val handle = stack.mallocLong(1)
            val allocated = stack.mallocPointer(1)
            val details = VmaAllocationInfo.calloc(stack)
            expectSuccess(
                vmaCreateBuffer(allocator, info, memory, handle, allocated, details), "buffer of $size bytes",
            )
            Triple(handle[0], allocated[0], details.pMappedData())
        }
        vk = buffer
        allocation = memory
        bytes = memByteBuffer(mapped, size)
    }

    override fun close() {
        vmaDestroyBuffer(allocator, vk, allocation)
    }
}
