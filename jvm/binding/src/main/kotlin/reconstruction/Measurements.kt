package reconstruction

/** Time of one pass on the device, in milliseconds. */
data class PassTime(val pass: String, val milliseconds: Float)

/**
 * Times of the last finished frame.
 *
 * @property frame frame index of the measured frame
 * @property passes passes in the order in which they ran
 */
data class Timings(val frame: Long, val passes: List<PassTime>) {
    /** Sum of all passes, in milliseconds. */
    val total: Float get() = passes.fold(0f) { sum, pass -> sum + pass.milliseconds }

    override fun toString(): String =
        "frame $frame: " + passes.joinToString { "${it.pass} ${it.milliseconds} ms" } + ", total $total ms"
}

/**
 * What the inputs of the last counted frame held. Shares are 0..1 of the input pixels.
 *
 * @property frame frame index of the counted frame
 * @property movingShare pixels with non-zero motion
 * @property nonfiniteMotionShare pixels whose motion is NaN or infinite
 * @property longestMotion longest motion in input pixels
 * @property nonfiniteColorShare pixels whose colour is NaN or infinite
 * @property nonfiniteDepthShare pixels whose depth is NaN or infinite
 */
data class Statistics(
    val frame: Long,
    val movingShare: Float,
    val nonfiniteMotionShare: Float,
    val longestMotion: Float,
    val nonfiniteColorShare: Float,
    val nonfiniteDepthShare: Float,
)
