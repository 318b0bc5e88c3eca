package reconstruction

import reconstruction.internal.EnabledFeatureCode
import reconstruction.internal.FeatureCode

/** What a context reconstructs. */
enum class ReconstructionFeature(internal val code: Int) {
    /** DLAA and Super Resolution. */
    SUPER_RESOLUTION(FeatureCode.SUPER_RESOLUTION),

    /** Denoising and Super Resolution from material guides. */
    RAY_RECONSTRUCTION(FeatureCode.RAY_RECONSTRUCTION),
}

/** Optional device features that a host enabled. They choose faster pipelines, never another picture. */
enum class DeviceFeature(internal val code: Int) {
    /** `shaderInt8` */
    SHADER_INT8(EnabledFeatureCode.SHADER_INT8),

    /** `storageBuffer8BitAccess` */
    STORAGE_BUFFER_8BIT(EnabledFeatureCode.STORAGE_BUFFER8_BIT),

    /** `shaderIntegerDotProduct` */
    INTEGER_DOT_PRODUCT(EnabledFeatureCode.INTEGER_DOT_PRODUCT),

    /** `cooperativeMatrix` */
    COOPERATIVE_MATRIX(EnabledFeatureCode.COOPERATIVE_MATRIX),

    /** `subgroupSizeControl` */
    SUBGROUP_SIZE_CONTROL(EnabledFeatureCode.SUBGROUP_SIZE_CONTROL),
}

/** Whether something runs here. */
sealed class Support {
    /** It runs. */
    object Supported : Support() {
        override fun toString(): String = "Supported"
    }

    /** It does not; [reason] is the line that the constructor would throw. */
    data class Unsupported(val reason: String) : Support()

    /** Whether this is [Supported]. */
    val isSupported: Boolean get() = this == Supported
}

/**
 * What a device can do.
 *
 * @property device name of the device; empty when the native library could not be loaded
 */
data class SupportReport(val device: String, val superResolution: Support, val rayReconstruction: Support) {
    /** The answer for one feature. */
    operator fun get(feature: ReconstructionFeature): Support = when (feature) {
        ReconstructionFeature.SUPER_RESOLUTION -> superResolution
        ReconstructionFeature.RAY_RECONSTRUCTION -> rayReconstruction
    }
}

/**
 * What to render at.
 *
 * @property optimal input size of the mode; the output size where it is unsupported
 * @property min smallest legal input size
 * @property max largest legal input size
 * @property jitterPhases length of the jitter sequence at the optimal size
 * @property mipBias mip level bias for textures of the source pass: log2(input / output) - 1
 * @property support whether a context of the optimal size can be made on this device
 */
data class Recommendation(
    val optimal: ReconstructionSize,
    val min: ReconstructionSize,
    val max: ReconstructionSize,
    val jitterPhases: Int,
    val mipBias: Float,
    val support: Support,
) {
    /** Why a context cannot be made, or null. */
    val reason: String? get() = (support as? Support.Unsupported)?.reason
}
