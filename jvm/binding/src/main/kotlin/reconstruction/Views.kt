package reconstruction

import reconstruction.internal.BypassCode
import reconstruction.internal.DebugViewCode

/** What the output shows. While it is not [OFF], jitter is zero; its end resets history. */
enum class Bypass(internal val code: Int) {
    /** The reconstruction. */
    OFF(BypassCode.OFF),

    /** The source, enlarged: what the reconstruction receives. */
    ENLARGED(BypassCode.ENLARGED),

    /** The source itself; input and output size must be equal. */
    SOURCE(BypassCode.SOURCE),
}

/** Which intermediate picture `debugOutput` shows. */
enum class DebugView(internal val code: Int) {
    /** No debug picture is drawn. */
    NONE(DebugViewCode.NONE),

    /** The input colour as it was read. */
    INPUTS(DebugViewCode.INPUTS),

    /** Motion after conversion: red right, green down, grey still. */
    MOTION(DebugViewCode.MOTION),

    /** The previous picture, moved to where it should be now. */
    HISTORY_REPROJECTED(DebugViewCode.HISTORY_REPROJECTED),

    /** Where history was usable. */
    HISTORY_VALIDITY(DebugViewCode.HISTORY_VALIDITY),

    /** Share of history in the result. */
    TRUST(DebugViewCode.TRUST),

    /** Weight of the current samples. */
    SAMPLE_WEIGHT(DebugViewCode.SAMPLE_WEIGHT),

    /** Width of the reconstruction kernel. */
    KERNEL_WIDTH(DebugViewCode.KERNEL_WIDTH),

    /** Where history was corrected by the clamp. */
    REJECTED(DebugViewCode.REJECTED),

    /** Accumulated samples, as a share of the jitter sequence. */
    PHASE_COVERAGE(DebugViewCode.PHASE_COVERAGE),
}
