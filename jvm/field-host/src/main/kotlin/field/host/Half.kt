package field.host

/** IEEE half floats as 16-bit patterns; Java 17 has no conversion of its own. */
internal object Half {
    fun toFloat(bits: Int): Float {
        val sign = (bits and 0x8000) shl 16
        val exponent = bits shr 10 and 0x1f
        val mantissa = bits and 0x3ff
        return when (exponent) {
            0 -> {
                val magnitude = mantissa * (1f / (1 shl 24))
                if (sign == 0) magnitude else -magnitude
            }
            31 -> Float.fromBits(sign or 0x7f800000 or (mantissa shl 13))
            else -> Float.fromBits(sign or (exponent + 112 shl 23) or (mantissa shl 13))
        }
    }

    /** Rounds to nearest, ties to even; overflow becomes infinity. */
    fun fromFloat(value: Float): Short {
        val bits = value.toRawBits()
        val sign = bits ushr 16 and 0x8000
        val magnitude = bits and 0x7fffffff
        val half = when {
            magnitude > 0x7f800000 -> 0x7e00
            magnitude >= 0x477ff000 -> 0x7c00
            // Below 2^-14 the half is denormal: adding 0.5 leaves units of 2^-24, rounded to even, in the low mantissa bits.
            magnitude < 0x38800000 -> (Float.fromBits(magnitude) + 0.5f).toRawBits() - 0x3f000000
            else -> magnitude - 0x38000000 + 0xfff + (magnitude ushr 13 and 1) ushr 13
        }
        return (sign or half).toShort()
    }
}
