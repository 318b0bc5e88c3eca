package field.host

import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.lwjgl.vulkan.VK10.*

class RenderToTextureTest {
    private val sources = FixedSources(
        "scene",
        """
        #version 450
        layout(location=0) in vec3 position;
        void main() { gl_Position = vec4(position, 1.0); }
        """,
        """
        #version 450
        layout(location=0) out vec4 color;
        layout(location=1) out float depth;
        layout(location=2) out vec2 motion;
        void main() {
            color = vec4(0.25, 35008.0, 2.0, 1.0);
            depth = gl_FragCoord.z;
            motion = vec2(-4.0, 0.1);
        }
        """,
    )

    private fun gBuffer(renderer: Renderer) = RenderToTexture(renderer) {
        width = 16
        height = 8
        useDepth = true
        colorAttachments = 3
        colorFormats = listOf(VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT)
    }

    @OnSoftwareDrivers
    fun `a triangle writes every attachment where it covers and leaves the clear value elsewhere`(driver: String) =
        onRenderer(driver) { renderer ->
            val source = gBuffer(renderer)
            val module = Module(renderer, sources) {
                +source
                depthTest = true
                depthWrite = true
            }
            // Upper left half: clip (-1, 1) is the top left corner.
            module.mesh("triangle") { positions = floatArrayOf(-1f, 1f, 0.25f, -1f, -1f, 0.25f, 1f, 1f, 0.25f) }
            source += "scene" to module
            renderer.frameOf(source)

            val color = renderer.readback(source.imageViewArray[0])
            val depth = renderer.readback(source.imageViewArray[1])
            val motion = renderer.readback(source.imageViewArray[2])
            val tested = renderer.readback(source.depthView!!)
            for (y in 0 until 8) for (x in 0 until 16) {
                // The edge runs through x / 16 + y / 8 = 1 between pixel centres.
                val covered = (x + 0.5) / 16 + (y + 0.5) / 8 < 1
                val onEdge = (x + 0.5) / 16 + (y + 0.5) / 8 == 1.0
                if (onEdge) continue
                assertArrayEquals(
                    if (covered) floatArrayOf(0.25f, 35008f, 2f, 1f) else FloatArray(4), color.pixel(x, y), "color $x $y",
                )
                assertEquals(if (covered) 0.25f else 0f, depth[x, y], "depth $x $y")
                assertArrayEquals(if (covered) floatArrayOf(-4f, 0.1f) else FloatArray(2), motion.pixel(x, y), "motion $x $y")
                assertEquals(if (covered) 0.25f else 1f, tested[x, y], "depth attachment $x $y")
            }
        }

    @OnSoftwareDrivers
    fun `row zero is the top because clip space points up`(driver: String) = onRenderer(driver) { renderer ->
        val source = gBuffer(renderer)
        val module = Module(renderer, sources) { +source }
        module.mesh("upper half") { positions = quad(-1f, 0f, 1f, 1f) }
        source += "scene" to module
        renderer.frameOf(source)
        val depth = renderer.readback(source.imageViewArray[1])
        assertEquals(listOf(0.5f, 0.5f, 0.5f, 0.5f, 0f, 0f, 0f, 0f), (0 until 8).map { depth[7, it] })
    }

    @OnSoftwareDrivers
    fun `the nearer surface wins whatever the order, and depth 1 still passes`(driver: String) = onRenderer(driver) { renderer ->
        val source = gBuffer(renderer)
        val module = Module(renderer, sources) {
            +source
            depthTest = true
            depthWrite = true
        }
        module.mesh("near") { positions = quad(-1f, -1f, 0f, 1f, 0.25f) }
        module.mesh("far") { positions = quad(-1f, -1f, 1f, 1f, 1f) }
        source += "scene" to module
        renderer.frameOf(source)
        val depth = renderer.readback(source.imageViewArray[1])
        assertEquals(0.25f, depth[3, 4])
        assertEquals(1f, depth[12, 4])
    }

    @OnSoftwareDrivers
    fun `two-channel half and packed formats read back what was written`(driver: String) = onRenderer(driver) { renderer ->
        val source = RenderToTexture(renderer) {
            width = 4
            height = 4
            colorAttachments = 2
            colorFormats = listOf(VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_FORMAT_R16G16_SFLOAT)
        }
        val module = Module(
            renderer,
            FixedSources(
                "formats", "void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0); }",
                "out vec4 color; out vec2 motion; void main() { color = vec4(0.5, 1.5, 3.0, 1.0); motion = vec2(-1.5, 1.1920928955078125e-7); }",
            ),
        ) { +source }
        module.mesh("all") { vertexCount = 3 }
        source += "all" to module
        renderer.frameOf(source)
        assertArrayEquals(floatArrayOf(0.5f, 1.5f, 3f), renderer.readback(source.imageViewArray[0]).pixel(2, 1))
        val motion = renderer.readback(source.imageViewArray[1]).pixel(2, 1)
        assertEquals(-1.5f, motion[0])
        // Two units of the half-float denormals, 2^-24 each.
        assertEquals(2f / (1 shl 24), motion[1])
    }

    @OnSoftwareDrivers
    fun `a wrong list of formats is refused by name`(driver: String) = onRenderer(driver) { renderer ->
        val missing = assertThrows(HostException::class.java) {
            RenderToTexture(renderer) {
                colorAttachments = 3
                colorFormats = listOf(VK_FORMAT_R32_SFLOAT)
            }
        }
        assertEquals("RenderToTexture 96x64: expected 3 colorFormats (colorAttachments), got 1; give one per attachment", missing.message)
        assertThrows(HostException::class.java) {
            RenderToTexture(renderer) { colorFormats = listOf(VK_FORMAT_D16_UNORM) }
        }
        assertThrows(HostException::class.java) { RenderToTexture(renderer) { width = 0 } }
    }

    @OnSoftwareDrivers
    fun `a target is black before it is first rendered and cannot be rendered after close`(driver: String) =
        onRenderer(driver, targetsMayThrow = true) { renderer ->
            val source = gBuffer(renderer)
            val view = source.imageViewArray[0]
            assertTrue(renderer.readback(view).values.all { it == 0f })
            source.close()
            source.close()
            assertEquals(false, view.alive)
            renderer.frameOf(source)
            assertTrue(renderer.lastError!!.message!!.contains("after close"), renderer.lastError!!.message)
        }
}
