package reconstruction.field

import field.host.ImageView
import field.host.OnSoftwareDrivers
import field.host.RenderToTexture
import field.host.Target
import field.host.box.Box
import field.host.box.plusAssign
import field.host.onRenderer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.lwjgl.vulkan.VkCommandBuffer
import reconstruction.ReconstructionResult
import java.nio.file.Files

/** Where the page's Ray Reconstruction snippet finds its scene; nothing here draws. */
class SceneOfPage(val bundle: Bundle, val lighting: Lighting) {
    class Bundle(val gBuffer: Target, val scene: Scene)
    class Scene(val camera: Camera, val projection: Projection)
    class Camera { fun modelView(): FloatArray = FloatArray(16) }
    class Projection { fun evaluateUniform(): FloatArray = FloatArray(16) }
    class Lighting(private val target: RenderToTexture) : Target {
        val output: ImageView get() = target.imageViewArray[0]
        override fun render(command: VkCommandBuffer, index: Int) = target.render(command, index)
    }
}

class PageSnippetsTest {
    private val folder = Canvas.EXAMPLES.resolve("page_modules_to_reconstruction")

    private fun snippet(name: String) = javaClass.getResource("/page/$name.txt")!!.readText()

    private fun lines(text: String) = text.lines().map { it.trim() }.filter { it.isNotEmpty() }

    @Test
    fun `every snippet of the page stands in its box unchanged`() {
        val boxOf = mapOf(
            "sizes.kt" to "sizes.box.kt", "small_g_buffer.kt" to "small_g_buffer.box.kt",
            "small_g_buffer.vertex" to "small_g_buffer.box.glslv", "small_g_buffer.fragment" to "small_g_buffer.box.glslf",
            "small_g_buffer.outputs.fragment" to "small_g_buffer.box.glslf",
            "record.jitter.kt" to "record.box.kt", "record.kt" to "record.box.kt", "record.show.kt" to "record.box.kt",
        )
        boxOf.forEach { (name, box) ->
            val (part, whole) = Pair(lines(snippet(name)), lines(Files.readString(folder.resolve(box))))
            assertTrue(whole.windowed(part.size).any { it == part }, "$name in $box")
        }
    }

    @OnSoftwareDrivers
    fun `the page's boxes run, twice too, and reconstruct`(driver: String) = onRenderer(driver, 160, 90) { renderer ->
        Canvas(renderer, folder).use { canvas ->
            repeat(2) {
                canvas.runAll()
                canvas.frames(2)
            }
            val neural = canvas.runner.find("record")["neural"] as DlssReconstruction
            assertEquals(ReconstructionResult.Reconstructed, neural.lastResult)
            assertEquals("1280x720", neural.inputSize.toString())
            assertEquals(1, renderer.renderList.preTargets.size)
            val middle = renderer.screen.pixels().pixel(80, 45)
            assertTrue(middle[0] > middle[2] + 0.2f, "the sail is orange: ${middle.toList()}")
            assertEquals(emptyList<String>(), canvas.log)
        }
        renderer.frame()
    }

    /** It compiles as it stands; running stops where this version says that it has no Ray Reconstruction. */
    @OnSoftwareDrivers
    fun `the Ray Reconstruction snippet compiles and is refused by its reason`(driver: String) = onRenderer(driver) { renderer ->
        val guides = RenderToTexture(renderer) { width = 96; height = 64; colorAttachments = 5 }
        val lighting = SceneOfPage.Lighting(guides)
        val page = SceneOfPage(
            SceneOfPage.Bundle(guides, SceneOfPage.Scene(SceneOfPage.Camera(), SceneOfPage.Projection())), lighting,
        )
        Canvas(renderer, folder).use { canvas ->
            canvas.root += "scene" to page
            canvas.root += "guides" to guides
            val box = Box("rays")
            box.code = raysBox(snippet("ray_reconstruction.kt"))
            canvas.runner.find("r_kotlin").connect(box)
            val errors = canvas.runner.run(box).errors
            val reason = DlssReconstruction.support(renderer).rayReconstruction as reconstruction.Support.Unsupported
            assertEquals(listOf("rays:2: ${reason.reason}"), errors.map { it.toString() })
        }
        guides.close()
    }

    companion object {
        /** A box around the snippet that gives it the names it uses. */
        fun raysBox(snippet: String) = """
            import field.host.Target
            val rr = DlssReconstruction(renderer, ReconstructionSize(96, 64), ReconstructionSize(96, 64), ReconstructionMode.DLAA, rayReconstruction = true)
            var frameIndex = 0L
            val sceneRevision = 0L
            renderer.renderList.preTargets += object : Target {
                override fun render(command: VkCommandBuffer, index: Int) {
                    val jitter = rr.jitter(frameIndex++)
        """.trimIndent() + "\n$snippet    }\n}\n"
    }
}
