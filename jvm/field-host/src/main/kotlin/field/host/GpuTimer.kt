package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.MemoryUtil.memAllocLong
import org.lwjgl.system.MemoryUtil.memFree
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkDevice
import org.lwjgl.vulkan.VkQueryPoolCreateInfo

/** Timestamps around named spans of one frame slot, read only after that frame has finished, so nothing waits for them. */
internal class GpuTimer(private val device: VkDevice, private val timestamps: Timestamps) : AutoCloseable {
    private val names = ArrayList<String>()
    private val pool: Long = if (timestamps.bits == 0) 0L else stackPush().use { stack ->
        val info = VkQueryPoolCreateInfo.calloc(stack).`sType$Default`()
            .queryType(VK_QUERY_TYPE_TIMESTAMP).queryCount(2 * MAX_SPANS)
        val handle = stack.mallocLong(1)
        expectSuccess(vkCreateQueryPool(device, info, null, handle), "vkCreateQueryPool")
        handle[0]
    }

    fun begin(command: VkCommandBuffer) {
        names.clear()
        if (pool != 0L) vkCmdResetQueryPool(command, pool, 0, 2 * MAX_SPANS)
    }

    /** Spans beyond the first [MAX_SPANS] of a frame are recorded untimed. */
    fun span(command: VkCommandBuffer, name: String, work: () -> Unit) {
        if (pool == 0L || names.size == MAX_SPANS) return work()
        val first = 2 * names.size
        names += name
        vkCmdWriteTimestamp(command, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, first)
        try {
            work()
        } finally {
            vkCmdWriteTimestamp(command, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, first + 1)
        }
    }

    /** Milliseconds by name, spans of one name added up; the frame must have finished. */
    fun read(): Map<String, Double> {
        if (names.isEmpty()) return emptyMap()
        val ticks = memAllocLong(2 * names.size)
        try {
            val result = vkGetQueryPoolResults(device, pool, 0, 2 * names.size, ticks, 8L, VK_QUERY_RESULT_64_BIT)
            if (result != VK_SUCCESS) return emptyMap()
            val milliseconds = LinkedHashMap<String, Double>()
            names.forEachIndexed { at, name ->
                // The counter may have wrapped between the two.
                val span = (ticks[2 * at + 1] - ticks[2 * at]) shl 64 - timestamps.bits ushr 64 - timestamps.bits
                milliseconds[name] = (milliseconds[name] ?: 0.0) + span * timestamps.nanoseconds.toDouble() * 1e-6
            }
            return milliseconds
        } finally {
            memFree(ticks)
        }
    }

    override fun close() {
        if (pool != 0L) vkDestroyQueryPool(device, pool, null)
    }

    private companion object {
        const val MAX_SPANS = 64
    }
}
