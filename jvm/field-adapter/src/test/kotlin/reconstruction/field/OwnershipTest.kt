package reconstruction.field

import field.host.OnSoftwareDrivers
import field.host.Renderer
import field.host.SoftwareDrivers
import field.host.box.Box
import field.host.onRenderer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import reconstruction.InvalidState
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionResult
import java.io.File

class OwnershipTest {
    private fun make(renderer: Renderer, name: String? = null) =
        DlssReconstruction(renderer, SMALL, LARGE, ReconstructionMode.PERFORMANCE, name = name)

    @OnSoftwareDrivers
    fun `closing with work in flight is safe, and twice is once`(driver: String) = onRenderer(driver) { renderer ->
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
    fun `a newer one of the same name goes on with images and history`(driver: String) = onRenderer(driver) { renderer ->
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
    fun `two contexts without names are two`(driver: String) = onRenderer(driver) { renderer ->
        val (a, b) = List(2) { make(renderer) }
        assertTrue(a.output.imageViewArray[0].image != b.output.imageViewArray[0].image)
        a.close()
        assertTrue(b.output.imageViewArray[0].alive)
        b.close()
    }

    private val small = """
        // The page's wiring in small.
        import field.host.Target
        val inputSize = ReconstructionSize(128, 80)
        val neural = DlssReconstruction(renderer, inputSize, ReconstructionSize(256, 160), ReconstructionMode.PERFORMANCE)
        val source = RenderToTexture(renderer) {
            width = 128; height = 80; useDepth = true; colorAttachments = 3
            colorFormats = [VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT]
        }
        val sceneModule = moduleHere { +source; depthTest = true; depthWrite = true; blend = false }
        source += "scene" to sceneModule
        sceneModule.mesh("all") { positions = floatArrayOf(-1f, -1f, .5f, 3f, -1f, .5f, -1f, 3f, .5f) }
        var frameIndex = 0L
        val pass = object : Target {
            override fun render(command: VkCommandBuffer, index: Int) {
                val inputs = ReconstructionInputs(source.imageViewArray[0], source.imageViewArray[1], source.imageViewArray[2])
                neural.evaluate(command, index, source, inputs, ReconstructionFrame(frameIndex, neural.jitter(frameIndex)))
                frameIndex++
            }
        }
        renderer.renderList.preTargets += pass
        neural.output.blitToScreen(name = "finished image")
        bx += "neural" to neural
        _r = frames {
            while (!bx.ended) yield()
            renderer.renderList.preTargets -= pass
            listOf(neural, sceneModule, source).forEach { it.close() }
        }
    """.trimIndent()

    /** On lavapipe device memory is memory of the process, so a context that stays shows there. */
    @Test
    fun `a box run 200 times, memory, handles and threads stay`() = onRenderer(SoftwareDrivers.LAVAPIPE) { renderer ->
        Canvas(renderer, Canvas.EXAMPLES.resolve("page_modules_to_reconstruction")).use { canvas ->
            val box = Box("small")
            box.code = small
            box.vertex = "layout(location=0) in vec3 position;\nvoid main() { gl_Position = vec4(position, 1); }"
            box.fragment = "layout(location=0) out vec4 color;\nlayout(location=1) out float depth;\nlayout(location=2) out vec2 motion;\n" +
                "void main() { color = vec4(1); depth = gl_FragCoord.z; motion = vec2(0); }"
            canvas.runner.find("r_kotlin").connect(box)
            fun run(times: Int) = repeat(times) {
                assertEquals(emptyList<Any>(), canvas.runner.run(box).errors)
                canvas.frames(2)
            }
            run(40)
            val before = Footprint.now(renderer)
            run(160)
            val after = Footprint.now(renderer)
            val neural = box["neural"] as DlssReconstruction
            assertEquals(ReconstructionResult.Reconstructed, neural.lastResult)
            assertEquals(1, renderer.renderList.preTargets.size)
            assertTrue(after.handles <= before.handles, "$before, $after")
            assertEquals(before.allocations, after.allocations)
            assertTrue(after.threads <= before.threads, "$before, $after")
            val growth = after.residentBytes - before.residentBytes
            assertTrue(growth < 160 * neural.deviceBytes / 4, "$before, $after, a context has ${neural.deviceBytes}")
        }
        renderer.frame()
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
