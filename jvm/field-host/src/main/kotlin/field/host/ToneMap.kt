package field.host

import kotlin.math.pow

/** The one tone mapping of every picture that is meant for eyes. */
object ToneMap {
    /** As written into the PNG's text chunk. */
    const val NAME: String = "x/(1+x), then sRGB"

    /** 0..255 of one linear, non-negative radiance; NaN and negative values are black. */
    fun byteOf(radiance: Float): Int {
        if (!(radiance > 0f)) return 0
        val mapped = if (radiance == Float.POSITIVE_INFINITY) 1f else radiance / (1f + radiance)
        val encoded = if (mapped <= 0.0031308f) 12.92f * mapped else 1.055f * mapped.pow(1f / 2.4f) - 0.055f
        return (encoded * 255f + 0.5f).toInt()
    }

    /** The same in GLSL, on a vec3. */
    internal const val GLSL: String =
        "vec3 toneMap(vec3 x) { x = mix(vec3(0.0), min(x, vec3(65504.0)), greaterThan(x, vec3(0.0))); x = x / (1.0 + x); " +
            "return mix(12.92 * x, 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055, greaterThan(x, vec3(0.0031308))); }"
}
