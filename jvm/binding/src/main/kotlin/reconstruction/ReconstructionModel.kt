package reconstruction

import reconstruction.internal.ModelCode
import java.nio.file.Path

/**
 * Which model reconstructs. Super Resolution has [NETWORK], the default, [ANALYTIC] and [file]; a context with another
 * one throws [UnsupportedDevice], and `support` gives the reason.
 */
sealed class ReconstructionModel {
    /** Temporal upscaling without a network: the baseline and the fallback. */
    object ANALYTIC : ReconstructionModel() {
        override fun toString(): String = "ANALYTIC"
    }

    /** The shipped network: sharper and steadier than [ANALYTIC], some more time a frame. */
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

    /** Weights of the caller's own. */
    class File internal constructor(val path: Path) : ReconstructionModel() {
        override fun toString(): String = "file(${ascii(path.toString())})"

        override fun equals(other: Any?): Boolean = other is File && other.path == path

        override fun hashCode(): Int = path.hashCode()
    }

    internal val code: Int get() = if (this == ANALYTIC) ModelCode.ANALYTIC else ModelCode.NETWORK

    /** Why this version cannot run the model, or null. */
    internal val missing: String?
        get() = if (this != FAST && this != FINE) null
        else "model: expected NETWORK, ANALYTIC or file(...), got $this; this version has one size of network"

    /** The file of the weights, absolute, in the escapes of a file URI; empty for none. */
    internal val file: String get() = (this as? File)?.path?.toUri()?.toASCIIString()?.removePrefix("file://").orEmpty()

    companion object {
        /** Weights in a .safetensors file. */
        fun file(path: Path): ReconstructionModel = File(path)

        /** Weights in a .safetensors file. */
        fun file(path: String): ReconstructionModel = File(Path.of(path))
    }
}
