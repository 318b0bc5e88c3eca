package field.host.box

import field.host.OnSoftwareDrivers
import field.host.RenderToTexture
import field.host.frameOf
import field.host.onRenderer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class ModuleHereTest {
    /** As the page writes it, but for the size; fills its target and exports it. */
    private val code = """
        val source = RenderToTexture(renderer) {
            width = 16
            height = 8
            useDepth = true
            colorAttachments = 2
            colorFormats = [
                VK_FORMAT_R16G16B16A16_SFLOAT, // opaque linear HDR color
                VK_FORMAT_R32_SFLOAT, // sampled projected depth
            ]
        }
        val sceneModule = moduleHere {
            +source
            depthTest = true
            depthWrite = true
            blend = false
        }
        source += "scene" to sceneModule
        sceneModule.mesh("all") { positions = floatArrayOf(-1f, -1f, .5f, 3f, -1f, .5f, -1f, 3f, .5f) }
        bx += "source" to source
        seen += sceneModule
        _r = frames {
            while (!bx.ended) yield()
            source.close()
        }
    """.trimIndent()

    private val vertex = "layout(location=0) in vec3 position;\nvoid main() { gl_Position = vec4(position, 1); }"
    private fun fragment(red: Int) = "layout(location=0) out vec4 color;\nlayout(location=1) out float depth;\n" +
        "void main() { color = vec4($red, 2, 3, 1); depth = gl_FragCoord.z; }"

    @OnSoftwareDrivers
    fun `the page's snippet draws with its box's texts, shows edits and replaces itself when run again`(driver: String) =
        onRenderer(driver) { renderer ->
            TestCanvas(imports = listOf("field.host.*", "org.lwjgl.vulkan.VK10.*")).use { canvas ->
                canvas.root += "renderer" to renderer
                val scene = canvas.box("scene", code)
                scene.vertex = vertex
                scene.fragment = fragment(1)
                fun red(): Float {
                    val source = scene["source"] as RenderToTexture
                    canvas.runner.tick(0)
                    renderer.frameOf(source)
                    assertEquals(0.5f, renderer.readback(source.imageViewArray[1])[9, 4, 0])
                    return renderer.readback(source.imageViewArray[0])[9, 4, 0]
                }
                assertTrue(canvas.runner.run("scene").isOk, canvas.log.toString())
                assertEquals(1f, red())
                scene.fragment = fragment(2)
                assertEquals(2f, red())
                repeat(3) { assertTrue(canvas.runner.run("scene").isOk, canvas.log.toString()) }
                scene.fragment = fragment(4)
                assertEquals(4f, red())
                assertEquals(listOf(0, 0, 0, 1), canvas.seen.map { (it as field.host.Module).meshes.size })
                renderer.renderList.preTargets.clear()
            }
        }

    @Test
    fun `without a renderer above or without a text the line says what is missing`() {
        TestCanvas().use { canvas ->
            canvas.box("scene", "\nmoduleHere()")
            assertEquals(
                "scene:2: moduleHere: expected a Renderer exported as `renderer` above box 'scene', got null; run the renderer box first",
                canvas.runner.run("scene").errors.single().toString()
            )
        }
    }
}
