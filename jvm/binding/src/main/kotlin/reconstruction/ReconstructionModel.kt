package reconstruction

import reconstruction.internal.ModelCode
import java.nio.file.Path

/**
 * Which model reconstructs. This version carries [ANALYTIC], the default; a context with another one throws
 * [UnsupportedDevice], and `support` gives the reason.
 */
sealed class ReconstructionModel {
    /** Temporal upscaling without a network: the baseline and the fallback. */
    object ANALYTIC : ReconstructionModel() {
        override fun toString(): String = "ANALYTIC"
    }

    /** The network of middle size. Not in this version. */
    object NETWORK : ReconstructionModel() {
        override fun toString(): String = "NETWORK"
    }

    /** The smallest network. Not in this version. */
    object FAST : ReconstructionModel() {
        override fun toString(): String = "FAST"
    }

    /** The largest network. Not in this version. */
    object FINE : ReconstructionModel() {
        override fun toString(): String = "FINE"
    }

    /** Weights of the caller's own. Not in this version. */
    class File internal constructor(val path: Path) : ReconstructionModel() {
        override fun toString(): String = "file(${ascii(path.toString())})"

        override fun equals(other: Any?): Boolean = other is File && other.path == path

        override fun hashCode(): Int = path.hashCode()
    }

    internal val code: Int get() = if (this == ANALYTIC) ModelCode.ANALYTIC else ModelCode.NETWORK

    /** Why this version cannot run the model, or null. */
    internal val missing: String?
        get() = if (this == ANALYTIC) null
        else "model: expected ANALYTIC, the model of this version, got $this; use ReconstructionModel.ANALYTIC"

    companion object {
        /** Weights in a .safetensors file. */
        fun file(path: Path): ReconstructionModel = File(path)

        /** Weights in a .safetensors file. */
        fun file(path: String): ReconstructionModel = File(Path.of(path))
    }
}
