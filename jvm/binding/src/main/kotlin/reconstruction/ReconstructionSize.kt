package reconstruction

/** Width and height of an image in pixels. Legal render sizes are 21..8192 on each axis, output sizes 64..8192. */
data class ReconstructionSize(val width: Int, val height: Int) {
    constructor(width: Number, height: Number) : this(
        whole("width", width, 0L..Int.MAX_VALUE).toInt(),
        whole("height", height, 0L..Int.MAX_VALUE).toInt(),
    )

    /** Number of pixels. */
    val area: Long get() = width.toLong() * height

    override fun toString(): String = "${width}x$height"
}

/** A whole number of [range] out of whatever number a script has at hand. */
internal fun whole(name: String, value: Number, range: LongRange): Long {
    val number = wholeOrNull(value)
    if (number == null || number !in range) {
        throw InvalidInput("$name: expected a whole number in $range, got $value; count and round it")
    }
    return number
}

/** The value as Long when it is whole. Doubles are whole up to 2^53. */
internal fun wholeOrNull(value: Number): Long? = when (value) {
    is Double, is Float -> {
        val double = value.toDouble()
        if (double == Math.rint(double) && Math.abs(double) <= 9007199254740992.0) double.toLong() else null
    }
    else -> value.toLong()
}
