package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkCommandBufferAllocateInfo
import org.lwjgl.vulkan.VkCommandBufferBeginInfo
import org.lwjgl.vulkan.VkCommandPoolCreateInfo
import org.lwjgl.vulkan.VkFenceCreateInfo
import org.lwjgl.vulkan.VkSubmitInfo

/** One reusable command buffer with its fence, its arena and its timer: a frame slot, or the slot for immediate work. */
internal class Submission(private val renderer: Renderer, timestamps: Timestamps) : AutoCloseable {
    private val device = renderer.device
    private val pool: Long
    private val fence: Long
    val command: VkCommandBuffer
    val arena = FrameArena(device, renderer.allocator, renderer.uniformAlignment)
    val timer = GpuTimer(device, timestamps)

    /** Serial number of the last submission, 0 before the first; [frame] is the frame it drew, 0 for immediate work. */
    var serial = 0L
    var frame = 0L
    private var pending = false

    init {
        stackPush().use { stack ->
            val handle = stack.mallocLong(1)
            val poolInfo = VkCommandPoolCreateInfo.calloc(stack).`sType$Default`().queueFamilyIndex(renderer.queueFamily)
            expectSuccess(vkCreateCommandPool(device, poolInfo, null, handle), "vkCreateCommandPool")
            pool = handle[0]
            val info = VkCommandBufferAllocateInfo.calloc(stack).`sType$Default`()
                .commandPool(pool).level(VK_COMMAND_BUFFER_LEVEL_PRIMARY).commandBufferCount(1)
            val buffer = stack.mallocPointer(1)
            expectSuccess(vkAllocateCommandBuffers(device, info, buffer), "vkAllocateCommandBuffers")
            command = VkCommandBuffer(buffer[0], device)
            expectSuccess(
                vkCreateFence(device, VkFenceCreateInfo.calloc(stack).`sType$Default`(), null, handle), "vkCreateFence",
            )
            fence = handle[0]
        }
    }

    fun begin() {
        check(!pending)
        expectSuccess(vkResetCommandPool(device, pool, 0), "vkResetCommandPool")
        arena.reset()
        stackPush().use { stack ->
            val info = VkCommandBufferBeginInfo.calloc(stack).`sType$Default`()
                .flags(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)
            expectSuccess(vkBeginCommandBuffer(command, info), "vkBeginCommandBuffer")
        }
        renderer.commands.began(command)
        timer.begin(command)
    }

    /** Ends and submits; [wait] and [signal] are semaphores, 0 for none. */
    fun submit(wait: Long, signal: Long) {
        renderer.commands.ended(command)
        expectSuccess(vkEndCommandBuffer(command), "vkEndCommandBuffer")
        stackPush().use { stack ->
            val info = VkSubmitInfo.calloc(stack).`sType$Default`().pCommandBuffers(stack.pointers(command))
            if (wait != 0L) {
                info.waitSemaphoreCount(1).pWaitSemaphores(stack.longs(wait))
                    .pWaitDstStageMask(stack.ints(VK_PIPELINE_STAGE_TRANSFER_BIT))
            }
            if (signal != 0L) info.pSignalSemaphores(stack.longs(signal))
            expectSuccess(vkQueueSubmit(renderer.queue, info, fence), "vkQueueSubmit")
        }
        pending = true
    }

    fun isFinished(): Boolean {
        if (pending && vkGetFenceStatus(device, fence) == VK_SUCCESS) finished()
        return !pending
    }

    fun await() {
        if (!pending) return
        expectSuccess(vkWaitForFences(device, fence, true, Long.MAX_VALUE), "vkWaitForFences")
        finished()
    }

    private fun finished() {
        pending = false
        expectSuccess(vkResetFences(device, fence), "vkResetFences")
    }

    override fun close() {
        timer.close()
        arena.close()
        vkDestroyFence(device, fence, null)
        vkDestroyCommandPool(device, pool, null)
    }
}
