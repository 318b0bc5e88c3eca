package reconstruction.launcher

import field.host.Pixels
import kotlin.math.ln
import kotlin.math.ln1p
import kotlin.math.log10

/** What every PSNR is taken of. */
const val SCORE_TONE: String = "log1p(8x)/log 9"

/** log1p(8 x) / log 9; negative and NaN count as 0. */
private fun logTone(radiance: Float): Double = ln1p(8.0 * (if (radiance > 0f) radiance else 0f)) / ln(9.0)

/** PSNR in dB of red, green and blue after [SCORE_TONE], of linear colour at exposure 1; infinite for equal pictures. */
fun psnr(picture: Pixels, reference: Pixels): Double {
    require(picture.width == reference.width && picture.height == reference.height) {
        "psnr: expected ${reference.width}x${reference.height}, got ${picture.width}x${picture.height}"
    }
    var sum = 0.0
    for (y in 0 until picture.height) for (x in 0 until picture.width) for (c in 0..2) {
        val error = logTone(picture[x, y, c]) - logTone(reference[x, y, c])
        sum += error * error
    }
    return -10 * log10(sum / (3L * picture.width * picture.height))
}
