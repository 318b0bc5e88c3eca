package reconstruction.bench

import org.lwjgl.vulkan.VK10.vkEndCommandBuffer
import reconstruction.ReconstructionResult
import reconstruction.vulkan.ScratchCommands
import reconstruction.vulkan.SoftwareDriver
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
            ScratchCommands(scene.device).use { commands ->
                LongArray(WARM_UP + CALLS) { index ->
                    val frame = scene.frame(neural, index)
                    val hostFrame = index + 1L
                    commands.begin()
                    val start = System.nanoTime()
                    val result = neural.evaluate(commands.command, scene.inputs, frame, hostFrame, hostFrame - 1)
                    val end = System.nanoTime()
                    check(result == ReconstructionResult.Reconstructed) { result }
                    ok(vkEndCommandBuffer(commands.command))
                    end - start
                }
            }
        }
        val sorted = nanoseconds.drop(WARM_UP).sorted()
        fun microseconds(share: Double) = "%.1f us".format(Locale.ROOT, sorted[(share * CALLS).toInt()] / 1e3)
        println("evaluate on $driver, $CALLS calls: median ${microseconds(0.5)}, 99th percentile ${microseconds(0.99)}")
    }
}
