package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import reconstruction.RecordingNatives.Companion.context
import reconstruction.RecordingNatives.Companion.host
import reconstruction.RecordingNatives.Companion.image

/** Who owns what, and for how long. */
class LifetimeTest {
    private val natives = RecordingNatives()
    private val host = host(natives)

    private fun DlssReconstruction.record(inputs: ReconstructionInputs = ReconstructionInputs(image(), image(), image())) =
        evaluate(0x55L, inputs, ReconstructionFrame(1, ReconstructionJitter.ZERO), null, 2, 1)

    private fun count(name: String) = natives.names.count { it == name }

    private inline fun <reified T : ReconstructionException> line(noinline block: () -> Unit): String =
        assertThrows(T::class.java) { block() }.message!!

    @Test
    fun `a host loads nothing until it is asked`() {
        var loads = 0
        val lazy = host(natives) { natives.also { loads++ } }
        lazy.collect(5)
        lazy.toString()
        assertEquals(0, loads)
        DlssReconstruction.support(lazy)
        context(lazy)
        assertEquals(1, loads)
    }

    @Test
    fun `closing twice closes once, and use after close throws`() {
        val neural = context(host)
        val output = neural.output
        assertTrue(output.alive)
        neural.close()
        neural.close()
        assertEquals(1, count("contextClose"))
        assertFalse(output.alive)
        assertTrue(neural.isClosed)
        val expected = "DlssReconstruction: expected an open context, got one that is closed; use the newer one or create one"
        assertEquals(expected, line<InvalidState> { neural.record() })
        assertEquals(expected, line<InvalidState> { neural.output })
        assertEquals(expected, line<InvalidState> { neural.timings() })
        assertEquals(expected, line<InvalidState> { neural.reset("cut") })
        assertEquals(ReconstructionJitter.ZERO, neural.jitter(5))
        assertEquals(0, count("contextEvaluate"))
        assertEquals(expected, neural.lastError!!.message)
    }

    @Test
    fun `contexts without a name are two views`() {
        val left = context(host)
        val right = context(host)
        assertEquals(2, count("contextCreate"))
        left.close()
        right.record()
    }

    @Test
    fun `a name finds its context again`() {
        val first = context(host, "main")
        val output = first.output
        val second = context(host, "main")
        assertSame(output, second.output)
        assertEquals(1, count("contextCreate"))
        assertTrue(line<InvalidState> { first.record() }.contains("'main'"))
        assertTrue(line<InvalidState> { first.record() }.contains("was replaced by a newer one of that name"))
        // The box that made the first one ends later and closes it: the second goes on.
        first.close()
        assertEquals(0, count("contextClose"))
        second.record()
        second.close()
        assertEquals(1, count("contextClose"))
    }

    @Test
    fun `a name with other settings ends the older context`() {
        val first = context(host, "main")
        val output = first.output
        val second = context(host, "main", output = 130)
        assertFalse(output.alive)
        assertEquals(listOf("contextCreate", "support", "contextClose", "contextCreate"), natives.names.takeLast(4))
        second.record()
        assertTrue(context(host(natives), "main").output.alive)
        second.record()
    }

    @Test
    fun `rerunning two hundred times leaves one context`() {
        repeat(200) { context(host, "main", output = if (it % 2 == 0) 128 else 130) }
        assertEquals(200, count("contextCreate"))
        assertEquals(199, count("contextClose"))
    }

    @Test
    fun `closing the host ends its contexts`() {
        val neural = context(host)
        host.close()
        host.close()
        assertEquals(1, count("hostClose"))
        neural.close()
        assertEquals(0, count("contextClose"))
        assertTrue(line<InvalidState> { neural.record() }.startsWith("DlssReconstruction: expected an open "))
        assertTrue(line<InvalidState> { context(host) }.startsWith("host: expected an open VulkanHost"))
    }

    @Test
    fun `a lost device stays lost, and closing still works`() {
        val neural = context(host)
        val other = context(host)
        val lost = DeviceLost("device: lost")
        natives.fail = { if (it == "contextEvaluate") lost else null }
        assertSame(lost, assertThrows(DeviceLost::class.java) { neural.record() })
        natives.fail = { null }
        assertSame(lost, assertThrows(DeviceLost::class.java) { neural.record() })
        assertSame(lost, assertThrows(DeviceLost::class.java) { other.record() })
        assertSame(lost, neural.lastError)
        assertTrue(neural.toString().endsWith("last error device: lost"))
        assertEquals(1, count("contextEvaluate"))
        neural.close()
        assertEquals(1, count("contextClose"))
        host.close()
        assertEquals(1, count("hostClose"))
    }

    @Test
    fun `a fault of the library breaks one context`() {
        val broken = context(host, "main")
        natives.fail = { if (it == "contextEvaluate") InternalFault("native library: index out of bounds") else null }
        assertThrows(InternalFault::class.java) { broken.record() }
        natives.fail = { null }
        val next = context(host, "main")
        assertEquals(2, count("contextCreate"))
        assertEquals(1, count("contextClose"))
        next.record()
    }

    @Test
    fun `a failed creation can be tried again`() {
        natives.fail = { if (it == "contextCreate") OutOfDeviceMemory("output: no memory") else null }
        assertThrows(OutOfDeviceMemory::class.java) { context(host, "main") }
        natives.fail = { null }
        context(host, "main").record()
    }

    @Test
    fun `jitter is zero while bypassed`() {
        val neural = context(host)
        val expected = ReconstructionJitter.halton(5, neural.inputSize, neural.outputSize)
        assertEquals(expected, neural.jitter(5))
        neural.bypass = Bypass.ENLARGED
        assertEquals(ReconstructionJitter.ZERO, neural.jitter(5))
        neural.bypass = Bypass.OFF
        assertEquals(expected, neural.jitter(5))
    }

    @Test
    fun `the status line says what there is`() {
        val neural = context(host, "main")
        assertEquals(
            "DlssReconstruction 'main': SUPER_RESOLUTION NETWORK on stand-in pipelines, 64x36 to 128x72 PERFORMANCE, " +
                "frame none, last reset none, last decline none",
            neural.toString(),
        )
        neural.record()
        assertTrue(neural.toString().contains(", frame 1, "))
        assertNull(neural.lastError)
        neural.close()
        assertTrue(neural.toString().contains("NETWORK, is closed, "))
    }
}
