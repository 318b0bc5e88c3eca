package reconstruction.field

import field.host.Renderer
import field.host.SoftwareDrivers
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import reconstruction.ReconstructionSize
import java.nio.file.Path
import java.util.concurrent.TimeUnit

/** What needs a process of its own: another native library, another driver for a program that takes the first. */
class ProcessTest {
    private fun java(main: String, vararg options: String, driver: Path? = null): String {
        val command = listOf(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xcheck:jni", "-Xmx1g", "-XX:TieredStopAtLevel=1") +
            options + listOf("-cp", System.getProperty("java.class.path"), main)
        val builder = ProcessBuilder(command).redirectErrorStream(true)
        if (driver != null) {
            builder.environment()["VK_DRIVER_FILES"] = driver.toString()
            builder.environment()["VK_ICD_FILENAMES"] = driver.toString()
        }
        val process = builder.start()
        val said = process.inputStream.bufferedReader().readText()
        assertTrue(process.waitFor(5, TimeUnit.MINUTES), said)
        assertEquals(0, process.exitValue(), said)
        return said
    }

    private fun plain(driver: Path?) {
        val said = java("PlainLwjglKt", driver = driver)
        assertTrue("320x180 to 640x360 PERFORMANCE, frame 7, last reset frame 0: first frame" in said, said)
        val middle = said.lines().first { it.startsWith("middle of the output: ") }.substringAfter(": ").split(" ").map { it.toFloat() }
        listOf(0.2f, 0.4f, 0.8f, 1f).forEachIndexed { at, value -> assertEquals(value, middle[at], 0.001f * 2) }
        assertFalse(Regex("WARNING in native.*\n.*reconstruction[.]internal").containsMatchIn(said), said)
    }

    @Test
    fun `the smallest LWJGL program reconstructs on lavapipe`() = plain(SoftwareDrivers.lavapipe)

    @Test
    fun `the smallest LWJGL program reconstructs on SwiftShader`() = plain(SoftwareDrivers.swiftShader)

    @Test
    fun `without its library the starting point shows the native source and says why`() {
        val said = java("reconstruction.field.WithoutLibrary", "-Dreconstruction.library=/nowhere/libnothing.so",
            "-Dstarting.points=${Canvas.STARTING_POINTS}", "-Dfield.examples=${Canvas.EXAMPLES}")
        val lines = said.lines()
        assertTrue("source 96x54, neural null" in lines, said)
        assertTrue(lines.any { it.startsWith("message native library: ") }, said)
        assertTrue("picture true" in lines, said)
    }
}

/** Runs the starting point in a process whose native library is missing. */
object WithoutLibrary {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val exports = mapOf("outputSize" to ReconstructionSize(96, 54))
        Renderer(SoftwareDrivers.LAVAPIPE, screenWidth = 96, screenHeight = 54).use { renderer ->
            Canvas(renderer, Canvas.STARTING_POINTS.resolve("reconstruction_plumbing"), exports).use { canvas ->
                canvas.runAll()
                canvas.frames(3)
                val shown = canvas.runner.find("comparison")
                val source = shown["source"] as field.host.RenderToTexture
                println("source ${source.width}x${source.height}, neural ${shown["neural"]}")
                println("message ${renderer.screen.message}")
                println("picture ${renderer.screen.pixels().values.toSet().size > 50}")
            }
        }
    }
}
