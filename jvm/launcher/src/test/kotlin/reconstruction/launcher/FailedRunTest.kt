package reconstruction.launcher

import com.google.gson.JsonParser
import field.host.box.Box
import field.host.box.FieldPaths
import field.host.box.StartingPoint
import field.host.box.write
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import javax.imageio.ImageIO

class FailedRunTest {
    @TempDir
    lateinit var folder: Path

    private fun isLine(text: String) = text.all { it in ' '..'~' }

    /** A starting point of one box. */
    private fun startingPoint(code: String) {
        val root = Box.root()
        val kotlin = Box("r_kotlin", boxClass = Box.KOTLIN_CLASS)
        val scene = Box("scene")
        scene.code = code
        root.connect(kotlin)
        root.connect(scene)
        kotlin.connect(scene)
        StartingPoint.of("broken", root).write(FieldPaths(folder))
    }

    private fun launchBroken(): Captured {
        val captured = Captured()
        val arguments = arrayOf("broken", "--starting-points", "$folder", "--output", "64x64", "--frames", "2", "--out", "$folder/out")
        assertEquals(1, launch(arguments, captured.console))
        assertEquals("", captured.results)
        assertTrue(captured.errorLines.all(::isLine), captured.errors)
        return captured
    }

    /** A run without reconstruction: exit code 0, and the source under the reason, which is said once. Gives the reason. */
    private fun sourceOnly(launchOn: (arguments: List<String>) -> ChildLaunch): String {
        val reason = launchOn(listOf("--output", "160x96", "--frames", "2", "--validation", "--out", "$folder")).use { child ->
            assertEquals(0, child.await(), child.errorLines.toString())
            val summary = JsonParser.parseString(Files.readString(folder.resolve("summary.json"))).asJsonObject
            val reason = summary["unsupported"].asString
            assertTrue(isLine(reason), reason)
            assertEquals(listOf(reason), child.errorLines.filter { reason in it })
            assertTrue("160x96 to 160x96, source only" in child.results, child.results)
            reason
        }
        // The message lies on a darkened band over the picture: white letters that the source has not.
        val (screen, source) = listOf("screen.png", "source.png").map { ImageIO.read(folder.resolve(it).toFile()) }
        assertEquals(160 to 96, screen.width to screen.height)
        assertTrue((0 until 160).count { screen.getRGB(it, 9) != source.getRGB(it, 9) } > 100)
        assertTrue((0 until 160).any { x -> (0 until 20).any { y -> screen.getRGB(x, y) == -1 } })
        assertFalse(Files.exists(folder.resolve("reconstructed.png")))
        return reason
    }

    @Test
    fun `without the native library the source is shown with the reason on it, and the exit code is 0`() {
        val missing = mapOf("reconstruction.library" to "/nowhere/libreconstruction_jni.so")
        val reason = sourceOnly { ChildLaunch(folder, it, missing) }
        assertTrue("/nowhere/libreconstruction_jni.so" in reason, reason)
    }

    @Test
    fun `on a device that the engine refuses the source is shown with the reason on it, and the exit code is 0`() {
        val reason = sourceOnly { ChildLaunch(folder, it, program = SmallDevice::class.java.name) }
        assertTrue(reason.startsWith("maxComputeSharedMemorySize: expected at least 32768, got ${SmallDevice.SHARED_MEMORY}; "), reason)
    }

    @Test
    fun `without a Vulkan device there is one line, and the exit code is 1`() {
        val nothing = mapOf("VK_DRIVER_FILES" to "/dev/null", "VK_ICD_FILENAMES" to "/dev/null")
        ChildLaunch(folder, listOf("--out", "$folder"), environment = nothing).use { child ->
            assertEquals(1, child.await())
            val line = child.errorLines.single()
            assertTrue(isLine(line) && "no Vulkan device" in line, line)
            assertEquals("", child.results)
        }
    }

    @Test
    fun `an unknown device and an unknown starting point are one line each`() {
        for ((arguments, word) in listOf(arrayOf("--device", "Voodoo") to "Voodoo", arrayOf("no_such_thing") to "no_such_thing")) {
            val captured = Captured()
            assertEquals(1, launch(arrayOf(*arguments, "--out", "$folder"), captured.console))
            assertTrue(word in captured.errorLines.single(), captured.errors)
        }
    }

    @Test
    fun `a box that fails ends the run at its line`() {
        startingPoint("val one = 1\nerror(\"no scene today\")")
        assertEquals("scene:2: no scene today", launchBroken().errorLines.last())
    }

    @Test
    fun `a box that fails in a later frame ends the run as well`() {
        startingPoint("_r = frames {\n    yield()\n    error(\"no second frame\")\n}")
        assertTrue("scene:3: no second frame" in launchBroken().errors)
    }

    @Test
    fun `a target that fails ends the run`() {
        startingPoint("renderer.renderList.preTargets += object : field.host.Target {\n" +
            "    override fun render(command: org.lwjgl.vulkan.VkCommandBuffer, index: Int) = error(\"no drawing\")\n}")
        assertTrue("no drawing" in launchBroken().errors)
    }

    @Test
    fun `an export that is missing or of another type is named`() {
        val expected = "starting point broken: export 'drawNative': expected a function (VkCommandBuffer, Int, ReconstructionJitter)"
        startingPoint("bx += \"drawNative\" to 7")
        assertEquals("$expected, got java.lang.Integer", launchBroken().errorLines.last())
        startingPoint("val nothing = 0")
        assertTrue(launchBroken().errorLines.last().startsWith("$expected, got none; "))
    }
}
