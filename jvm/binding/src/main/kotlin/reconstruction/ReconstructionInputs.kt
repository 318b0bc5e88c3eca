package reconstruction

/**
 * The images of one frame, all of the input size, with one sample, one mip and one layer, sampled usage.
 *
 * @property color opaque colour: RGBA16F, RGBA32F, B10G11R11F or RGBA8_UNORM
 * @property depth R32F, or a view of the depth aspect of a D32F or D32F_S8 attachment made with sampled usage
 * @property motion RG16F or RG32F; by default previous minus current position in input pixels, y down, unjittered
 */
class ReconstructionInputs(val color: ImageView, val depth: ImageView, val motion: ImageView)

/**
 * What a frame is.
 *
 * @param frameIndex index among the recorded frames: it grows by 1 with every recorded frame, never with time
 * @property jitter the displacement this frame was rasterised with
 * @param revision any whole number; a change resets history
 * @property exposure where the exposure comes from
 */
class ReconstructionFrame(
    frameIndex: Number,
    val jitter: ReconstructionJitter,
    revision: Number = 0,
    val exposure: Exposure = Exposure.Auto,
) {
    /** Index among the recorded frames. */
    val frameIndex: Long = wholeOrNull(frameIndex) ?: throw InvalidInput(
        "frameIndex: expected a whole number, got $frameIndex; count recorded frames",
    )

    /** Revision of the scene. */
    val revision: Long = wholeOrNull(revision) ?: throw InvalidInput(
        "revision: expected a whole number, got $revision; count the changes of the scene",
    )
}

/**
 * Material guides of Ray Reconstruction, all of the input size, and the unjittered camera.
 *
 * @property diffuseAlbedo exactly the factor that is in the colour
 * @property specularAlbedo view-dependent reflectance
 * @property normalRoughness normals in xyz, linear roughness in w
 * @property modelView world to view, 16 floats, column-major, view space y up
 * @property projection view to clip, 16 floats, column-major, clip z 0..1
 */
class RayReconstructionGuides(
    val diffuseAlbedo: ImageView,
    val specularAlbedo: ImageView,
    val normalRoughness: ImageView,
    val modelView: FloatArray,
    val projection: FloatArray,
)
