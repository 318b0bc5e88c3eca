package field.host

import org.lwjgl.stb.STBEasyFont
import org.lwjgl.system.MemoryUtil.memAlloc
import org.lwjgl.system.MemoryUtil.memFree

/** ASCII letters as filled rectangles, for machines without fonts. Lengths in font units: a line is 12 high. */
object Letters {
    /** A filled rectangle, x to the right and y down from the top left corner of the text. */
    class Rectangle(val left: Float, val top: Float, val right: Float, val bottom: Float)

    fun width(text: String): Int = STBEasyFont.stb_easy_font_width(text)

    fun height(text: String): Int = STBEasyFont.stb_easy_font_height(text)

    /** What [text] is drawn of; it may have several lines. */
    fun rectangles(text: String): List<Rectangle> {
        // stb writes quads of four vertices from the top left corner on, each x, y, z as floats and four colour bytes.
        val buffer = memAlloc((text.length + 1) * BYTES_PER_LETTER)
        try {
            return List(STBEasyFont.stb_easy_font_print(0f, 0f, text, null, buffer)) { quad ->
                val (first, opposite) = quad * 64 to quad * 64 + 32
                Rectangle(buffer.getFloat(first), buffer.getFloat(first + 4), buffer.getFloat(opposite), buffer.getFloat(opposite + 4))
            }
        } finally {
            memFree(buffer)
        }
    }

    /** As stb's documentation reckons, with room to spare. */
    private const val BYTES_PER_LETTER = 300
}
