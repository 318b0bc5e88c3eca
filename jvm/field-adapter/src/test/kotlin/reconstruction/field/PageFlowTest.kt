package reconstruction.field

import field.host.FixedSources
import field.host.Module
import field.host.OnSoftwareDrivers
import field.host.RenderToTexture
import field.host.Renderer
import field.host.onRenderer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import reconstruction.Bypass
import reconstruction.DebugView
import reconstruction.ReconstructionFrame
import reconstruction.ReconstructionInputs
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionResult
import reconstruction.ReconstructionSize
import kotlin.math.abs

class PageFlowTest {
    private fun small(renderer: Renderer) = DlssReconstruction(renderer, SMALL, LARGE, ReconstructionMode.PERFORMANCE)

    @OnSoftwareDrivers
    fun `source, reconstruction, screen and another module follow each other in one frame`(driver: String) =
        onRenderer(driver) { renderer ->
            val outputSize = LARGE
            val advice = DlssReconstruction.recommend(renderer, outputSize, ReconstructionMode.PERFORMANCE)
            assertNull(advice.reason)
            assertEquals(SMALL, advice.optimal)
            val neural = small(renderer)
            val scene = TestScene(renderer, SMALL)
            neural.output.blitToScreen(name = "finished image")
            val copy = RenderToTexture(renderer) { width = 96; height = 64 }
            val module = Module(renderer, FixedSources("copy", COPY_VERTEX, COPY_FRAGMENT))
            module.mesh("all") { vertexCount = 3 }
            module.fromViews("finished") { neural.output.imageViewArray[0] }
            copy += "copy" to module
            repeat(20) { i ->
                val result = renderer.inFrame { command, index ->
                    scene.evaluate(neural, command, index, i).also { copy.render(command, index) }
                }
                assertEquals(ReconstructionResult.Reconstructed, result)
            }
            val output = renderer.readback(neural.output.imageViewArray[0])
            assertEquals(listOf(0.25f, 0.25f, 0.25f), output.pixel(2, 2).take(3).map { it })
            // The middle of stripes 0 and 1 right of the centre, each 8 output pixels wide a period: 4 and 4.
            val stripes = (0 until 96).map { output[it, 32, 0] }
            assertTrue(stripes.max() > 0.95f && stripes.slice(20..70).min() < 0.15f, stripes.toString())
            assertEquals(output.values.toList(), renderer.readback(copy.imageViewArray[0]).values.toList())
            val shown = renderer.screen.pixels()
            assertTrue(abs(shown[2, 2, 0] - 0.4845f) < 0.004f, "0.25 / 1.25 in sRGB, got ${shown[2, 2, 0]}")
            assertTrue(neural.toString().contains("48x32 to 96x64 PERFORMANCE, frame 19"), neural.toString())
            assertEquals(0L, neural.lastReset!!.frame)
            listOf(module, copy, scene, neural).forEach { it.close() }
        }

    @OnSoftwareDrivers
    fun `a sampled D32F depth attachment guides as well as an R32F colour attachment`(driver: String) =
        onRenderer(driver) { renderer ->
            val pictures = listOf(false, true).map { isAttachment ->
                val scene = TestScene(renderer, SMALL)
                val neural = small(renderer)
                repeat(6) { i ->
                    val views = scene.source.imageViewArray
                    val depth = if (isAttachment) scene.source.depthView!! else views[1]
                    val inputs = ReconstructionInputs(views[0], depth, views[2])
                    renderer.inFrame { command, index -> scene.evaluate(neural, command, index, i, inputs = inputs) }
                }
                renderer.readback(neural.output.imageViewArray[0]).values.toList().also {
                    neural.close()
                    scene.close()
                }
            }
            assertEquals(pictures[0], pictures[1])
        }

    @OnSoftwareDrivers
    fun `two views in one command buffer give what each gives alone`(driver: String) = onRenderer(driver) { renderer ->
        val scene = TestScene(renderer, SMALL)
        fun pictures(views: Int): List<List<Float>> {
            val contexts = List(views) { small(renderer) }
            repeat(5) { i ->
                renderer.inFrame { command, index ->
                    contexts.first().let { scene.evaluate(it, command, index, i) }
                    val frame = ReconstructionFrame(i, scene.jitter)
                    contexts.drop(1).forEach { it.evaluate(command, scene.inputs, frame) }
                }
            }
            return contexts.map { context ->
                renderer.readback(context.output.imageViewArray[0]).values.toList().also { context.close() }
            }
        }
        val alone = pictures(1).single()
        assertEquals(listOf(alone, alone), pictures(2))
        scene.close()
    }

    @OnSoftwareDrivers
    fun `bypass shows the source enlarged without jitter, and its end resets`(driver: String) = onRenderer(driver) { renderer ->
        val scene = TestScene(renderer, SMALL)
        val neural = small(renderer)
        neural.debugView = DebugView.INPUTS
        fun frame(i: Int) = renderer.inFrame { command, index -> scene.evaluate(neural, command, index, i) }
        repeat(3) { frame(it) }
        assertNotEquals(0f, scene.jitter.x)
        neural.bypass = Bypass.ENLARGED
        assertTrue(frame(3) is ReconstructionResult.Bypassed)
        assertEquals(0f, scene.jitter.x)
        val source = renderer.readback(scene.source.imageViewArray[0])
        val enlarged = renderer.readback(neural.output.imageViewArray[0])
        assertEquals(source.pixel(3, 3).toList(), enlarged.pixel(6, 6).toList())
        neural.bypass = Bypass.OFF
        assertEquals(ReconstructionResult.Reconstructed, frame(4))
        assertEquals("frame 4: bypass ended", neural.lastReset.toString())
        assertEquals(96 to 64, neural.debugOutput!!.let { it.width to it.height })
        scene.close()
        neural.close()
    }

    @OnSoftwareDrivers
    fun `DLAA recommends the output size exactly and reconstructs at it`(driver: String) = onRenderer(driver) { renderer ->
        val odd = ReconstructionSize(77, 65)
        assertEquals(odd, DlssReconstruction.recommend(renderer, odd, ReconstructionMode.DLAA).optimal)
        val scene = TestScene(renderer, odd)
        val neural = DlssReconstruction(renderer, odd, odd, ReconstructionMode.DLAA)
        repeat(3) { i -> renderer.inFrame { command, index -> scene.evaluate(neural, command, index, i) } }
        assertEquals(ReconstructionResult.Reconstructed, neural.lastResult)
        scene.close()
        neural.close()
    }

    private companion object {
        const val COPY_VERTEX = "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1); }"
        const val COPY_FRAGMENT = "uniform sampler2D finished;\nout vec4 color;\n" +
            "void main() { color = texelFetch(finished, ivec2(gl_FragCoord.xy), 0); }"
    }
}
