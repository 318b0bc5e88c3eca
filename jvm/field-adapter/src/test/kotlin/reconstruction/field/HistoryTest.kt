package reconstruction.field

import field.host.OnSoftwareDrivers
import field.host.Renderer
import field.host.onRenderer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.lwjgl.vulkan.VkCommandBuffer
import reconstruction.Bypass
import reconstruction.Exposure
import reconstruction.MotionConvention
import reconstruction.MotionUnit
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionModel
import reconstruction.ReconstructionResult
import reconstruction.ResetCause

/** Each cause of a reset alone, on a sequence that has none besides its first frame. */
class HistoryTest {
    private class Sequence(val renderer: Renderer) : AutoCloseable {
        val scene = TestScene(renderer, SMALL)

        // What resets is the same for every model, and the shaders of this one are soon compiled.
        val neural = DlssReconstruction(renderer, SMALL, LARGE, ReconstructionMode.PERFORMANCE, model = ReconstructionModel.ANALYTIC)

        fun frame(i: Int, work: (VkCommandBuffer, Int) -> ReconstructionResult = { c, index -> scene.evaluate(neural, c, index, i) }) =
            renderer.inFrame(work)

        override fun close() {
            scene.close()
            neural.close()
        }
    }

    /** Five quiet frames, then [event] makes what comes next; the reset it causes, or null for none. */
    private fun after(driver: String, event: Sequence.() -> Unit): ResetCause? {
        var cause: ResetCause? = null
        onRenderer(driver) { renderer ->
            Sequence(renderer).use { sequence ->
                repeat(5) { sequence.frame(it) }
                assertEquals(ResetCause.FIRST, sequence.neural.lastReset!!.cause)
                sequence.event()
                cause = sequence.neural.lastReset!!.takeIf { it.frame > 0 }?.cause
                if (cause == null) cause = sequence.neural.lastReset!!.cause.takeIf { it != ResetCause.FIRST }
            }
        }
        return cause
    }

    @OnSoftwareDrivers
    fun `quiet frames go on without a reset`(driver: String) = assertEquals(null, after(driver) { repeat(4) { frame(5 + it) } })

    @OnSoftwareDrivers
    fun `reset with a reason`(driver: String) = assertEquals(ResetCause.REQUESTED, after(driver) {
        neural.reset("camera cut")
        frame(5)
        assertEquals("frame 5: camera cut", neural.lastReset.toString())
    })

    @OnSoftwareDrivers
    fun `a changed scene revision`(driver: String) = assertEquals(ResetCause.REVISION, after(driver) {
        frame(5) { command, index -> scene.evaluate(neural, command, index, 5, revision = 1) }
    })

    @OnSoftwareDrivers
    fun `a replaced input image`(driver: String) = assertEquals(ResetCause.INPUT_REPLACED, after(driver) {
        TestScene(renderer, SMALL).use { other ->
            frame(5) { command, index -> other.evaluate(neural, command, index, 5) }
        }
    })

    @OnSoftwareDrivers
    fun `a skipped, a repeated and a decreased frame index`(driver: String) {
        assertEquals(ResetCause.INDEX_SKIPPED, after(driver) { frame(6) })
        assertEquals(ResetCause.INDEX_REPEATED, after(driver) { frame(4) })
        assertEquals(ResetCause.INDEX_DECREASED, after(driver) { frame(2) })
    }

    @OnSoftwareDrivers
    fun `presentation that went on without evaluating`(driver: String) = assertEquals(ResetCause.RESUMED, after(driver) {
        repeat(3) { renderer.frame() }
        frame(5)
    })

    @OnSoftwareDrivers
    fun `work between frames is no pause`(driver: String) = assertEquals(null, after(driver) {
        repeat(3) { renderer.immediately { _, _ -> } }
        frame(5)
    })

    @OnSoftwareDrivers
    fun `the end of a bypass`(driver: String) = assertEquals(ResetCause.BYPASS_ENDED, after(driver) {
        neural.bypass = Bypass.ENLARGED
        repeat(2) { frame(5 + it) }
        neural.bypass = Bypass.OFF
        frame(7)
    })

    @OnSoftwareDrivers
    fun `the frame after a declined one`(driver: String) = assertEquals(ResetCause.AFTER_DECLINE, after(driver) {
        val before = renderer.readback(neural.output.imageViewArray[0]).values.toList()
        val declined = frame(5) { command, index -> scene.evaluate(neural, command, index, 5, exposure = Exposure.Scalar(Float.NaN)) }
        assertTrue(declined is ReconstructionResult.Declined, declined.toString())
        assertEquals((declined as ReconstructionResult.Declined).reason, neural.lastDecline)
        assertEquals(before, renderer.readback(neural.output.imageViewArray[0]).values.toList())
        frame(6)
    })

    @OnSoftwareDrivers
    fun `a changed convention`(driver: String) = assertEquals(ResetCause.CONVENTION_CHANGED, after(driver) {
        neural.motionConvention = MotionConvention(unit = MotionUnit.UV_DELTA)
        frame(5)
    })

    @OnSoftwareDrivers
    fun `a jump of exposure is no reset`(driver: String) = assertEquals(null, after(driver) {
        frame(5) { command, index -> scene.evaluate(neural, command, index, 5, exposure = Exposure.Scalar(64)) }
    })

    @OnSoftwareDrivers
    fun `a target for each frame in flight is no reset`(driver: String) = assertEquals(null, after(driver) {
        TestScene(renderer, SMALL).use { other ->
            frame(5) { command, index -> other.evaluate(neural, command, index, 5) }
            neural.reset("start") // from here the two targets alternate
            val start = 6
            repeat(8) { i ->
                val scene = if (i % 2 == 0) scene else other
                frame(start + i) { command, index -> scene.evaluate(neural, command, index, start + i) }
            }
            assertEquals("frame 6: start", neural.lastReset.toString())
        }
    }.takeIf { it != ResetCause.REQUESTED })
}
