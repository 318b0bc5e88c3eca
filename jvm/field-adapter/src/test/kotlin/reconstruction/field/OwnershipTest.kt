package reconstruction.field

import field.host.Renderer
import field.host.SoftwareDrivers
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import reconstruction.InvalidState
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionResult
import reconstruction.ReconstructionSize
import java.io.File

class OwnershipTest {
    private fun make(renderer: Renderer, name: String? = null) =
        DlssReconstruction(renderer, SMALL, LARGE, ReconstructionMode.PERFORMANCE, name = name)

    @OnSoftwareDrivers
    fun `closing with work in flight is safe, and twice is once`(driver: String) = withRenderer(driver) { renderer ->
        val scene = TestScene(renderer, SMALL)
        repeat(4) {
            val neural = make(renderer)
            neural.output.blitToScreen("finished image")
            repeat(3) { i -> renderer.inFrame { command, index -> scene.evaluate(neural, command, index, i) } }
            renderer.inFrame { command, index ->
                scene.evaluate(neural, command, index, 3)
                neural.close() // recorded, not submitted yet
            }
            neural.close()
            assertFalse(neural.output.imageViewArray[0].alive)
            assertTrue(neural.isClosed)
            val error = assertThrows<InvalidState> { neural.reset("late") }
            assertTrue("closed" in error.message!!, error.message)
        }
        scene.close()
    }

    @OnSoftwareDrivers
    fun `a newer one of the same name goes on with images and history`(driver: String) = withRenderer(driver) { renderer ->
        val scene = TestScene(renderer, SMALL)
        val first = make(renderer, "main view")
        repeat(4) { i -> renderer.inFrame { command, index -> scene.evaluate(first, command, index, i) } }
        val second = make(renderer, "main view")
        assertNotSame(first, second)
        assertEquals(first.output.imageViewArray[0].image, second.output.imageViewArray[0].image)
        val error = assertThrows<InvalidState> { renderer.inFrame { command, index -> scene.evaluate(first, command, index, 4) } }
        assertTrue("main view" in error.message!! && "newer" in error.message!!, error.message)
        first.close()
        assertTrue(second.output.imageViewArray[0].alive)
        renderer.frame()
        renderer.inFrame { command, index -> assertEquals(ReconstructionResult.Reconstructed, scene.evaluate(second, command, index, 4)) }
        second.close()
        scene.close()
    }

    @OnSoftwareDrivers
    fun `two contexts without names are two`(driver: String) = withRenderer(driver) { renderer ->
        val (a, b) = List(2) { make(renderer) }
        assertTrue(a.output.imageViewArray[0].image != b.output.imageViewArray[0].image)
        a.close()
        assertTrue(b.output.imageViewArray[0].alive)
        b.close()
    }

    /** On lavapipe device memory is memory of the process, so a context that stays shows there. */
    @Test
    fun `made and closed 200 times, memory, handles and threads stay`() = withRenderer(SoftwareDrivers.LAVAPIPE) { renderer ->
        val input = ReconstructionSize(128, 80)
        var bytes = 0L
        fun once() {
            val neural = DlssReconstruction(renderer, input, ReconstructionSize(256, 160), ReconstructionMode.PERFORMANCE)
            val scene = TestScene(renderer, input)
            neural.output.blitToScreen("finished image")
            repeat(2) { i -> renderer.inFrame { command, index -> scene.evaluate(neural, command, index, i) } }
            bytes = neural.deviceBytes
            neural.close()
            scene.close()
        }
        repeat(40) { once() }
        val before = Footprint.now(renderer)
        repeat(160) { once() }
        val after = Footprint.now(renderer)
        assertEquals(before.handles, after.handles)
        assertEquals(before.allocations, after.allocations)
        assertTrue(after.threads <= before.threads, "$before, $after")
        assertTrue(after.residentBytes - before.residentBytes < 160 * bytes / 4, "$before, $after, a context has $bytes")
    }

    private data class Footprint(val residentBytes: Long, val handles: Int, val threads: Int, val allocations: Int) {
        companion object {
            fun now(renderer: Renderer): Footprint {
                renderer.waitIdle()
                System.gc()
                val status = File("/proc/self/status").readLines()
                fun number(key: String) = status.first { it.startsWith(key) }.filter(Char::isDigit).toLong()
                return Footprint(
                    number("VmRSS:") * 1024, File("/proc/self/fd").list()!!.size, number("Threads:").toInt(), renderer.allocations,
                )
            }
        }
    }
}
