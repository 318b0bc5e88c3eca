package reconstruction.launcher

import field.host.Pixels
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class EnlargeTest {
    private fun row(vararg values: Float) = Pixels(values.size, 1, 1, values)

    @Test
    fun `the same size gives the same picture`() {
        val picture = Pixels(3, 2, 2, FloatArray(12) { it * 1.7f })
        assertArrayEquals(picture.values, bicubic(picture, 3, 2).values)
    }

    @Test
    fun `an impulse spreads by the weights of the cubic with slope -0,75`() {
        // At 2x the places lie 0.25 and 0.75 from a pixel: w(0.25) = 0.87890625, w(0.75) = 0.26171875 and
        // w(1.25) = -0.10546875, w(1.75) = -0.03515625, the last two cut to 0.
        val wide = bicubic(row(0f, 0f, 1f, 0f, 0f), 10, 1)
        assertArrayEquals(
            floatArrayOf(0f, 0f, 0f, 0.26171875f, 0.87890625f, 0.87890625f, 0.26171875f, 0f, 0f, 0f), wide.values, 1e-7f,
        )
    }

    @Test
    fun `a flat picture stays flat at any ratio`() {
        val flat = Pixels(5, 4, 1, FloatArray(20) { 0.5f })
        bicubic(flat, 13, 11).values.forEach { assertEquals(0.5f, it, 1e-6f) }
    }

    @Test
    fun `the jitter as shift takes the displacement of the picture back`() {
        // A picture displaced by +0.5 px holds at pixel 3 what belongs at 2.5.
        val displaced = bicubic(row(0f, 1f, 2f, 3f, 4f, 5f, 6f), 7, 1, shiftX = 0.5f)
        assertEquals(3.5f, displaced[3, 0], 1e-6f)
    }
}
