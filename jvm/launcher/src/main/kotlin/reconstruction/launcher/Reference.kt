package reconstruction.launcher

import field.host.Pixels
import reconstruction.ReconstructionJitter

/** Samples per pixel of a reference. */
const val REFERENCE_SAMPLES: Int = 64

/**
 * The scene as it stands, at output size: the mean over the pixel of [REFERENCE_SAMPLES] displaced pictures.
 *
 * @param progress told how many samples are done
 */
fun reference(canvas: Canvas, progress: (Int) -> Unit = {}): Pixels {
    val renderer = canvas.renderer
    val draw = canvas.exports.drawNative
    var sum = DoubleArray(0)
    for (sample in 0 until REFERENCE_SAMPLES) {
        renderer.immediately { command, index -> draw(command, index, hammersley(sample)) }
        // The first drawing may be what allocates the target.
        val values = renderer.readback(canvas.exports.native.imageViewArray[0]).values
        if (sample == 0) sum = DoubleArray(values.size)
        for (i in sum.indices) sum[i] += values[i].toDouble()
        progress(sample + 1)
    }
    val target = canvas.exports.native
    val mean = FloatArray(sum.size) { (sum[it] / REFERENCE_SAMPLES).toFloat() }
    return Pixels(target.width, target.height, sum.size / (target.width * target.height), mean)
}

/** Point set with one point in each 64th of either axis, and a mean of zero. */
private fun hammersley(sample: Int): ReconstructionJitter {
    val bits = Integer.numberOfTrailingZeros(REFERENCE_SAMPLES)
    val mirrored = Integer.reverse(sample) ushr 32 - bits
    return ReconstructionJitter((sample + 0.5f) / REFERENCE_SAMPLES - 0.5f, (mirrored + 0.5f) / REFERENCE_SAMPLES - 0.5f)
}
