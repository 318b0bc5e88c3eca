package reconstruction

import reconstruction.internal.AlphaCode
import reconstruction.internal.ColorEncodingCode
import reconstruction.internal.DepthCode
import reconstruction.internal.MotionDirectionCode
import reconstruction.internal.MotionGridCode
import reconstruction.internal.MotionUnitCode

/** What the depth image holds. Clip space z runs from 0 to 1. */
enum class DepthConvention(internal val code: Int) {
    /** Projected depth: 0 at the near plane, 1 at the far plane. */
    HARDWARE(DepthCode.HARDWARE),

    /** Projected depth: 1 at the near plane, 0 at the far plane. */
    HARDWARE_REVERSED(DepthCode.HARDWARE_REVERSED),

    /** Projected depth: 1 at the near plane, 0 at infinity. */
    HARDWARE_REVERSED_INFINITE(DepthCode.HARDWARE_REVERSED_INFINITE),

    /** Distance along the view axis, positive. */
    VIEW_LINEAR(DepthCode.VIEW_LINEAR),
}

/** Unit of the motion vectors. */
enum class MotionUnit(internal val code: Int) {
    /** Pixels of the chosen grid: +x right, +y down. */
    PIXELS(MotionUnitCode.PIXELS),

    /** Share of the picture, top-left origin, +y down. */
    UV_DELTA(MotionUnitCode.UV_DELTA),

    /** Clip space units, +y up. */
    NDC_Y_UP(MotionUnitCode.NDC_Y_UP),

    /** Clip space units, +y down. */
    NDC_Y_DOWN(MotionUnitCode.NDC_Y_DOWN),
}

/** Which way the motion vectors point. */
enum class MotionDirection(internal val code: Int) {
    /** Previous position minus current position. */
    CURRENT_TO_PREVIOUS(MotionDirectionCode.CURRENT_TO_PREVIOUS),

    /** Current position minus previous position. */
    PREVIOUS_TO_CURRENT(MotionDirectionCode.PREVIOUS_TO_CURRENT),
}

/** The grid whose pixels [MotionUnit.PIXELS] counts. */
enum class MotionGrid(internal val code: Int) {
    /** Render pixels. */
    RENDER(MotionGridCode.RENDER),

    /** Output pixels. */
    OUTPUT(MotionGridCode.OUTPUT),
}

/**
 * How motion vectors are to be read. By default a point moving 4 render pixels right writes (-4, 0), and 4 down (0, -4).
 */
data class MotionConvention(
    val unit: MotionUnit = MotionUnit.PIXELS,
    val direction: MotionDirection = MotionDirection.CURRENT_TO_PREVIOUS,
    val grid: MotionGrid = MotionGrid.RENDER,
)

/** How colour is encoded. Pre-exposed linear colour is declared by [Exposure.PreExposed]. */
enum class ColorEncoding(internal val code: Int) {
    /** Linear, scene-referred, unbounded. */
    LINEAR_HDR(ColorEncodingCode.LINEAR_HDR),

    /** sRGB-encoded, 0 to 1. */
    SRGB_LDR(ColorEncodingCode.SRGB_LDR),
}

/** What becomes of alpha. */
enum class AlphaMode(internal val code: Int) {
    /** Output alpha is 1. */
    IGNORE(AlphaCode.IGNORE),

    /** Alpha is reconstructed like a colour channel. */
    RECONSTRUCT(AlphaCode.RECONSTRUCT),

    /** Alpha of the nearest input pixel. */
    COPY_NEAREST(AlphaCode.COPY_NEAREST),
}
