package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import reconstruction.RecordingNatives.Companion.DEVICE
import reconstruction.RecordingNatives.Companion.VIEW
import reconstruction.RecordingNatives.Companion.context
import reconstruction.RecordingNatives.Companion.host
import reconstruction.RecordingNatives.Companion.image
import reconstruction.internal.ContextBlock
import reconstruction.internal.ExposureKindCode
import reconstruction.internal.FrameBlock
import reconstruction.internal.HostBlock
import reconstruction.internal.ImageBlock
import reconstruction.internal.InputSlotCode
import reconstruction.internal.ModelCode
import reconstruction.internal.OutcomeCode
import reconstruction.internal.RecommendBlock
import reconstruction.internal.ResetReasonCode

/** What crosses the boundary is what the caller said. */
class PackingTest {
    private val natives = RecordingNatives()
    private val host = host(natives)
    private val inputs = ReconstructionInputs(image(0), image(1), image(2))

    private fun DlssReconstruction.record(
        frameIndex: Number = 7,
        revision: Number = 0,
        exposure: Exposure = Exposure.Auto,
    ): ReconstructionResult = evaluate(
        0x55L, inputs, ReconstructionFrame(frameIndex, ReconstructionJitter(0.25, -0.5), revision, exposure), null, 12, 10L,
    )

    private fun last(name: String) = natives.calls.last { it.name == name }

    @Test
    fun `a host gives its handles once`() {
        context(host)
        context(host)
        HostBlock(natives.calls.single { it.name == "hostCreate" }.block!!).apply {
            assertEquals(listOf(0x11L, 0x22L, DEVICE, 0x33L), listOf(instance, physicalDevice, device, getInstanceProcAddr))
            assertEquals(listOf(3, 2, 4198400, 5), listOf(queueFamily, framesInFlight, apiVersion, enabledFeatures))
        }
    }

    private fun contextOf(file: String) = DlssReconstruction(
        host, ReconstructionSize(64, 36), ReconstructionSize(128, 72), ReconstructionMode.PERFORMANCE,
        model = ReconstructionModel.file(file),
    )

    @Test
    fun `a model of a file gives its path, whatever the letters`() {
        contextOf("/weights/own.safetensors")
        assertEquals("/weights/own.safetensors", ContextBlock(last("contextCreate").block!!).modelPath)
        contextOf("/home/Jos\u00e9/50% done.safetensors")
        assertEquals("/home/Jos%C3%A9/50%25%20done.safetensors", ContextBlock(last("contextCreate").block!!).modelPath)
        val error = assertThrows<InvalidInput> { contextOf("/" + "long/".repeat(300)) }
        assertTrue("fewer characters" in error.message!!, error.message)
    }

    @Test
    fun `a context gives sizes, mode and wishes`() {
        DlssReconstruction(
            host, ReconstructionSize(100, 50), ReconstructionSize(170, 85.0), ReconstructionMode.scale(1.7),
            debug = false, name = "left",
        )
        ContextBlock(last("contextCreate").block!!).apply {
            assertEquals(listOf(100, 50, 170, 85), listOf(renderSize(0), renderSize(1), outputSize(0), outputSize(1)))
            assertEquals(1.7, Double.fromBits(scaleBits))
            assertEquals(listOf(5, 0, ModelCode.NETWORK, 0), listOf(mode, feature, model, wantsDebug))
            assertEquals("left", name)
            assertEquals("", modelPath)
        }
    }

    @Test
    fun `a frame carries every number`() {
        val neural = context(host)
        neural.bypass = Bypass.ENLARGED
        neural.debugView = DebugView.TRUST
        neural.alpha = AlphaMode.COPY_NEAREST
        neural.colorEncoding = ColorEncoding.SRGB_LDR
        neural.depthConvention = DepthConvention.VIEW_LINEAR
        neural.motionConvention = MotionConvention(MotionUnit.NDC_Y_DOWN, MotionDirection.PREVIOUS_TO_CURRENT, MotionGrid.OUTPUT)
        neural.isTiming = false
        neural.isCounting = true
        neural.reset("a cut\u00e9")
        neural.record(frameIndex = -3, revision = 1L shl 40)
        FrameBlock(last("contextEvaluate").block!!).apply {
            assertEquals(listOf(0x55L, 12L, 10L, -3L, 1L shl 40), listOf(commandBuffer, hostFrame, lastFinished, frameIndex, revision))
            assertEquals(listOf(0.25f, -0.5f), listOf(jitterPx(0), jitterPx(1)))
            assertEquals(listOf(1, 5, 2, 1), listOf(bypass, debugView, alpha, colorEncoding))
            assertEquals(listOf(3, 3, 1, 1), listOf(depthKind, motionUnit, motionDirection, motionGrid))
            assertEquals(listOf(0, 1, 1), listOf(wantsTimings, wantsStatistics, isReset))
            assertEquals("a cut?", resetText)
            assertEquals(0b0111, imageMask)
        }
    }

    @Test
    fun `an image carries what Vulkan does not tell`() {
        context(host).record()
        for (slot in InputSlotCode.COLOR..InputSlotCode.MOTION) {
            ImageBlock(last("contextEvaluate").block!!, FrameBlock.SIZE + slot * ImageBlock.SIZE).apply {
                assertEquals(listOf(VIEW + slot, 0x2000L + slot, DEVICE), listOf(view, image, device))
                assertEquals(listOf(97 + slot, 64, 36, 4, 1, 1, 1, 5), listOf(format, width, height, usage, samples, mips, layers, layout))
            }
        }
    }

    @Test
    fun `an exposure is a kind and a number or an image`() {
        val neural = context(host)
        val cases = listOf(
            Triple(Exposure.Auto, ExposureKindCode.AUTO, 1f),
            Triple(Exposure.Scalar(0.5), ExposureKindCode.SCALAR, 0.5f),
            Triple(Exposure.PreExposed(3), ExposureKindCode.PRE_EXPOSED, 3f),
            Triple(Exposure.Texture(image(3)), ExposureKindCode.TEXTURE, 1f),
        )
        for ((exposure, kind, scale) in cases) {
            neural.record(exposure = exposure)
            FrameBlock(last("contextEvaluate").block!!).apply {
                assertEquals(kind, exposureKind)
                assertEquals(scale, exposureScale)
                assertEquals(if (exposure is Exposure.Texture) 0b1111 else 0b0111, imageMask)
            }
        }
    }

    @Test
    fun `a reset is asked for until a frame has taken it`() {
        val neural = context(host)
        val asked = { FrameBlock(last("contextEvaluate").block!!).isReset }
        neural.reset("cut")
        natives.outcome = OutcomeCode.DECLINED
        natives.fillReply = { it.reason = "depth: expected an image, got none; pass one" }
        assertEquals("depth: expected an image, got none; pass one", (neural.record() as ReconstructionResult.Declined).reason)
        assertEquals("depth: expected an image, got none; pass one", neural.lastDecline)
        natives.outcome = OutcomeCode.RECONSTRUCTED
        natives.fillReply = {
            it.isReset = 1
            it.resetReason = ResetReasonCode.REQUESTED
            it.resetFrameIndex = 8
            it.resetText = "cut"
        }
        assertSame(ReconstructionResult.Reconstructed, neural.record(8))
        assertEquals(1, asked())
        assertEquals(LastReset(8, ResetCause.REQUESTED, "cut"), neural.lastReset)
        natives.fillReply = {
            it.isReset = 1
            it.resetReason = ResetReasonCode.INDEX_SKIPPED
            it.resetFrameIndex = 19
            it.resetText = ""
        }
        neural.record(19)
        assertEquals(0, asked())
        assertEquals("frame 19: frame index skipped ahead", neural.lastReset.toString())
    }

    @Test
    fun `answers come back as values`() {
        val neural = context(host)
        assertEquals(Timings(7, listOf(PassTime("gather", 0.5f), PassTime("output", 0.25f))), neural.timings())
        assertEquals(0.75f, neural.timings()!!.total)
        assertEquals(Statistics(6, 0.5f, 0f, 4f, 0f, 0f), neural.statistics())
        assertEquals(listOf(0x7000L, 0x7001L), listOf(neural.output.view, neural.debugOutput.view))
        assertEquals(1L shl 33, neural.deviceBytes)
        val best = DlssReconstruction.recommend(host, ReconstructionSize(128, 72), ReconstructionMode.PERFORMANCE)
        assertEquals(ReconstructionSize(64, 36), best.optimal)
        assertEquals(Support.Supported, best.support)
        assertEquals(3, RecommendBlock(last("recommend").block!!).mode)
    }

    @Test
    fun `an unsupported device is a value and a throw of the same line`() {
        natives.unsupported = "device: expected Vulkan 1.1, got 1.0; update the driver"
        val output = ReconstructionSize(128, 72)
        val best = DlssReconstruction.recommend(host, output, ReconstructionMode.PERFORMANCE)
        assertEquals(output, best.optimal)
        assertEquals(natives.unsupported, best.reason)
        assertEquals(Support.Unsupported(natives.unsupported!!), DlssReconstruction.support(host).superResolution)
        // Sizes are wrong as well: what is missing altogether is said first.
        val error = org.junit.jupiter.api.Assertions.assertThrows(UnsupportedDevice::class.java) {
            DlssReconstruction(host, ReconstructionSize(1, 1), ReconstructionSize(0, 0), ReconstructionMode.DLAA)
        }
        assertEquals(natives.unsupported, error.message)
        assertEquals(0, natives.names.count { it == "contextCreate" })
    }
}
