package reconstruction

import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import reconstruction.internal.FaultCode
import reconstruction.internal.NativeContext
import reconstruction.internal.NativeLibrary
import reconstruction.internal.Natives
import reconstruction.internal.blockBuffer
import reconstruction.vulkan.SoftwareDriver
import reconstruction.vulkan.TestScene
import java.nio.ByteBuffer

/** What becomes of faults inside the native library, and of handles that no longer name anything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultTest {
    private val scene = TestScene(SoftwareDriver.LAVAPIPE)
    private val natives: Natives = NativeLibrary.shared

    /** The test may look at the handle where the library does not show it. */
    private fun handle(neural: DlssReconstruction): Long {
        val field = DlssReconstruction::class.java.getDeclaredField("context").apply { isAccessible = true }
        return (field.get(neural) as NativeContext).handle
    }

    @AfterAll
    fun close() {
        scene.close()
        assertEquals(emptyList<String>(), scene.device.messages)
    }

    @Test
    fun `every fault has its exception`() {
        val classes = mapOf(
            FaultCode.UNSUPPORTED_DEVICE to UnsupportedDevice::class.java,
            FaultCode.INVALID_INPUT to InvalidInput::class.java,
            FaultCode.INVALID_STATE to InvalidState::class.java,
            FaultCode.OUT_OF_DEVICE_MEMORY to OutOfDeviceMemory::class.java,
            FaultCode.DEVICE_LOST to DeviceLost::class.java,
            FaultCode.INTERNAL_FAULT to InternalFault::class.java,
        )
        for ((code, expected) in classes) {
            val error = assertThrows(ReconstructionException::class.java) { natives.fault(code, 0) }
            assertEquals(expected, error.javaClass)
            assertEquals("fault $code: thrown on purpose; nothing to do", error.message)
        }
        natives.fault(FaultCode.NONE, 0)
    }

    @Test
    fun `a panic breaks one context and the JVM goes on`() {
        val broken = scene.context(name = "broken")
        val whole = scene.context()
        val panic = assertThrows(InternalFault::class.java) { natives.fault(99, handle(broken)) }
        assertTrue(panic.message!!.contains("fault 99: panicked on purpose, at native/jni/src/natives.rs:"), panic.message)
        val later = assertThrows(InternalFault::class.java) { scene.evaluate(broken, scene.frame(broken, 0)) }
        assertEquals(
            "context: expected a whole object, got one broken by an earlier internal fault; close it and create a new one",
            later.message,
        )
        assertEquals(ReconstructionResult.Reconstructed, scene.evaluate(whole, scene.frame(whole, 0)))
        val next = scene.context(name = "broken")
        assertEquals(ReconstructionResult.Reconstructed, scene.evaluate(next, scene.frame(next, 0)))
        broken.close()
        next.close()
        whole.close()
    }

    @Test
    fun `a stale handle never names a newer context`() {
        val old = scene.context()
        val stale = handle(old)
        old.close()
        val newer = List(20) { scene.context() }
        assertTrue(newer.none { handle(it) == stale })
        val buffer = blockBuffer(4096)
        val calls = listOf<(Long) -> Unit>(
            { natives.contextEvaluate(it, buffer) },
            { natives.contextQuery(it, 0, buffer) },
            { natives.contextClose(it) },
            { natives.contextCreate(it, buffer) },
            { natives.hostCollect(it, 1) },
            { natives.hostClose(it) },
            { natives.support(it, buffer) },
            { natives.recommend(it, buffer) },
        )
        for (wrong in listOf(stale, 0L, -1L, Long.MIN_VALUE)) {
            for (call in calls) {
                val error = assertThrows(InvalidState::class.java) { call(wrong) }
                assertTrue(error.message!!.contains("which is closed or never was"), error.message)
            }
        }
        newer.forEach { it.close() }
    }

    @Test
    fun `a buffer that is short or not direct is refused`() {
        val short = assertThrows(InvalidInput::class.java) { natives.hostCreate(blockBuffer(47)) }
        assertEquals(
            "buffer: expected a direct one of at least 48 bytes, got 47 bytes; use the classes of this jar",
            short.message,
        )
        val heap = assertThrows(InvalidInput::class.java) { natives.hostCreate(ByteBuffer.allocate(48)) }
        assertEquals(
            "buffer: expected a direct one of at least 48 bytes, got one that is not direct; use the classes of this jar",
            heap.message,
        )
    }

    @Test
    fun `a host of null handles is refused by name`() {
        val error = assertThrows(InvalidInput::class.java) { natives.hostCreate(blockBuffer(48)) }
        assertTrue(error.message!!.contains("expected"), error.message)
    }

    @Test
    fun `the validation layer is heard`() {
        val driver = TestScene(SoftwareDriver.LAVAPIPE)
        val neural = driver.context()
        // Declared GENERAL, resting in SHADER_READ_ONLY_OPTIMAL: only the layer can see this.
        val lying = driver.color.view(org.lwjgl.vulkan.VK10.VK_IMAGE_LAYOUT_GENERAL)
        driver.evaluate(neural, driver.frame(neural, 0), ReconstructionInputs(lying, driver.inputs.depth, driver.inputs.motion))
        neural.close()
        driver.close()
        assertTrue(driver.device.messages.any { "layout" in it }, driver.device.messages.toString())
    }
}
