package reconstruction.launcher

import field.host.RenderToTexture
import field.host.box.Box
import org.lwjgl.vulkan.VkCommandBuffer
import reconstruction.ReconstructionJitter
import reconstruction.field.DlssReconstruction
import reconstruction.field.RecordedFrame

/** What the boxes of a starting point export for the launcher. Read anew at every use: a box may run again. */
class Exports(private val root: Box, private val startingPoint: String) {
    /** Null where the reconstruction is unsupported. */
    val neural: DlssReconstruction? get() = find("neural", "a DlssReconstruction or null")

    /** Colour, depth and motion at input size. */
    val source: RenderToTexture get() = find("source", "a RenderToTexture") ?: missing("source", "a RenderToTexture")

    /** The same at output size. */
    val native: RenderToTexture get() = find("native", "a RenderToTexture") ?: missing("native", "a RenderToTexture")

    /** Draws the scene as it stands into [native], displaced by a jitter in its own pixels. */
    val drawNative: (VkCommandBuffer, Int, ReconstructionJitter) -> Unit
        get() = find("drawNative", DRAW) ?: missing("drawNative", DRAW)

    /** What the last recorded frame gave to the reconstruction besides its images. */
    fun frameInputs(): RecordedFrame {
        val ask: () -> RecordedFrame? = find("frameInputs", ASK) ?: missing("frameInputs", ASK)
        return ask() ?: throw LaunchException("starting point $startingPoint: frameInputs(): expected the last frame, got null")
    }

    private inline fun <reified T : Any> find(name: String, expected: String): T? {
        val found = root.downwards().firstNotNullOfOrNull { it.here(name) } ?: return null
        return found as? T ?: throw LaunchException(
            "starting point $startingPoint: export '$name': expected $expected, got ${found.javaClass.name}",
        )
    }

    private fun missing(name: String, expected: String): Nothing = throw LaunchException(
        "starting point $startingPoint: export '$name': expected $expected, got none; let a box do bx += \"$name\" to ...",
    )

    private companion object {
        const val DRAW = "a function (VkCommandBuffer, Int, ReconstructionJitter)"
        const val ASK = "a function () -> RecordedFrame?"
    }
}
