package field.host

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.lwjgl.vulkan.VK10.VK_BUFFER_USAGE_TRANSFER_DST_BIT
import org.lwjgl.vulkan.VK10.VK_IMAGE_LAYOUT_GENERAL
import org.lwjgl.vulkan.VK10.VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL
import org.lwjgl.vulkan.VK10.vkCmdFillBuffer

class RendererTest {
    @OnSoftwareDrivers
    fun `cleanup waits for the frames that could use the resource and keeps its order`(driver: String) =
        onRenderer(driver) { renderer ->
            val ran = ArrayList<String>()
            val asked = HashMap<String, Long>()
            renderer.renderList.preTargets += Target { _, _ ->
                val name = "in frame ${renderer.frameNumber}"
                asked[name] = renderer.frameNumber
                renderer.cleanup {
                    assertTrue(renderer.lastFinishedFrame >= asked.getValue(name), name)
                    ran += name
                }
                assertFalse(name in ran)
            }
            repeat(5) { renderer.frame() }
            // Frame 5 waited for frame 3, so its cleanups and those before have run.
            assertEquals((1..3).map { "in frame $it" }, ran.take(3))
            renderer.cleanup { ran += "between frames" }
            renderer.waitIdle()
            assertEquals((1..5).map { "in frame $it" } + "between frames", ran)
            assertEquals(5L, renderer.lastFinishedFrame)
        }

    @OnSoftwareDrivers
    fun `pre-targets are drawn once each in order, and an exception stops only its own`(driver: String) =
        onRenderer(driver, targetsMayThrow = true) { renderer ->
            val said = ArrayList<String>()
            renderer.log = { said += it }
            val calls = ArrayList<String>()
            val first = Target { _, index -> calls += "first $index" }
            val second = object : Target {
                override fun render(command: org.lwjgl.vulkan.VkCommandBuffer, index: Int) = throw IllegalStateException("lost my way")
                override fun toString() = "second"
            }
            val third = Target { _, _ -> calls += "third" }
            renderer.renderList.preTargets += first
            renderer.renderList.preTargets += second
            renderer.renderList.preTargets += third
            renderer.renderList.preTargets += first
            repeat(2) { assertTrue(renderer.frame()) }
            assertEquals(listOf("first 0", "third", "first 1", "third"), calls)
            assertEquals(listOf("second: lost my way"), said)
            assertEquals("lost my way", renderer.lastError!!.message)
            renderer.renderList.preTargets -= second
            renderer.renderList.preTargets -= first
            renderer.frame()
            assertEquals("third", calls.last())
            assertEquals(3L, renderer.frameNumber)
        }

    @OnSoftwareDrivers
    fun `a command buffer's state is known inside, around and after a render pass`(driver: String) =
        onRenderer(driver) { renderer ->
            val target = RenderToTexture(renderer) {}
            val states = ArrayList<Pair<Boolean, Boolean>>()
            var kept: org.lwjgl.vulkan.VkCommandBuffer? = null
            fun note(command: org.lwjgl.vulkan.VkCommandBuffer) {
                states += renderer.isRecording(command) to renderer.isInsideRenderPass(command)
            }
            target.drawWith("probe") { note(it) }
            renderer.frameOf(
                Target { command, index ->
                    kept = command
                    note(command)
                    target.render(command, index)
                    note(command)
                },
            )
            note(kept!!)
            assertEquals(listOf(true to false, true to true, true to false, false to false), states)
            val refused = assertThrows(HostException::class.java) { target.render(kept!!, 0) }
            assertTrue(refused.message!!.contains("not recording"), refused.message)
        }

    @OnSoftwareDrivers
    fun `after an exception inside a render pass the frame is still whole`(driver: String) = onRenderer(driver, targetsMayThrow = true) { renderer ->
        renderer.log = {}
        val target = RenderToTexture(renderer) {}
        target.drawWith("fault") { throw IllegalArgumentException("bad mesh") }
        repeat(3) { renderer.frameOf(target) }
        assertEquals("bad mesh", renderer.lastError!!.message)
        assertEquals(3L, renderer.frameNumber)
    }

    @OnSoftwareDrivers
    fun `a lost device is a state that every call reports and close survives`(driver: String) {
        val renderer = Renderer(driver, validation = true)
        val target = RenderToTexture(renderer) {}
        renderer.frameOf(target)
        assertFalse(renderer.deviceLost)
        renderer.simulateDeviceLoss()
        assertTrue(renderer.deviceLost)
        assertThrows(DeviceLostException::class.java) { renderer.frame() }
        assertThrows(DeviceLostException::class.java) { renderer.readback(target.imageViewArray[0]) }
        renderer.close()
        renderer.close()
        assertEquals(emptyList<String>(), renderer.validationMessages)
        assertThrows(HostException::class.java) { renderer.frame() }
    }

    @OnSoftwareDrivers
    fun `frames are timed on the GPU without waiting for them`(driver: String) = onRenderer(driver) { renderer ->
        val target = RenderToTexture(renderer) { useDepth = true }
        renderer.renderList.preTargets += Target { command, index ->
            renderer.timed(command, "source") { target.render(command, index) }
        }
        repeat(4) { renderer.frame() }
        renderer.waitIdle()
        assertEquals(listOf("frame", "source", "screen"), renderer.timings.keys.toList())
        assertTrue(renderer.timings.getValue("frame") >= renderer.timings.getValue("source"), renderer.timings.toString())
    }

    @OnSoftwareDrivers
    fun `making and closing many times leaves nothing behind`(driver: String) = onRenderer(driver) { renderer ->
        val resources = renderer.resources.size
        val allocations = renderer.allocations
        repeat(50) {
            val target = RenderToTexture(renderer) { useDepth = true }
            val module = Module(renderer, FixedSources("again", "void main() { gl_Position = vec4(0.0); }", "void main() {}")) { +target }
            module.mesh("all") { vertexCount = 3 }
            target += "scene" to module
            renderer.frameOf(target)
            renderer.renderList.preTargets -= target
            target.close()
            module.close()
        }
        renderer.waitIdle()
        assertEquals(resources, renderer.resources.size)
        assertEquals(allocations, renderer.allocations)
    }

    @Test
    fun `an unknown device name lists the known ones`() {
        val refused = assertThrows(HostException::class.java) { Renderer("no such device") }
        assertTrue(refused.message!!.startsWith("device: expected a part of the name of one of ["), refused.message)
        assertTrue(refused.message!!.contains(SoftwareDrivers.SWIFTSHADER), refused.message)
    }

    @OnSoftwareDrivers
    fun `a device without optional features draws all the same`(driver: String) {
        val renderer = Renderer(driver, validation = true, optionalFeatures = false)
        renderer.use {
            assertEquals(setOf("independentBlend"), renderer.enabledFeatures)
            renderer.frameOf(RenderToTexture(renderer) { useDepth = true })
        }
        assertEquals(emptyList<String>(), renderer.validationMessages)
    }

    @Test
    fun `two renderers on two drivers live side by side`() {
        onRenderer(SoftwareDrivers.LAVAPIPE) { one ->
            onRenderer(SoftwareDrivers.SWIFTSHADER) { other ->
                val (a, b) = RenderToTexture(one) {} to RenderToTexture(other) {}
                one.frameOf(a)
                other.frameOf(b)
                val refused = assertThrows(HostException::class.java) { RenderToTexture.external(one, b.imageViewArray[0]) }
                assertTrue(refused.message!!.startsWith("RenderToTexture.external: expected a living image of this renderer's device"))
            }
        }
    }

    @OnSoftwareDrivers
    fun `the validation layer is really watching layouts and hazards`(driver: String) {
        val renderer = Renderer(driver, validation = true)
        val view = RenderToTexture(renderer) {}.imageViewArray[0]
        GpuBuffer(renderer.allocator, 64, VK_BUFFER_USAGE_TRANSFER_DST_BIT).use { buffer ->
            renderer.immediately { command, _ ->
                // Declares a layout that the image is not in.
                layoutBarrier(
                    command, view, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                    Access.ALL_BEFORE, Access.ALL_AFTER,
                )
                // Two writes with no barrier between them.
                repeat(2) { vkCmdFillBuffer(command, buffer.vk, 0, 64, it) }
            }
        }
        renderer.close()
        val messages = renderer.validationMessages
        assertTrue(messages.any { "VK_IMAGE_LAYOUT_GENERAL" in it }, messages.toString())
        assertTrue(messages.any { "SYNC-HAZARD-WRITE-AFTER-WRITE" in it || "WRITE_AFTER_WRITE" in it }, messages.toString())
    }
}
