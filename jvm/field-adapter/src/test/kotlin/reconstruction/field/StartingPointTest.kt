package reconstruction.field

import field.host.Module
import field.host.OnSoftwareDrivers
import field.host.RenderToTexture
import field.host.Renderer
import field.host.box.Box
import field.host.box.plusAssign
import field.host.onRenderer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNotSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.lwjgl.vulkan.VkCommandBuffer
import reconstruction.ReconstructionJitter
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionResult
import reconstruction.ReconstructionSize
import java.nio.file.Files
import kotlin.math.abs

class StartingPointTest {
    private val folder = Canvas.STARTING_POINTS.resolve("reconstruction_plumbing")
    private val exports = mapOf("mode" to ReconstructionMode.PERFORMANCE, "outputSize" to ReconstructionSize(128, 72))

    private fun onCanvas(driver: String, work: Canvas.(shown: Box) -> Unit) = onRenderer(driver, 128, 72) { renderer ->
        Canvas(renderer, folder, exports).use {
            it.runAll()
            it.work(it.runner.find("comparison"))
        }
        renderer.frame()
    }

    private val Box.neural get() = this["neural"] as DlssReconstruction
    private val Box.source get() = this["source"] as RenderToTexture

    @Suppress("UNCHECKED_CAST")
    private fun Box.drawNative(renderer: Renderer, jitter: ReconstructionJitter) = renderer.immediately { command, index ->
        (this["drawNative"] as (VkCommandBuffer, Int, ReconstructionJitter) -> Unit)(command, index, jitter)
    }

    @Suppress("UNCHECKED_CAST")
    private fun Box.recorded() = (this["frameInputs"] as () -> RecordedFrame?)()

    @OnSoftwareDrivers
    fun `it reconstructs, follows bypass, cut and compare, and runs again at any frame`(driver: String) = onCanvas(driver) { shown ->
        assertEquals(null, shown.recorded())
        frames(4)
        assertEquals(ReconstructionResult.Reconstructed, shown.neural.lastResult)
        assertEquals(setOf("finished image"), renderer.screen.names)
        val recorded = shown.recorded()!!
        assertEquals(3L, recorded.frameIndex)
        assertEquals(ReconstructionJitter.halton(3, ReconstructionSize(64, 36), ReconstructionSize(128, 72)), recorded.jitter)
        assertEquals(listOf(16, 16), listOf(recorded.view.size, recorded.projection.size))

        root.bypass = true
        frames(2)
        assertTrue(shown.neural.lastResult is ReconstructionResult.Bypassed)
        root.bypass = false
        frames(1)
        assertEquals("frame 6: bypass ended", shown.neural.lastReset.toString())
        root.cut = true
        frames(1)
        root.cut = false
        frames(1)
        assertEquals("frame 7: cut", shown.neural.lastReset.toString())

        root += "compare" to true
        frames(1)
        assertEquals(setOf("finished image", "native source"), renderer.screen.names)
        root += "compare" to false
        frames(1)
        assertEquals(setOf("finished image"), renderer.screen.names)

        val before = shown.neural
        root += "mode" to ReconstructionMode.DLAA
        assertTrue(runner.run("scene").isOk, log.toString())
        frames(3)
        assertTrue(before.isClosed)
        assertNotSame(before, shown.neural)
        assertEquals(ReconstructionSize(128, 72), shown.neural.inputSize)
        assertEquals(2, renderer.renderList.preTargets.size) // of the boxes scene and comparison
        assertEquals(emptyList<String>(), log)
    }

    @OnSoftwareDrivers
    fun `an edited shader goes on after a reset, and a broken one keeps the last picture`(driver: String) = onCanvas(driver) { shown ->
        frames(3)
        val scene = runner.find("scene")
        val good = scene.fragment!!
        scene.fragment = good.replace("color = vec4(", "color = 0.5 * vec4(")
        frames(1)
        // The module compiles while the frame draws, so the revision that evaluate is told moves one frame later.
        frames(1)
        assertEquals("frame 4: scene revision changed", shown.neural.lastReset.toString())
        scene.fragment = good + "\nnonsense"
        frames(2)
        val module = shown["sceneModule"] as Module
        assertEquals(good.lines().size + 1, module.shaderError!!.line)
        assertEquals("frame 4: scene revision changed", shown.neural.lastReset.toString())
        assertEquals(ReconstructionResult.Reconstructed, shown.neural.lastResult)
    }

    /** Where the point at this pixel and depth was on the screen of the frame before, minus where it is, in pixels. */
    private fun cameraMotion(x: Int, y: Int, depth: Float, now: RecordedFrame, old: RecordedFrame, width: Int, height: Int): FloatArray {
        val p = now.projection
        val ndc = floatArrayOf((x + 0.5f) / width * 2 - 1, 1 - (y + 0.5f) / height * 2)
        // Depth 1 is the sky, infinitely far: a direction, which the camera's place does not move.
        val (far, w) = if (depth == 1f) Pair(1f, 0f) else Pair(p[14] / (depth + p[10]), 1f)
        val view = floatArrayOf(ndc[0] * far / p[0], ndc[1] * far / p[5], -far)
        val world = FloatArray(3) { axis -> (0..2).sumOf { (now.view[4 * axis + it] * (view[it] - w * now.view[12 + it])).toDouble() }.toFloat() }
        val was = FloatArray(3) { row -> (0..2).sumOf { (old.view[4 * it + row] * world[it]).toDouble() }.toFloat() + w * old.view[12 + row] }
        return floatArrayOf(
            (p[0] * was[0] / -was[2] - ndc[0]) / 2 * width, -(p[5] * was[1] / -was[2] - ndc[1]) / 2 * height,
        )
    }

    @OnSoftwareDrivers
    fun `motion of floor and sky is that of the camera, and objects have their own`(driver: String) = onCanvas(driver) { shown ->
        root.bypass = true // no jitter: pixel centres are where the points are
        frames(3)
        val old = shown.recorded()!!
        frames(1)
        val now = shown.recorded()!!
        val (depth, motion) = listOf(1, 2).map { renderer.readback(shown.source.imageViewArray[it]) }
        val (width, height) = depth.width to depth.height
        val off = (0 until height).flatMap { y ->
            (0 until width).map { x ->
                val expected = cameraMotion(x, y, depth[x, y], now, old, width, height)
                maxOf(abs(expected[0] - motion[x, y, 0]), abs(expected[1] - motion[x, y, 1]))
            }
        }
        val sky = off.indices.filter { depth.values[it] == 1f }
        assertTrue(sky.size > 300, "${sky.size} pixels of sky")
        assertTrue(sky.maxOf { off[it] } < 1e-3f, "sky is off by ${sky.maxOf { off[it] }} pixels")
        assertTrue(sky.minOf { abs(motion[it % width, it / width, 0]) } > 0.02f, "the sky moves")
        val still = off.indices.filter { off[it] < 2e-3f }
        assertTrue(still.size in off.size * 3 / 4 until off.size, "${still.size} of ${off.size} pixels move as the camera says")
        assertTrue(off.max() > 0.05f, "no object moves: ${off.max()}")
    }

    @OnSoftwareDrivers
    fun `camera and objects stand still from the frame on that is asked for`(driver: String) = onCanvas(driver) { shown ->
        root += "holdAt" to 3
        assertTrue(runner.run("scene").isOk, log.toString())
        fun greatestMotion() = renderer.readback(shown.source.imageViewArray[2]).values.maxOf { abs(it) }
        frames(4)
        val last = shown.recorded()!!
        assertEquals(3L, last.frameIndex)
        assertTrue(greatestMotion() > 0.05f, "frame 3 came by moving: ${greatestMotion()}")
        frames(2)
        assertEquals(last.view.toList(), shown.recorded()!!.view.toList())
        assertEquals(0f, greatestMotion())
        assertEquals(0L, shown.neural.lastReset!!.frame)
        assertNotEquals(last.jitter, shown.recorded()!!.jitter)
    }

    @OnSoftwareDrivers
    fun `the native picture stands still while it is drawn again, and jitter moves it`(driver: String) = onCanvas(driver) { shown ->
        frames(2)
        fun native(jitter: ReconstructionJitter): List<Float> {
            shown.drawNative(renderer, jitter)
            return renderer.readback((shown["native"] as RenderToTexture).imageViewArray[0]).values.toList()
        }
        val first = native(ReconstructionJitter.ZERO)
        assertEquals(first, native(ReconstructionJitter.ZERO))
        assertNotEquals(first, native(ReconstructionJitter(0.25f, -0.25f)))
        frames(2)
        assertEquals(ReconstructionResult.Reconstructed, shown.neural.lastResult)
        assertEquals(0L, shown.neural.lastReset!!.frame)
    }

    @Test
    fun `every file is ASCII, every box begins with its intent and is short`() {
        val files = listOf(Canvas.STARTING_POINTS, Canvas.EXAMPLES).flatMap { Files.walk(it).use { all -> all.filter(Files::isRegularFile).toList() } }
        files.forEach { file -> assertTrue(Files.readAllBytes(file).all { it in 9..126 }, "$file is not ASCII") }
        val boxes = files.filter { it.toString().endsWith(".box.kt") }
        assertTrue(boxes.size > 10)
        boxes.forEach { box ->
            val lines = Files.readAllLines(box)
            assertTrue(lines.first().startsWith("// ") && lines.size <= 40, "$box: ${lines.size} lines, ${lines.first()}")
        }
    }
}
