package reconstruction

import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.lwjgl.vulkan.VK10.VK_FORMAT_R16G16B16A16_SFLOAT
import reconstruction.vulkan.ScratchCommands
import reconstruction.vulkan.SoftwareDriver
import reconstruction.vulkan.TestScene
import reconstruction.vulkan.read
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong

private const val FRAMES = 24
private const val CALLS = 200

/** Two threads on one device. A host takes one call at a time and lets others wait; two hosts do not wait for each other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ThreadsTest(driver: SoftwareDriver) {
    private val scene = TestScene(driver)
    private val otherHost = scene.device.run { VulkanHost(instance, physicalDevice, device, queueFamily) }
    private val otherColor = scene.image(
        VK_FORMAT_R16G16B16A16_SFLOAT,
        TestScene.halves(scene.inputSize) { x, y -> if ((x / 4 + y / 8) % 2 == 0) 2.0f else 0.5f },
    )
    private val otherInputs = ReconstructionInputs(otherColor.view(), scene.depth.view(), scene.motion.view())

    @AfterAll
    fun `nothing for the validation layer to say`() {
        otherHost.close()
        scene.close()
        assertEquals(emptyList<String>(), scene.device.messages)
    }

    private fun context(host: VulkanHost) =
        DlssReconstruction(host, scene.inputSize, scene.outputSize, ReconstructionMode.PERFORMANCE)

    /** Runs both at once and gives their answers; what one throws is thrown. */
    private fun <T> together(first: () -> T, second: () -> T): List<T> {
        val threads = Executors.newFixedThreadPool(2)
        try {
            return listOf(first, second).map { threads.submit(it) }.map { it.get(2, TimeUnit.MINUTES) }
        } finally {
            threads.shutdownNow()
        }
    }

    /** Makes a view and shows it [FRAMES] frames in command buffers of its own; [begin] is called before each step. */
    private fun picture(host: VulkanHost, inputs: ReconstructionInputs, begin: () -> Unit): ShortArray {
        begin()
        context(host).use { neural ->
            ScratchCommands(scene.device).use { commands ->
                for (index in 0 until FRAMES) {
                    commands.begin()
                    begin()
                    val frame = scene.frame(neural, index)
                    val result = neural.evaluate(commands.command, inputs, frame, index + 1, index)
                    assertSame(ReconstructionResult.Reconstructed, result)
                    scene.device.finish(commands.command)
                    neural.timings()
                }
            }
            begin()
            return synchronized(scene) { scene.device.read(neural.output) }
        }
    }

    private fun recordTogether(hosts: List<VulkanHost>) {
        val inputs = listOf(scene.inputs, otherInputs)
        val alone = inputs.map { picture(scene.host, it) {} }
        assertFalse(alone[0].contentEquals(alone[1]))
        repeat(3) {
            val barrier = CyclicBarrier(2)
            val begin: () -> Unit = { barrier.await(1, TimeUnit.MINUTES) }
            val both = together({ picture(hosts[0], inputs[0], begin) }, { picture(hosts[1], inputs[1], begin) })
            for (i in 0..1) assertTrue(alone[i].contentEquals(both[i]), "view $i")
        }
    }

    @Test
    fun `two threads that record two views of one host get the pictures of one thread`() {
        recordTogether(listOf(scene.host, scene.host))
    }

    @Test
    fun `two threads with a host each on one device get the pictures of one thread`() {
        recordTogether(listOf(scene.host, otherHost))
    }

    @Test
    fun `two threads that record one view take turns, and a frame that comes too late is refused`() {
        val numbers = AtomicLong()
        val reconstructed = AtomicInteger()
        context(scene.host).use { neural ->
            val calls = {
                ScratchCommands(scene.device).use { commands ->
                    repeat(CALLS) {
                        commands.begin()
                        val number = numbers.incrementAndGet()
                        try {
                            val frame = scene.frame(neural, number)
                            neural.evaluate(commands.command, scene.inputs, frame, number, number - 1)
                            reconstructed.incrementAndGet()
                        } catch (late: InvalidInput) {
                            assertTrue(late.message!!.startsWith("hostFrame: expected "), late.message)
                        }
                    }
                }
            }
            together(calls, calls)
            // A frame is only refused when a newer one was recorded instead. None is ever submitted.
            assertTrue(reconstructed.get() >= CALLS, "${reconstructed.get()} of ${2 * CALLS}")
        }
    }

    @Test
    fun `a view that another thread closes answers so, and the other views go on`() {
        val goesOn = context(scene.host)
        repeat(20) { round ->
            val closing = context(scene.host)
            val begun = CountDownLatch(1)
            val record = {
                ScratchCommands(scene.device).use { commands ->
                    val error = assertThrows(InvalidState::class.java) {
                        for (number in 1L..1_000_000L) {
                            commands.begin()
                            val frame = scene.frame(closing, number)
                            closing.evaluate(commands.command, scene.inputs, frame, number, number - 1)
                            if (number == 1L + round % 5) begun.countDown()
                        }
                    }
                    assertTrue(error.message!!.startsWith("DlssReconstruction: expected an open context"), error.message)
                }
            }
            together(record) {
                assertTrue(begun.await(1, TimeUnit.MINUTES))
                closing.close()
            }
        }
        assertSame(ReconstructionResult.Reconstructed, scene.evaluate(goesOn, scene.frame(goesOn, 0)))
        goesOn.close()
    }
}

class LavapipeThreadsTest : ThreadsTest(SoftwareDriver.LAVAPIPE)

class SwiftShaderThreadsTest : ThreadsTest(SoftwareDriver.SWIFTSHADER)
