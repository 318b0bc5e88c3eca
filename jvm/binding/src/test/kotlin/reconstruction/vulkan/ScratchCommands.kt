package reconstruction.vulkan

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT
import org.lwjgl.vulkan.VK10.vkAllocateCommandBuffers
import org.lwjgl.vulkan.VK10.vkBeginCommandBuffer
import org.lwjgl.vulkan.VK10.vkCreateCommandPool
import org.lwjgl.vulkan.VK10.vkDestroyCommandPool
import org.lwjgl.vulkan.VK10.vkResetCommandBuffer
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkCommandBufferAllocateInfo
import org.lwjgl.vulkan.VkCommandBufferBeginInfo
import org.lwjgl.vulkan.VkCommandPoolCreateInfo
import reconstruction.vulkan.TestDevice.Companion.ok

/** A command buffer with a pool of its own, recorded again and again; whether it is ever submitted is the caller's affair. */
class ScratchCommands(private val host: TestDevice) : AutoCloseable {
    private val pool: Long
    val command: VkCommandBuffer

    init {
        stackPush().use { stack ->
            val handle = stack.mallocLong(1)
            val info = VkCommandPoolCreateInfo.calloc(stack).`sType$Default`()
                .flags(VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT).queueFamilyIndex(host.queueFamily)
            ok(vkCreateCommandPool(host.device, info, null, handle))
            pool = handle[0]
            val pointer = stack.mallocPointer(1)
            val allocation = VkCommandBufferAllocateInfo.calloc(stack).`sType$Default`().commandPool(pool).commandBufferCount(1)
            ok(vkAllocateCommandBuffers(host.device, allocation, pointer))
            command = VkCommandBuffer(pointer[0], host.device)
        }
    }

    /** Begins [command]; what it held is forgotten. */
    fun begin() = stackPush().use { stack ->
        ok(vkResetCommandBuffer(command, 0))
        ok(vkBeginCommandBuffer(command, VkCommandBufferBeginInfo.calloc(stack).`sType$Default`()))
    }

    override fun close() = vkDestroyCommandPool(host.device, pool, null)
}
