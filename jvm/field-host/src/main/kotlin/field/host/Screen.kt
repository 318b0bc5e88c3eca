package field.host

import org.lwjgl.vulkan.VK10.VK_FORMAT_R8G8B8A8_UNORM
import org.lwjgl.vulkan.VkCommandBuffer
import java.nio.file.Path

/** A part of the screen: left, top, right, bottom, each 0..1 from the top left corner. */
data class ScreenRegion(val left: Float, val top: Float, val right: Float, val bottom: Float) {
    companion object {
        val ALL: ScreenRegion = ScreenRegion(0f, 0f, 1f, 1f)
    }
}

/** The picture that a person sees: 8-bit sRGB, saved as PNG or shown in the preview window. */
class Screen internal constructor(private val renderer: Renderer, extent: Extent) : AutoCloseable {
    private class Shown(val view: ImageView, val module: Module)

    private val target = RenderToTexture(renderer) {
        width = extent.width
        height = extent.height
        colorFormats = listOf(VK_FORMAT_R8G8B8A8_UNORM)
        clearColors = mapOf(0 to floatArrayOf(0f, 0f, 0f, 1f))
    }
    private val shown = LinkedHashMap<String, Shown>()
    private var messageModule: Module? = null

    val width: Int get() = target.width
    val height: Int get() = target.height
    internal val view: ImageView get() = target.imageViewArray[0]

    /** Words written over the picture, ASCII, broken into lines of its width; null for none. */
    var message: String? = null
        set(value) {
            if (value == field) return
            field = value
            target -= MESSAGE
            if (value != null) target += MESSAGE to letters(value)
        }

    /** Names of what is shown, in the order of drawing. */
    val names: Set<String> get() = shown.keys

    internal fun show(name: String, view: ImageView, region: ScreenRegion, filter: Filter) {
        this -= name
        val module = Module(renderer, FixedSources("screen '$name'", BLIT_VERTEX, BLIT_FRAGMENT))
        module.mesh("quad") { vertexCount = 6 }
        module.uniform("region") { floatArrayOf(region.left, region.top, region.right, region.bottom) }
        module.fromViews("source", view, filter)
        shown[name] = Shown(view, module)
        target += name to module
        message?.let {
            target -= MESSAGE
            target += MESSAGE to messageModule!!
        }
    }

    /** Stops showing what has this name, if there is anything. */
    operator fun minusAssign(name: String) {
        target -= name
        shown.remove(name)?.module?.close()
    }

    internal fun render(command: VkCommandBuffer, index: Int) {
        shown.filterValues { !it.view.alive }.keys.toList().forEach { this -= it }
        target.render(command, index)
    }

    /** The picture of the last frame, 0..1, sRGB encoded. */
    fun pixels(): Pixels = renderer.readback(view)

    /** Writes the picture of the last frame as PNG; a text chunk names the tone mapping. */
    fun save(path: Path, texts: Map<String, String> = emptyMap()) =
        Png.saveDisplayReady(path, pixels(), mapOf(Png.TONE_MAPPING_KEY to ToneMap.NAME) + texts)

    private fun letters(text: String): Module {
        val module = messageModule ?: Module(renderer, FixedSources("screen message", TEXT_VERTEX, TEXT_FRAGMENT)) { blend = true }
        messageModule = module
        val scale = maxOf(1f, width / 480f)
        val lines = wrapped(text, ((width - 2 * MARGIN) / scale).toInt())
        val glyphs = Letters.rectangles(lines).map {
            rectangle(MARGIN + it.left * scale, MARGIN + it.top * scale, MARGIN + it.right * scale, MARGIN + it.bottom * scale)
        }
        val boxHeight = Letters.height(lines) * scale + 2 * MARGIN
        module.mesh("band") {
            attribute("pixel", 2, rectangle(0f, 0f, width.toFloat(), boxHeight))
            uniform("tint") { floatArrayOf(0f, 0f, 0f, 0.7f) }
        }
        module.mesh("glyphs") {
            attribute("pixel", 2, FloatArray(glyphs.size * 12) { glyphs[it / 12][it % 12] })
            uniform("tint") { floatArrayOf(1f, 1f, 1f, 1f) }
        }
        module.uniform("screenSize") { floatArrayOf(width.toFloat(), height.toFloat()) }
        return module
    }

    // Breaks at spaces, and inside of words that are wider than the picture.
    private fun wrapped(text: String, width: Int): String = text.lines().joinToString("\n") { line ->
        line.split(' ').fold("") { done, word ->
            val start = if (done.isEmpty()) "" else "$done "
            if (Letters.width(start.substringAfterLast('\n') + word) <= width) start + word
            else word.fold(if (done.isEmpty()) "" else "$done\n") { before, letter ->
                val fits = Letters.width(before.substringAfterLast('\n') + letter) <= width
                if (fits) before + letter else "$before\n$letter"
            }
        }
    }

    override fun close() {
        shown.values.forEach { it.module.close() }
        messageModule?.close()
        target.close()
    }

    private companion object {
        const val MESSAGE = "(message)"
        const val MARGIN = 6f

        /** Corners of two triangles, x and y each. */
        fun rectangle(left: Float, top: Float, right: Float, bottom: Float) =
            floatArrayOf(left, top, right, top, right, bottom, left, top, right, bottom, left, bottom)

        const val BLIT_VERTEX = """#version 450
uniform vec4 region;
out vec2 uv;
const vec2 corners[6] = vec2[6](vec2(0, 0), vec2(1, 0), vec2(1, 1), vec2(0, 0), vec2(1, 1), vec2(0, 1));
void main() {
    uv = corners[gl_VertexIndex];
    vec2 place = mix(region.xy, region.zw, uv);
    gl_Position = vec4(place.x * 2.0 - 1.0, 1.0 - place.y * 2.0, 0.0, 1.0);
}
"""
        const val BLIT_FRAGMENT = """#version 450
uniform sampler2D source;
in vec2 uv;
out vec4 color;
${ToneMap.GLSL}
void main() { color = vec4(toneMap(texture(source, uv).rgb), 1.0); }
"""
        const val TEXT_VERTEX = """#version 450
uniform vec2 screenSize;
in vec2 pixel;
void main() { gl_Position = vec4(pixel.x / screenSize.x * 2.0 - 1.0, 1.0 - pixel.y / screenSize.y * 2.0, 0.0, 1.0); }
"""
        const val TEXT_FRAGMENT = """#version 450
uniform vec4 tint;
out vec4 color;
void main() { color = tint; }
"""
    }
}
