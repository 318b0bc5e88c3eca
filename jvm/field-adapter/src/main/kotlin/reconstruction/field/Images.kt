package reconstruction.field

import field.host.Extent
import field.host.ImageView
import org.lwjgl.vulkan.VkDevice
import reconstruction.RayReconstructionGuides
import reconstruction.ReconstructionInputs
import reconstruction.ReconstructionSize
import reconstruction.ImageView as BorrowedView

/** A view of Field as the reconstruction borrows it: same handles, same lifetime. */
fun ImageView.borrowed(): BorrowedView = BorrowedView(
    view, image, format, ReconstructionSize(extent.width, extent.height), usage, samples, mips, layers, layout, device,
    ::alive,
)

/** An image of the reconstruction as Field shows and binds it. */
internal fun BorrowedView.toField(device: VkDevice): ImageView = ImageView(
    view, image, format, Extent(extent.width, extent.height), usage, samples, mips, layers, layout, device, ::alive,
)

/**
 * The images of one frame, all of the input size: attachments of a `RenderToTexture`.
 *
 * @param color opaque colour: RGBA16F, RGBA32F, B10G11R11F or RGBA8_UNORM
 * @param depth R32F, or the D32F attachment of a target with `useDepth` (`depthView`)
 * @param motion RG16F or RG32F; by default previous minus current position in input pixels, y down, unjittered
 */
@Suppress("FunctionName")
fun ReconstructionInputs(color: ImageView, depth: ImageView, motion: ImageView): ReconstructionInputs =
    ReconstructionInputs(color.borrowed(), depth.borrowed(), motion.borrowed())

/** Material guides of Ray Reconstruction out of attachments; see the class for what each holds. */
@Suppress("FunctionName")
fun RayReconstructionGuides(
    diffuseAlbedo: ImageView,
    specularAlbedo: ImageView,
    normalRoughness: ImageView,
    modelView: FloatArray,
    projection: FloatArray,
): RayReconstructionGuides = RayReconstructionGuides(
    diffuseAlbedo.borrowed(), specularAlbedo.borrowed(), normalRoughness.borrowed(), modelView, projection,
)
