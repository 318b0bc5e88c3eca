package reconstruction.launcher

import field.host.SoftwareDrivers
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import javax.imageio.ImageIO

/** What a person who edits and watches sees. */
class LiveRunTest {
    @TempDir
    lateinit var folder: Path

    private val common = listOf("--device", SoftwareDrivers.LAVAPIPE, "--output", "128x72", "--validation")

    @Test
    fun `watching keeps one picture fresh, takes edits over, and ends cleanly when asked to`() {
        val copies = folder.resolve("copies")
        Home.startingPoints.resolve("reconstruction_plumbing").toFile().copyRecursively(copies.resolve("reconstruction_plumbing").toFile())
        val fragment = copies.resolve("reconstruction_plumbing/scene.box.glslf")
        val screen = folder.resolve("screen.png")
        val arguments = common + listOf("--watch", "--starting-points", "$copies", "--out", "$folder")
        ChildLaunch(folder, arguments).use { child ->
            child.until("first picture") { Files.exists(screen) }
            val red = Files.readString(fragment).trimEnd().removeSuffix("}") + "color = vec4(50.0, 0.0, 0.0, 1.0);\n}\n"
            Files.writeString(fragment, red)
            child.until("edit") { "scene: fragment changed" in child.errorLines }
            child.until("red picture") { ImageIO.read(screen.toFile()).getRGB(64, 36) and 0xffffff > 0xf00000 }
            Files.writeString(fragment, red.replace("vec4(50.0", "vec5(50.0"))
            child.until("shader error") { child.errorLines.any { "vec5" in it } }
            child.terminate()
            child.await()
            assertFalse(child.errorLines.any { "validation" in it || "Exception" in it }, child.errorLines.toString())
        }
    }

    @Test
    fun `a window shows the run and closes with it`() {
        val xvfb = ProcessBuilder("Xvfb", "-displayfd", "1", "-screen", "0", "320x240x24", "-nolisten", "tcp")
            .redirectError(ProcessBuilder.Redirect.DISCARD).start()
        try {
            val display = mapOf("DISPLAY" to ":" + xvfb.inputStream.bufferedReader().readLine())
            ChildLaunch(folder, common + listOf("--window", "--frames", "4", "--out", "$folder"), environment = display).use { child ->
                assertEquals(0, child.await(), child.errorLines.toString())
                assertTrue("4; history began anew in frame 0" in child.results, child.results)
            }
        } finally {
            xvfb.destroy()
            xvfb.waitFor()
        }
    }

    @Test
    fun `without a display a window is refused in one line`() {
        val none = mapOf("DISPLAY" to "", "WAYLAND_DISPLAY" to "")
        ChildLaunch(folder, listOf("--window", "--out", "$folder"), environment = none).use { child ->
            assertEquals(1, child.await())
            assertTrue("no display" in child.errorLines.single(), child.errorLines.toString())
        }
    }

    @Test
    fun `keys toggle the bypass and cut`() {
        val captured = Captured()
        lateinit var options: Options
        optionsParser(captured.console) { options = it; 0 }.execute(*(common + listOf("--frames", "9")).toTypedArray())
        Canvas(options, captured.console).use { canvas ->
            canvas.start()
            fun stepAfter(key: Char?): Pair<Boolean, String?> {
                key?.let { canvas.renderer.onKey(it) }
                assertTrue(canvas.step())
                val reset = canvas.exports.neural!!.lastReset!!
                return canvas.isBypassed to reset.cause.name.takeIf { reset.frame == canvas.frame - 1 }
            }
            assertEquals(false to "FIRST", stepAfter(null))
            assertEquals(false to "REQUESTED", stepAfter('c'))
            assertEquals(false to null, stepAfter(null))
            assertEquals(true to null, stepAfter('b'))
            assertEquals(false to "BYPASS_ENDED", stepAfter('b'))
        }
    }
}
