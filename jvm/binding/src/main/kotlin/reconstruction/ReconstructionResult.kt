package reconstruction

import reconstruction.internal.ResetReasonCode

/** What became of an evaluated frame. */
sealed class ReconstructionResult {
    /** The output holds the reconstruction. */
    object Reconstructed : ReconstructionResult() {
        override fun toString(): String = "Reconstructed"
    }

    /** The output shows the source instead, as asked. */
    class Bypassed(val reason: String) : ReconstructionResult() {
        override fun toString(): String = "Bypassed($reason)"
    }

    /**
     * The frame could not be reconstructed. The output keeps its last picture (black before the first), history is
     * untouched, and the next good frame resets.
     */
    class Declined(val reason: String) : ReconstructionResult() {
        override fun toString(): String = "Declined($reason)"
    }
}

/** Why history began anew. */
enum class ResetCause(internal val code: Int, internal val words: String) {
    /** The first frame of a context. */
    FIRST(ResetReasonCode.FIRST, "first frame"),

    /** `reset("...")` was called. */
    REQUESTED(ResetReasonCode.REQUESTED, "requested"),

    /** The scene revision changed. */
    REVISION(ResetReasonCode.REVISION, "scene revision changed"),

    /** An input image was replaced. */
    INPUT_REPLACED(ResetReasonCode.INPUT_REPLACED, "an input image was replaced"),

    /** The frame index skipped ahead. */
    INDEX_SKIPPED(ResetReasonCode.INDEX_SKIPPED, "frame index skipped ahead"),

    /** The frame index was repeated. */
    INDEX_REPEATED(ResetReasonCode.INDEX_REPEATED, "frame index repeated"),

    /** The frame index went back. */
    INDEX_DECREASED(ResetReasonCode.INDEX_DECREASED, "frame index went back"),

    /** The host presented frames without evaluating. */
    RESUMED(ResetReasonCode.RESUMED, "presentation resumed"),

    /** A bypass ended. */
    BYPASS_ENDED(ResetReasonCode.BYPASS_ENDED, "bypass ended"),

    /** The frame before was declined. */
    AFTER_DECLINE(ResetReasonCode.AFTER_DECLINE, "the frame before was declined"),

    /** A convention of the inputs changed. */
    CONVENTION_CHANGED(ResetReasonCode.CONVENTION_CHANGED, "a convention of the inputs changed"),
}

/**
 * The last time history began anew.
 *
 * @property frame frame index of that frame
 * @property cause the rule that applied
 * @property reason the words given to `reset`, or the rule's own
 */
data class LastReset(val frame: Long, val cause: ResetCause, val reason: String) {
    override fun toString(): String = "frame $frame: $reason"
}
