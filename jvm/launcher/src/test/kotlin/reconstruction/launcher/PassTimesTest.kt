package reconstruction.launcher

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Test
import reconstruction.PassTime
import reconstruction.Timings

class PassTimesTest {
    private val times = PassTimes()

    private fun reconstructed(frame: Long, output: Float) =
        times.add(Timings(frame, listOf(PassTime("gather", 1f), PassTime("output", output))))

    private fun bypassed(frame: Long, enlarge: Float) = times.add(Timings(frame, listOf(PassTime("enlarge", enlarge))))

    @Test
    fun `cheap bypassed frames do not make reconstructed ones look cheap`() {
        reconstructed(0, 4f)
        for (frame in 1L..9L) bypassed(frame, 0.5f)
        reconstructed(10, 5f)
        reconstructed(11, 9f)
        assertEquals(6.0, times.reconstructed.medianTotal)
        assertEquals(mapOf("gather" to 1.0, "output" to 5.0), times.reconstructed.medians)
        assertEquals(3, times.reconstructed.frames)
        assertEquals(0.5, times.bypassed.medianTotal)
        assertEquals(mapOf("enlarge" to 0.5), times.bypassed.medians)
        assertEquals(9, times.bypassed.frames)
    }

    @Test
    fun `a frame counts once`() {
        times.add(null)
        assertNull(times.reconstructed.medianTotal)
        repeat(3) { reconstructed(1, 4f) }
        repeat(2) { bypassed(2, 0.5f) }
        assertEquals(1, times.reconstructed.frames)
        assertEquals(1, times.bypassed.frames)
    }
}
