package reconstruction

/** Where the exposure of a frame comes from. Exposed colour = colour * exposure; a jump is no reset. */
sealed class Exposure {
    /** Measured from the picture. */
    object Auto : Exposure() {
        override fun toString(): String = "Exposure.Auto"
    }

    /** A number, finite and above 0. */
    class Scalar(value: Number) : Exposure() {
        /** exposed colour = colour * value */
        val value: Float = value.toFloat()

        override fun toString(): String = "Exposure.Scalar($value)"
    }

    /** Red of texel (0, 0) of an R32F, R16F, RGBA16F or RGBA32F image, with the meaning of [Scalar]. */
    class Texture(val image: ImageView) : Exposure() {
        override fun toString(): String = "Exposure.Texture($image)"
    }

    /** Colour is already multiplied by this number, finite and above 0; the output stays multiplied. */
    class PreExposed(factor: Number) : Exposure() {
        /** colour = radiance * factor */
        val factor: Float = factor.toFloat()

        override fun toString(): String = "Exposure.PreExposed($factor)"
    }
}
