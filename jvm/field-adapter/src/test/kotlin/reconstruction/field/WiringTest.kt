package reconstruction.field

import field.host.DeviceLostException
import field.host.OnSoftwareDrivers
import field.host.RenderToTexture
import field.host.Renderer
import field.host.onRenderer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.assertThrows
import org.lwjgl.vulkan.VK10.VK_FORMAT_R16G16B16A16_SFLOAT
import org.lwjgl.vulkan.VK10.VK_FORMAT_R8G8B8A8_UNORM
import org.lwjgl.vulkan.VK10.vkDeviceWaitIdle
import org.lwjgl.vulkan.VkCommandBuffer
import reconstruction.DeviceLost
import reconstruction.InvalidInput
import reconstruction.InvalidState
import reconstruction.ReconstructionException
import reconstruction.ReconstructionFrame
import reconstruction.ReconstructionInputs
import reconstruction.ReconstructionJitter
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionModel
import reconstruction.ReconstructionResult
import reconstruction.ReconstructionSize
import reconstruction.UnsupportedDevice

class WiringTest {
    /** Each fault throws its line, is kept, and the next good frame goes on. */
    private fun refuses(driver: String, line: String, fault: (Renderer, TestScene, DlssReconstruction, VkCommandBuffer, Int) -> Unit) =
        onRenderer(driver) { renderer ->
            val scene = TestScene(renderer, SMALL)
            val neural = DlssReconstruction(renderer, SMALL, LARGE, ReconstructionMode.PERFORMANCE)
            renderer.inFrame { command, index -> scene.evaluate(neural, command, index, 0) }
            val thrown = assertThrows<ReconstructionException> {
                renderer.inFrame { command, index -> fault(renderer, scene, neural, command, index) }
            }
            assertTrue(Regex(line).containsMatchIn(thrown.message!!), thrown.message)
            assertTrue(thrown.message!!.all { it.code in 32..126 }, thrown.message)
            assertEquals(thrown, neural.lastError)
            assertTrue(thrown.message!! in neural.toString(), neural.toString())
            renderer.inFrame { command, index ->
                assertEquals(ReconstructionResult.Reconstructed, scene.evaluate(neural, command, index, 1))
            }
            scene.close()
            neural.close()
        }

    @OnSoftwareDrivers
    fun `a source that the render list draws too is refused`(driver: String) =
        refuses(driver, "^source: expected a target that evaluate alone renders, .*preTargets -= source") { renderer, scene, neural, command, index ->
            renderer.renderList.preTargets += scene.source
            try {
                scene.evaluate(neural, command, index, 1)
            } finally {
                renderer.renderList.preTargets -= scene.source
            }
        }

    @OnSoftwareDrivers
    fun `a command buffer inside a render pass is refused`(driver: String) =
        refuses(driver, "^command: expected one outside a render pass") { renderer, scene, neural, command, index ->
            val other = RenderToTexture(renderer) { width = 16; height = 16 }
            other.drawWith("evaluate") { neural.evaluate(it, scene.inputs, ReconstructionFrame(1, ReconstructionJitter.ZERO)) }
            try {
                other.render(command, index)
            } finally {
                other.close()
            }
        }

    @OnSoftwareDrivers
    fun `a command buffer that is not recording is refused`(driver: String) {
        var earlier: VkCommandBuffer? = null
        refuses(driver, "^command: expected a command buffer of this renderer that is recording") { renderer, scene, neural, command, _ ->
            renderer.immediately { immediate, _ -> earlier = immediate }
            assertTrue(renderer.isRecording(command))
            neural.evaluate(earlier!!, scene.inputs, ReconstructionFrame(1, ReconstructionJitter.ZERO))
        }
    }

    @OnSoftwareDrivers
    fun `images of an old size are refused with both sizes`(driver: String) =
        refuses(driver, "48x32.*64x43|64x43.*48x32") { renderer, _, neural, command, index ->
            val old = TestScene(renderer, ReconstructionSize(64, 43))
            try {
                old.evaluate(neural, command, index, 1)
            } finally {
                old.close()
            }
        }

    private fun attachment(renderer: Renderer, format: Int) = RenderToTexture(renderer) {
        width = SMALL.width
        height = SMALL.height
        colorFormats = listOf(format)
    }

    @OnSoftwareDrivers
    fun `an image of another format is refused by name`(driver: String) =
        refuses(driver, "^motion.format: .*R8G8B8A8_UNORM") { renderer, scene, neural, command, index ->
            val other = attachment(renderer, VK_FORMAT_R8G8B8A8_UNORM)
            val views = scene.source.imageViewArray
            try {
                scene.evaluate(neural, command, index, 1, inputs = ReconstructionInputs(views[0], views[1], other.imageViewArray[0]))
            } finally {
                other.close()
            }
        }

    @OnSoftwareDrivers
    fun `an image that its target has closed is refused`(driver: String) =
        refuses(driver, "^color") { renderer, scene, neural, command, index ->
            val gone = attachment(renderer, VK_FORMAT_R16G16B16A16_SFLOAT)
            gone.close()
            val views = scene.source.imageViewArray
            scene.evaluate(neural, command, index, 1, inputs = ReconstructionInputs(gone.imageViewArray[0], views[1], views[2]))
        }

    @OnSoftwareDrivers
    fun `sizes, modes and Ray Reconstruction are refused before anything is made`(driver: String) = onRenderer(driver) { renderer ->
        val before = renderer.allocations
        val almost = assertThrows<InvalidInput> {
            DlssReconstruction(renderer, ReconstructionSize(95, 64), LARGE, ReconstructionMode.DLAA)
        }
        assertTrue("95x64" in almost.message!! && "96x64" in almost.message!!, almost.message)
        assertThrows<InvalidInput> { DlssReconstruction(renderer, ReconstructionSize(21, 21), LARGE, ReconstructionMode.QUALITY) }
        val reason = assertThrows<UnsupportedDevice> {
            DlssReconstruction(renderer, LARGE, LARGE, ReconstructionMode.DLAA, rayReconstruction = true)
        }.message
        val support = DlssReconstruction.support(renderer)
        assertTrue(support.superResolution.isSupported)
        assertEquals(reason, (support.rayReconstruction as reconstruction.Support.Unsupported).reason)
        assertEquals(before, renderer.allocations)
    }

    @OnSoftwareDrivers
    fun `a lost device and a closed context say so`(driver: String) {
        val renderer = Renderer(driver, validation = true, screenWidth = 96, screenHeight = 64)
        renderer.use {
            val scene = TestScene(renderer, SMALL)
            val (neural, closed) = List(2) {
                DlssReconstruction(renderer, SMALL, LARGE, ReconstructionMode.PERFORMANCE, model = ReconstructionModel.ANALYTIC)
            }
            closed.close()
            closed.close()
            var seen: Throwable? = null
            assertThrows<DeviceLostException> {
                renderer.inFrame { command, index ->
                    scene.evaluate(neural, command, index, 0)
                    assertThrows<InvalidState> { scene.evaluate(closed, command, index, 0) }
                    renderer.simulateDeviceLoss()
                    seen = runCatching { neural.evaluate(command, scene.inputs, ReconstructionFrame(1, scene.jitter)) }.exceptionOrNull()
                }
            }
            assertTrue(seen is DeviceLost, seen.toString())
            assertEquals(seen, neural.lastError)
            vkDeviceWaitIdle(renderer.device) // only this test's loss leaves the device at work
            neural.close()
        }
    }
}
