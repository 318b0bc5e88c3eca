package field.host

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import javax.imageio.ImageIO

class ScreenTest {
    @TempDir
    lateinit var folder: Path

    private fun gradient(renderer: Renderer): Texture {
        // Left column 0.25, right column 4; the lower row is green only.
        val pixels = floatArrayOf(
            0.25f, 0.25f, 0.25f, 1f, 4f, 4f, 4f, 1f,
            0f, 1f, 0f, 1f, 0f, 1f, 0f, 1f,
        )
        return Texture(renderer, 2, 2, pixels)
    }

    @OnSoftwareDrivers
    fun `the screen tone maps, encodes and says so in the file`(driver: String) = onRenderer(driver, 8, 8) { renderer ->
        val shown = RenderToTexture.external(renderer, gradient(renderer).view)
        shown.blitToScreen(name = "finished image", filter = Filter.NEAREST)
        shown.blitToScreen(name = "finished image", filter = Filter.NEAREST)
        assertEquals(setOf("finished image"), renderer.screen.names)
        renderer.frame()
        val file = folder.resolve("deep/screen.png")
        renderer.screen.save(file, mapOf("Frame" to "1"))
        assertEquals(mapOf("Tone mapping" to "x/(1+x), then sRGB", "Frame" to "1"), Png.texts(file))
        val image = ImageIO.read(file.toFile())
        // 0.25 -> 0.2 -> 124; 4 -> 0.8 -> 231; 1 -> 0.5 -> 188.
        for ((place, expected) in listOf((1 to 1) to 0x7c7c7c, (6 to 1) to 0xe7e7e7, (1 to 6) to 0x00bc00, (6 to 6) to 0x00bc00)) {
            val got = image.getRGB(place.first, place.second) and 0xffffff
            assertEquals(expected, got, "$place ${Integer.toHexString(got)}")
        }
        assertEquals(listOf(124, 231, 188, 0, 0, 255), listOf(0.25f, 4f, 1f, -1f, Float.NaN, Float.POSITIVE_INFINITY).map { ToneMap.byteOf(it) })
    }

    @OnSoftwareDrivers
    fun `regions lie side by side, and a closed source leaves the screen`(driver: String) = onRenderer(driver, 8, 4) { renderer ->
        val texture = gradient(renderer)
        val shown = RenderToTexture.external(renderer, texture.view)
        shown.blitToScreen("right", region = ScreenRegion(0.5f, 0f, 1f, 1f), filter = Filter.NEAREST)
        renderer.frame()
        val pixels = renderer.screen.pixels()
        assertEquals(0f, pixels[3, 0])
        assertEquals(124 / 255f, pixels[4, 0])
        assertEquals(231 / 255f, pixels[7, 0])
        texture.close()
        renderer.frame()
        assertEquals(emptySet<String>(), renderer.screen.names)
        assertEquals(0f, renderer.screen.pixels()[7, 0])
    }

    @OnSoftwareDrivers
    fun `a message is written over the picture until it is taken back`(driver: String) = onRenderer(driver, 160, 40) { renderer ->
        val shown = RenderToTexture.external(renderer, gradient(renderer).view)
        renderer.screen.message = "no reconstruction: missing"
        shown.blitToScreen("below")
        renderer.frame()
        val white = renderer.screen.pixels().let { p -> (0 until 40 * 160).count { p.values[it * 4] == 1f } }
        assertTrue(white in 200..2000, "$white white pixels")
        renderer.screen.message = null
        renderer.frame()
        assertTrue(renderer.screen.pixels().values.filterIndexed { at, _ -> at % 4 == 0 }.none { it == 1f })
    }
}
