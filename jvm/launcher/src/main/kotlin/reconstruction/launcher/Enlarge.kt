package reconstruction.launcher

import field.host.Pixels
import kotlin.math.floor

/** Slope of the cubic at distance 1: the one that image tools use, and the baseline of `reconstruct frames`. */
private const val SLOPE = -0.75

/** First tap and four weights of one output coordinate. */
private class Taps(at: Int, from: Int, to: Int, shift: Float) {
    private val position = (at + 0.5) * from / to - 0.5 + shift
    private val base = floor(position)
    val first = base.toInt() - 1
    val weights = cubic(position - base)

    private fun cubic(t: Double): DoubleArray {
        fun inner(d: Double) = ((SLOPE + 2) * d - (SLOPE + 3)) * d * d + 1
        fun outer(d: Double) = SLOPE * (((d - 5) * d + 8) * d - 4)
        return doubleArrayOf(outer(1 + t), inner(t), inner(1 - t), outer(2 - t))
    }
}

/**
 * Bicubic enlargement, edges clamped, negative results cut to 0.
 *
 * @param shiftX moves the place that is read, in input pixels: the frame's jitter undoes the picture's displacement
 */
fun bicubic(picture: Pixels, width: Int, height: Int, shiftX: Float = 0f, shiftY: Float = 0f): Pixels {
    val channels = picture.channels
    val columns = List(width) { Taps(it, picture.width, width, shiftX) }
    val wide = FloatArray(width * picture.height * channels)
    for (y in 0 until picture.height) for (x in 0 until width) for (c in 0 until channels) {
        val taps = columns[x]
        var sum = 0.0
        for (k in 0..3) sum += taps.weights[k] * picture[(taps.first + k).coerceIn(0, picture.width - 1), y, c]
        wide[(y * width + x) * channels + c] = sum.toFloat()
    }
    val values = FloatArray(width * height * channels)
    for (y in 0 until height) {
        val taps = Taps(y, picture.height, height, shiftY)
        for (x in 0 until width * channels) {
            var sum = 0.0
            for (k in 0..3) sum += taps.weights[k] * wide[(taps.first + k).coerceIn(0, picture.height - 1) * width * channels + x]
            values[y * width * channels + x] = maxOf(sum.toFloat(), 0f)
        }
    }
    return Pixels(width, height, channels, values)
}
