package field.host

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class HalfTest {
    @Test
    fun `every half survives the way to float and back`() {
        for (bits in 0..0xffff) {
            val value = Half.toFloat(bits)
            if (value.isNaN()) continue
            assertEquals(bits, Half.fromFloat(value).toInt() and 0xffff, "$bits")
        }
    }

    @Test
    fun `rounding is to nearest even with overflow to infinity`() {
        // 2049 lies between 2048 and 2050, 2051 between 2050 and 2052; 65519.99 is the last to stay finite.
        assertEquals(2048f, Half.toFloat(Half.fromFloat(2049f).toInt()))
        assertEquals(2052f, Half.toFloat(Half.fromFloat(2051f).toInt()))
        assertEquals(65504f, Half.toFloat(Half.fromFloat(65519.9f).toInt()))
        assertEquals(Float.POSITIVE_INFINITY, Half.toFloat(Half.fromFloat(65520f).toInt()))
        assertEquals(1f / (1 shl 24), Half.toFloat(Half.fromFloat(0.75f / (1 shl 24)).toInt()))
        assertEquals(0f, Half.toFloat(Half.fromFloat(0.5f / (1 shl 24)).toInt()))
    }
}
