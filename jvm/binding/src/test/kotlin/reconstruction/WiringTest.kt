package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import reconstruction.RecordingNatives.Companion.context
import reconstruction.RecordingNatives.Companion.host
import reconstruction.RecordingNatives.Companion.image

/** What only the JVM side can see is refused here, with its line, before the native library is called. */
class WiringTest {
    private val natives = RecordingNatives()
    private val host = host(natives)
    private val neural = context(host)
    private val frame = ReconstructionFrame(1, ReconstructionJitter.ZERO)
    private val good = ReconstructionInputs(image(), image(), image())

    private fun refused(line: String, block: () -> Unit) {
        val error = assertThrows(ReconstructionException::class.java) { block() }
        assertEquals(line, error.message)
        assertTrue(error.message!!.all { it in ' '..'~' })
        assertTrue("contextEvaluate" !in natives.names)
    }

    @Test
    fun `a closed image`() = refused(
        "depth: expected a living image, got a closed one; rebuild the inputs with their owner",
    ) { neural.evaluate(1L, ReconstructionInputs(image(), image(1, { false }), image()), frame, null, 2, 1) }

    @Test
    fun `an image of another device`() = refused(
        "motion: expected an image of the host's device, got one of another device; create it on this device",
    ) { neural.evaluate(1L, ReconstructionInputs(image(), image(), image(2, device = 9)), frame, null, 2, 1) }

    @Test
    fun `a closed exposure texture`() = refused(
        "exposure: expected a living image, got a closed one; rebuild the inputs with their owner",
    ) {
        val exposed = ReconstructionFrame(1, ReconstructionJitter.ZERO, exposure = Exposure.Texture(image(3, { false })))
        neural.evaluate(1L, good, exposed, null, 2, 1)
    }

    @Test
    fun `a host frame before the first`() = refused(
        "hostFrame: expected a whole number in 1..9223372036854775807, got 0; count and round it",
    ) { neural.evaluate(1L, good, frame, null, 0, 0) }

    @Test
    fun `a last finished frame that is neither a frame nor LOST`() = refused(
        "lastFinished: expected a whole number in 0..9223372036854775807, got -2; count and round it",
    ) { neural.evaluate(1L, good, frame, null, 2, -2) }

    @Test
    fun `a last finished frame that is not before this one`() = refused(
        "lastFinished: expected a frame before the one being recorded, 2, got 2; " +
            "give the newest frame whose fence was signalled",
    ) { neural.evaluate(1L, good, frame, null, 2, 2) }

    @Test
    fun `a frame index between two frames`() = refused(
        "frameIndex: expected a whole number, got 1.5; count recorded frames",
    ) { ReconstructionFrame(1.5, ReconstructionJitter.ZERO) }

    @Test
    fun `a revision that is no number`() = refused(
        "revision: expected a whole number, got NaN; count the changes of the scene",
    ) { ReconstructionFrame(1, ReconstructionJitter.ZERO, Double.NaN) }

    @Test
    fun `guides for a context without Ray Reconstruction`() = refused(
        "guides: expected none for a context of Super Resolution, got material guides; " +
            "create the context with rayReconstruction = true",
    ) {
        val guides = RayReconstructionGuides(image(), image(), image(), FloatArray(16), FloatArray(16))
        neural.evaluate(1L, good, frame, guides, 2, 1)
    }

    @Test
    fun `a scale outside one to three`() = refused(
        "scale: expected a ratio in 1..3, got 3.5; use a named mode or a ratio in this range",
    ) { ReconstructionMode.scale(3.5) }

    @Test
    fun `a mode that does not exist`() = refused(
        "mode: expected one of DLAA, QUALITY, BALANCED, PERFORMANCE, ULTRA_PERFORMANCE, got FAST; correct the name",
    ) { ReconstructionMode.named("FAST") }

    @Test
    fun `a size that is no whole number`() = refused(
        "width: expected a whole number in 0..2147483647, got 10.5; count and round it",
    ) { ReconstructionSize(10.5, 10) }

    @Test
    fun `a model that this version lacks`() = refused(
        "model: expected NETWORK, ANALYTIC or file(...), got FINE; this version has one size of network",
    ) {
        DlssReconstruction(
            host, ReconstructionSize(64, 36), ReconstructionSize(128, 72), ReconstructionMode.PERFORMANCE,
            model = ReconstructionModel.FINE,
        )
    }

    @Test
    fun `the context goes on after every refusal`() {
        assertThrows(InvalidInput::class.java) { neural.evaluate(1L, good, frame, null, -2, 1) }
        assertEquals(ReconstructionResult.Reconstructed, neural.evaluate(1L, good, frame, null, 2, 1))
    }
}
