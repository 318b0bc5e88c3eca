package reconstruction

import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import reconstruction.internal.JitterTable

/** The jitter sequence without the native library. */
class JitterTest {
    @Test
    fun `every bit equals native core`() {
        for (row in JitterTable.rows) {
            val input = ReconstructionSize(row.input[0], row.input[1])
            val output = ReconstructionSize(row.output[0], row.output[1])
            assertEquals(row.phases, ReconstructionJitter.phases(input, output))
            for (entry in row.entries.split(' ')) {
                val (index, x, y) = entry.split(':')
                val jitter = ReconstructionJitter.halton(index.toLong(), input, output)
                assertEquals("$index:$x:$y", "$index:%08x:%08x".format(jitter.x.toRawBits(), jitter.y.toRawBits()))
            }
        }
    }

    @Test
    fun `one object gives all three conventions`() {
        val size = ReconstructionSize(200, 100)
        val jitter = ReconstructionJitter(0.25, -0.5)
        assertArrayEquals(floatArrayOf(0.0025f, 0.01f), jitter.clipYUp(size))
        assertArrayEquals(floatArrayOf(0.0025f, -0.01f), jitter.clipYDown(size))
        assertArrayEquals(floatArrayOf(0.25f, 1f), jitter.ray())
    }

    @Test
    fun `any whole number is an index and nothing else is`() {
        val size = ReconstructionSize(960, 540)
        val output = ReconstructionSize(1920, 1080)
        val seventh = ReconstructionJitter.halton(7, size, output)
        for (index in listOf<Number>(7L, 7.0, 7f, 7.toShort(), 7 + 32)) {
            assertEquals(seventh, ReconstructionJitter.halton(index, size, output))
        }
        val error = assertThrows(InvalidInput::class.java) { ReconstructionJitter.halton(0.5, size, output) }
        assertEquals("frameIndex: expected a whole number, got 0.5; count recorded frames", error.message)
        assertThrows(InvalidInput::class.java) { ReconstructionJitter.halton(Double.NaN, size, output) }
        assertThrows(InvalidInput::class.java) { ReconstructionJitter.halton(0, ReconstructionSize(0, 5), output) }
    }
}
