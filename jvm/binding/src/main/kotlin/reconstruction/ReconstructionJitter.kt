package reconstruction

/**
 * Displacement of the picture in render pixels: [x] to the right, [y] down, each in -0.5..0.5.
 *
 * One object gives the offset in all three conventions: [clipYUp], [clipYDown] and [ray].
 */
data class ReconstructionJitter(val x: Float, val y: Float) {
    constructor(x: Number, y: Number) : this(x.toFloat(), y.toFloat())

    /** Offset of clip.xy, to be multiplied by clip.w, where clip space y points up: (2 x / width, -2 y / height). */
    fun clipYUp(inputSize: ReconstructionSize): FloatArray =
        floatArrayOf(2 * x / inputSize.width, -2 * y / inputSize.height)

    /** Offset of clip.xy, to be multiplied by clip.w, where clip space y points down: (2 x / width, 2 y / height). */
    fun clipYDown(inputSize: ReconstructionSize): FloatArray =
        floatArrayOf(2 * x / inputSize.width, 2 * y / inputSize.height)

    /** Where in pixel (0, 0) a ray samples, from the pixel's top-left corner: 0.5 - jitter. Add the pixel. */
    fun ray(): FloatArray = floatArrayOf(0.5f - x, 0.5f - y)

    companion object {
        /** No displacement. */
        @JvmField
        val ZERO: ReconstructionJitter = ReconstructionJitter(0f, 0f)

        /**
         * Halton (2, 3), centred: entry 1 + frameIndex mod [phases]. It depends on the frame index alone, never on
         * time, and needs no native library. Negative indices count backwards.
         */
        fun halton(
            frameIndex: Number,
            inputSize: ReconstructionSize,
            outputSize: ReconstructionSize,
        ): ReconstructionJitter {
            val index = wholeOrNull(frameIndex) ?: throw InvalidInput(
                "frameIndex: expected a whole number, got $frameIndex; count recorded frames",
            )
            val entry = 1 + Math.floorMod(index, phases(inputSize, outputSize).toLong()).toInt()
            return ReconstructionJitter(radicalInverse(entry, 2), radicalInverse(entry, 3))
        }

        /** Length of the sequence: ceil(8 * output area / input area), at least 32. */
        fun phases(inputSize: ReconstructionSize, outputSize: ReconstructionSize): Int {
            check("inputSize", inputSize)
            check("outputSize", outputSize)
            val input = inputSize.area
            return maxOf(32L, (8 * outputSize.area + input - 1) / input).coerceAtMost(MAX_PHASES).toInt()
        }

        private fun check(name: String, size: ReconstructionSize) {
            if (size.width !in 1..MAX_AXIS || size.height !in 1..MAX_AXIS) {
                throw InvalidInput("$name: expected 1..$MAX_AXIS pixels on each axis, got $size; use recommend(...).optimal")
            }
        }

        /** Mirror image of the digits of [index] behind the point, minus one half, rounded once. */
        private fun radicalInverse(index: Int, base: Int): Float {
            var rest = index
            var numerator = 0L
            var denominator = 1L
            while (rest > 0) {
                numerator = numerator * base + rest % base
                denominator *= base
                rest /= base
            }
            return (2 * numerator - denominator).toFloat() / (2 * denominator).toFloat()
        }

        private const val MAX_AXIS = 16384

        /** Keeps entries in an Int; legal sizes need fewer than 100 phases. */
        private const val MAX_PHASES = 1L shl 30
    }
}
