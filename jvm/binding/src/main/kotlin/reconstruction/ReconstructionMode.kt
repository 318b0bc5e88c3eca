package reconstruction

import reconstruction.internal.ModeCode

/**
 * How much smaller than the output the source is rendered.
 *
 * A mode other than [DLAA] only names a recommendation: a context takes every legal input size with it.
 */
class ReconstructionMode private constructor(
    /** Name as people write it, for example `ULTRA_PERFORMANCE`; `SCALE` for a free ratio. */
    val name: String,
    /** Output pixels per input pixel along one axis, 1..3. */
    val ratio: Double,
    internal val code: Int,
) {
    override fun toString(): String = if (code == ModeCode.SCALE) "SCALE $ratio" else name

    override fun equals(other: Any?): Boolean =
        other is ReconstructionMode && other.code == code && other.ratio.compareTo(ratio) == 0

    override fun hashCode(): Int = 31 * code + ratio.hashCode()

    companion object {
        /** Same size: antialiasing only. The input size must equal the output size. */
        @JvmField
        val DLAA: ReconstructionMode = ReconstructionMode("DLAA", 1.0, ModeCode.DLAA)

        /** Ratio 1.5: 1280x720 for 1080p. */
        @JvmField
        val QUALITY: ReconstructionMode = ReconstructionMode("QUALITY", 1.5, ModeCode.QUALITY)

        /** Ratio 1/0.58: 1114x626 for 1080p. */
        @JvmField
        val BALANCED: ReconstructionMode = ReconstructionMode("BALANCED", 1 / 0.58, ModeCode.BALANCED)

        /** Ratio 2: 960x540 for 1080p. */
        @JvmField
        val PERFORMANCE: ReconstructionMode = ReconstructionMode("PERFORMANCE", 2.0, ModeCode.PERFORMANCE)

        /** Ratio 3: 640x360 for 1080p. */
        @JvmField
        val ULTRA_PERFORMANCE: ReconstructionMode =
            ReconstructionMode("ULTRA_PERFORMANCE", 3.0, ModeCode.ULTRA_PERFORMANCE)

        /** The named modes, in order of falling input size. */
        @JvmField
        val NAMED: List<ReconstructionMode> = listOf(DLAA, QUALITY, BALANCED, PERFORMANCE, ULTRA_PERFORMANCE)

        /** Any ratio in 1..3, the same on both axes. */
        fun scale(ratio: Number): ReconstructionMode {
            val value = ratio.toDouble()
            if (!(value >= 1.0 && value <= 3.0)) {
                throw InvalidInput("scale: expected a ratio in 1..3, got $ratio; use a named mode or a ratio in this range")
            }
            return ReconstructionMode("SCALE", value, ModeCode.SCALE)
        }

        /** The named mode called [name]. */
        fun named(name: String): ReconstructionMode = NAMED.firstOrNull { it.name == name }
            ?: throw InvalidInput(
                "mode: expected one of ${NAMED.joinToString { it.name }}, got ${ascii(name)}; correct the name",
            )
    }
}
