package reconstruction.field

import reconstruction.ReconstructionJitter

/**
 * What a scene says of the frame it recorded last, for those who keep its inputs.
 *
 * @property frameIndex index among the recorded frames
 * @property jitter the displacement it was rasterised with, in input pixels
 * @property view world to view, 16 floats, column-major, view space y up
 * @property projection view to clip without jitter, 16 floats, column-major, clip y up, clip z 0..1
 * @property revision revision of the scene
 * @property isReset whether history began anew with it
 */
class RecordedFrame(
    val frameIndex: Long,
    val jitter: ReconstructionJitter,
    val view: FloatArray,
    val projection: FloatArray,
    val revision: Long,
    val isReset: Boolean,
)
