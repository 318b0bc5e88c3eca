package reconstruction.bench

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT
import org.lwjgl.vulkan.VK10.vkAllocateCommandBuffers
import org.lwjgl.vulkan.VK10.vkBeginCommandBuffer
import org.lwjgl.vulkan.VK10.vkCreateCommandPool
import org.lwjgl.vulkan.VK10.vkDestroyCommandPool
import org.lwjgl.vulkan.VK10.vkEndCommandBuffer
import org.lwjgl.vulkan.VK10.vkResetCommandBuffer
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkCommandBufferAllocateInfo
import org.lwjgl.vulkan.VkCommandBufferBeginInfo
import org.lwjgl.vulkan.VkCommandPoolCreateInfo
import reconstruction.ReconstructionResult
import reconstruction.vulkan.SoftwareDriver
import reconstruction.vulkan.TestDevice
import reconstruction.vulkan.TestDevice.Companion.ok
import reconstruction.vulkan.TestScene
import java.util.Locale

private const val WARM_UP = 1_000
private const val CALLS = 10_000

/**
 * How long one `evaluate` takes the caller: packing, JNI, checks and the driver's own recording. Nothing is submitted,
 * so the device has always finished the frame before. Passes are timed on the device, as is the default; sizes do not
 * matter. A software driver may be named: LAVAPIPE (default) or SWIFTSHADER.
 */
fun main(arguments: Array<String>) {
    val driver = SoftwareDriver.valueOf(arguments.firstOrNull() ?: "LAVAPIPE")
    TestScene(driver, isValidated = false).use { scene ->
        val nanoseconds = scene.context().use { neural ->
            Recorder(scene.device).use { recorder ->
                LongArray(WARM_UP + CALLS) { index ->
                    val frame = scene.frame(neural, index)
                    val hostFrame = index + 1L
                    recorder.record { command ->
                        val start = System.nanoTime()
                        val result = neural.evaluate(command, scene.inputs, frame, hostFrame, hostFrame - 1)
                        val end = System.nanoTime()
                        check(result == ReconstructionResult.Reconstructed) { result }
                        end - start
                    }
                }
            }
        }
        val sorted = nanoseconds.drop(WARM_UP).sorted()
        fun microseconds(share: Double) = "%.1f us".format(Locale.ROOT, sorted[(share * CALLS).toInt()] / 1e3)
        println("evaluate on $driver, $CALLS calls: median ${microseconds(0.5)}, 99th percentile ${microseconds(0.99)}")
    }
}

/** A command buffer that is begun, filled and forgotten. */
private class Recorder(private val host: TestDevice) : AutoCloseable {
    private val pool: Long
    private val command: VkCommandBuffer
    private val beginning = VkCommandBufferBeginInfo.calloc().`sType$Default`()

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

    fun <T> record(block: (VkCommandBuffer) -> T): T {
        ok(vkBeginCommandBuffer(command, beginning))
        val result = block(command)
        ok(vkEndCommandBuffer(command))
        ok(vkResetCommandBuffer(command, 0))
        return result
    }

    override fun close() {
        vkDestroyCommandPool(host.device, pool, null)
        beginning.free()
    }
}
