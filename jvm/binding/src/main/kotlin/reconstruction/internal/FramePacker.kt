package reconstruction.internal

import reconstruction.Exposure
import reconstruction.ImageView
import reconstruction.InvalidInput
import reconstruction.MotionConvention
import reconstruction.ReconstructionFrame
import reconstruction.ReconstructionInputs

/** The direct buffer of one context's evaluate, with views of its blocks. Filled anew by every frame. */
internal class FramePacker(private val device: Long) {
    val bytes = blockBuffer(Abi.EVALUATE_BYTES)
    val frame = FrameBlock(bytes)
    val reply = ReplyBlock(bytes, FrameBlock.SIZE + SLOTS * ImageBlock.SIZE)
    private val images = Array(SLOTS) { ImageBlock(bytes, FrameBlock.SIZE + it * ImageBlock.SIZE) }

    fun pack(given: ReconstructionFrame) {
        frame.frameIndex = given.frameIndex
        frame.revision = given.revision
        frame.jitterPx(0, given.jitter.x)
        frame.jitterPx(1, given.jitter.y)
    }

    fun pack(inputs: ReconstructionInputs, exposure: Exposure) {
        frame.imageMask = 0
        image(InputSlotCode.COLOR, "color", inputs.color)
        image(InputSlotCode.DEPTH, "depth", inputs.depth)
        image(InputSlotCode.MOTION, "motion", inputs.motion)
        frame.exposureScale = 1f
        frame.exposureKind = when (exposure) {
            is Exposure.Auto -> ExposureKindCode.AUTO
            is Exposure.Scalar -> ExposureKindCode.SCALAR.also { frame.exposureScale = exposure.value }
            is Exposure.PreExposed -> ExposureKindCode.PRE_EXPOSED.also { frame.exposureScale = exposure.factor }
            is Exposure.Texture -> ExposureKindCode.TEXTURE.also {
                image(InputSlotCode.EXPOSURE, "exposure", exposure.image)
            }
        }
    }

    fun pack(motion: MotionConvention) {
        frame.motionUnit = motion.unit.code
        frame.motionDirection = motion.direction.code
        frame.motionGrid = motion.grid.code
    }

    private fun image(slot: Int, name: String, given: ImageView) {
        if (!given.alive) {
            throw InvalidInput("$name: expected a living image, got a closed one; rebuild the inputs with their owner")
        }
        if (given.deviceAddress != device) {
            throw InvalidInput(
                "$name: expected an image of the host's device, got one of another device; create it on this device",
            )
        }
        frame.imageMask = frame.imageMask or (1 shl slot)
        images[slot].apply {
            view = given.view
            image = given.image
            device = given.deviceAddress
            format = given.format
            width = given.extent.width
            height = given.extent.height
            usage = given.usage
            samples = given.samples
            mips = given.mips
            layers = given.layers
            layout = given.layout
        }
    }

    private companion object {
        const val SLOTS = InputSlotCode.EXPOSURE + 1
    }
}
