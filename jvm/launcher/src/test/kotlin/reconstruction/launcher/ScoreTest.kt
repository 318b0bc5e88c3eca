package reconstruction.launcher

import field.host.Pixels
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class ScoreTest {
    private fun flat(vararg rgba: Float) = Pixels(2, 2, 4, FloatArray(16) { rgba[it % 4] })

    @Test
    fun `one channel off by the whole scale is a mean square of a third, and alpha does not count`() {
        // log1p(8) / log 9 = 1
        assertEquals(4.7712, psnr(flat(1f, 0f, 0f, 0f), flat(0f, 0f, 0f, 1f)), 1e-4)
    }

    @Test
    fun `an error of a tenth of the scale is 20 dB`() {
        val tenth = (Math.expm1(0.1 * Math.log(9.0)) / 8).toFloat()
        assertEquals(20.0, psnr(flat(tenth, tenth, tenth, 1f), flat(0f, 0f, 0f, 1f)), 1e-5)
    }

    @Test
    fun `NaN and negative values count as black, equal pictures as endless`() {
        assertEquals(Double.POSITIVE_INFINITY, psnr(flat(Float.NaN, -1f, 2f, 1f), flat(0f, 0f, 2f, 1f)))
    }
}
