package reconstruction

import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import reconstruction.vulkan.SoftwareDriver
import reconstruction.vulkan.TestScene
import reconstruction.vulkan.read
import java.nio.file.Files
import java.nio.file.Path

/** Frames through the native library on a software driver, with the validation layer watching. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ReconstructionTest(driver: SoftwareDriver) {
    private val scene = TestScene(driver)

    @AfterAll
    fun `nothing for the validation layer to say`() {
        scene.close()
        assertEquals(emptyList<String>(), scene.device.messages)
    }

    private fun red(picture: ShortArray, x: Int, y: Int) = TestScene.float(picture[4 * (y * 128 + x)])

    private fun run(neural: DlssReconstruction, frames: IntRange) {
        for (index in frames) assertSame(ReconstructionResult.Reconstructed, scene.evaluate(neural, scene.frame(neural, index)))
    }

    @Test
    fun `a still picture is reconstructed`() {
        val neural = scene.context()
        run(neural, 0..15)
        val picture = scene.device.read(neural.output)
        // Centres of two 16x16 tiles, far from any edge.
        assertEquals(1.0f, red(picture, 8, 8), 0.02f)
        assertEquals(0.25f, red(picture, 24, 8), 0.02f)
        assertEquals(1.0f, TestScene.float(picture[3]))
        neural.close()
        scene.collect()
    }

    @Test
    fun `a bypass shows the source and its end resets`() {
        val neural = scene.context()
        run(neural, 0..1)
        neural.bypass = Bypass.ENLARGED
        assertEquals(ReconstructionJitter.ZERO, neural.jitter(2))
        assertTrue(scene.evaluate(neural, scene.frame(neural, 2)) is ReconstructionResult.Bypassed)
        val picture = scene.device.read(neural.output)
        assertEquals(1.0f, red(picture, 8, 8), 0.001f)
        assertEquals(0.25f, red(picture, 24, 8), 0.001f)
        neural.bypass = Bypass.OFF
        run(neural, 3..3)
        assertEquals(LastReset(3, ResetCause.BYPASS_ENDED, "bypass ended"), neural.lastReset)
        neural.close()
    }

    @Test
    fun `every cause of a reset is seen`() {
        val neural = scene.context()
        run(neural, 0..3)
        assertEquals(LastReset(0, ResetCause.FIRST, "first frame"), neural.lastReset)
        neural.reset("camera cut")
        run(neural, 4..4)
        assertEquals(LastReset(4, ResetCause.REQUESTED, "camera cut"), neural.lastReset)
        run(neural, 5..5)
        assertEquals(4, neural.lastReset!!.frame)
        scene.evaluate(neural, scene.frame(neural, 6, revision = 1))
        assertEquals(LastReset(6, ResetCause.REVISION, "scene revision changed"), neural.lastReset)
        scene.evaluate(neural, scene.frame(neural, 9, revision = 1))
        assertEquals(LastReset(9, ResetCause.INDEX_SKIPPED, "frame index skipped ahead"), neural.lastReset)
        scene.evaluate(neural, scene.frame(neural, 9, revision = 1))
        assertEquals(LastReset(9, ResetCause.INDEX_REPEATED, "frame index repeated"), neural.lastReset)
        scene.evaluate(neural, scene.frame(neural, 2, revision = 1))
        assertEquals(LastReset(2, ResetCause.INDEX_DECREASED, "frame index went back"), neural.lastReset)
        scene.evaluate(neural, scene.frame(neural, 3, revision = 1), skippedHostFrames = 5)
        assertEquals(LastReset(3, ResetCause.RESUMED, "presentation resumed"), neural.lastReset)
        neural.depthConvention = DepthConvention.HARDWARE_REVERSED
        scene.evaluate(neural, scene.frame(neural, 4, revision = 1))
        assertEquals(LastReset(4, ResetCause.CONVENTION_CHANGED, "a convention of the inputs changed"), neural.lastReset)
        neural.close()
    }

    @Test
    fun `a frame without a usable exposure is declined and the next one resets`() {
        val neural = scene.context()
        run(neural, 0..0)
        val before = scene.device.read(neural.output)
        val bad = ReconstructionFrame(1, ReconstructionJitter.ZERO, exposure = Exposure.Scalar(Float.NaN))
        val declined = scene.evaluate(neural, bad) as ReconstructionResult.Declined
        assertTrue(declined.reason.startsWith("exposure: expected a finite number above 0, got NaN"), declined.reason)
        assertTrue(before.contentEquals(scene.device.read(neural.output)))
        run(neural, 2..2)
        assertEquals(ResetCause.AFTER_DECLINE, neural.lastReset!!.cause)
        neural.close()
    }

    @Test
    fun `times and counts of a finished frame`() {
        val neural = scene.context()
        assertEquals(null, neural.timings())
        assertEquals(null, neural.statistics())
        neural.isCounting = true
        run(neural, 0..1)
        scene.collect()
        val timings = neural.timings()!!
        assertEquals(1, timings.frame)
        val passes = timings.passes.map { it.pass }
        assertEquals(listOf("exposure", "gather", "features", "door"), passes.take(4))
        assertEquals(listOf("heads", "resolve"), passes.takeLast(2))
        assertTrue(timings.passes.all { it.milliseconds >= 0 } && timings.total > 0)
        assertEquals(Statistics(1, 0f, 0f, 0f, 0f, 0f), neural.statistics())
        neural.close()
    }

    @Test
    fun `weights of a file reconstruct, whatever its name, and a missing or damaged one is refused`() {
        val shipped = scene.context()
        run(shipped, 0..1)
        val folder = Files.createTempDirectory("mod\u00e8les 50% ")
        val file = Files.copy(Path.of("../../models/sr.safetensors"), folder.resolve("own \u65e5.safetensors"))
        val own = scene.context(model = ReconstructionModel.file(file))
        run(own, 0..1)
        assertTrue(scene.device.read(shipped.output).contentEquals(scene.device.read(own.output)))
        Files.write(file, Files.readAllBytes(file).copyOf(100_000))
        for (name in listOf(file, folder.resolve("none.safetensors"))) {
            val error = assertThrows(InvalidInput::class.java) { scene.context(model = ReconstructionModel.file(name)) }
            assertTrue(error.message!!.lines().size == 1 && "safetensors" in error.message!!, error.message)
        }
        run(own, 2..2)
        listOf(shipped, own).forEach { it.close() }
    }

    @Test
    fun `two views in one command buffer`() {
        val left = scene.context()
        val right = scene.context()
        val picture = scene.device.read(scene.run { context().also { evaluate(it, frame(it, 0)) } }.output)
        val number = scene.hostFrame + 1
        scene.device.submit { command ->
            left.evaluate(command, scene.inputs, scene.frame(left, 0), number, number - 1)
            right.evaluate(command, scene.inputs, scene.frame(right, 0), number, number - 1)
        }
        assertTrue(picture.contentEquals(scene.device.read(left.output)))
        assertTrue(picture.contentEquals(scene.device.read(right.output)))
        // The scene's own counter passes over the frame numbered here.
        scene.evaluate(left, scene.frame(left, 1))
        left.close()
        right.close()
    }

    @Test
    fun `a debug view is drawn beside the output`() {
        val neural = scene.context()
        neural.debugView = DebugView.INPUTS
        run(neural, 0..0)
        assertTrue(scene.device.read(neural.debugOutput).any { it != 0.toShort() })
        neural.close()
    }

    @Test
    fun `boxes that run again and again leak nothing`() {
        var bytes = 0L
        repeat(200) {
            val neural = scene.context(name = "rerun")
            scene.evaluate(neural, scene.frame(neural, 0))
            if (it == 0) bytes = neural.deviceBytes
            assertEquals(bytes, neural.deviceBytes)
        }
        repeat(50) {
            val neural = scene.context()
            scene.evaluate(neural, scene.frame(neural, 0))
            neural.close()
            neural.close()
            scene.collect()
        }
    }

    @Test
    fun `the device is described and recommends`() {
        val report = DlssReconstruction.support(scene.host)
        assertTrue(report.device.isNotEmpty())
        assertEquals(Support.Supported, report.superResolution)
        assertFalse(report.rayReconstruction.isSupported)
        val output = ReconstructionSize(1920, 1080)
        val expected = mapOf(
            ReconstructionMode.DLAA to ReconstructionSize(1920, 1080),
            ReconstructionMode.QUALITY to ReconstructionSize(1280, 720),
            ReconstructionMode.BALANCED to ReconstructionSize(1114, 626),
            ReconstructionMode.PERFORMANCE to ReconstructionSize(960, 540),
            ReconstructionMode.ULTRA_PERFORMANCE to ReconstructionSize(640, 360),
        )
        assertEquals(expected, expected.mapValues { DlssReconstruction.recommend(scene.host, output, it.key).optimal })
        val best = DlssReconstruction.recommend(scene.host, output, ReconstructionMode.scale(3))
        assertEquals(ReconstructionJitter.phases(best.optimal, output), best.jitterPhases)
        assertEquals(ReconstructionSize(640, 360), best.min)
        assertEquals(output, best.max)
        val rays = DlssReconstruction.recommend(scene.host, output, ReconstructionMode.QUALITY, rayReconstruction = true)
        assertEquals(output, rays.optimal)
        val error = assertThrows(UnsupportedDevice::class.java) {
            DlssReconstruction(scene.host, output, output, ReconstructionMode.DLAA, rayReconstruction = true)
        }
        assertEquals(rays.reason, error.message)
    }
}

class LavapipeReconstructionTest : ReconstructionTest(SoftwareDriver.LAVAPIPE)

class SwiftShaderReconstructionTest : ReconstructionTest(SoftwareDriver.SWIFTSHADER)
