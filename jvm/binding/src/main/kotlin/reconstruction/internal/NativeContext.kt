package reconstruction.internal

import reconstruction.ImageView
import reconstruction.InvalidInput
import reconstruction.ReconstructionFeature
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionModel
import reconstruction.ReconstructionSize

/** What a native context is made of; contexts of equal settings can stand in for each other. */
internal data class ContextSettings(
    val inputSize: ReconstructionSize,
    val outputSize: ReconstructionSize,
    val mode: ReconstructionMode,
    val feature: ReconstructionFeature,
    val model: ReconstructionModel,
    val debug: Boolean,
)

/** A native context and what it answered when it was made. Owned by one DlssReconstruction at a time. */
internal class NativeContext(host: HostConnection, val settings: ContextSettings, name: String) {
    val packer = FramePacker(host.handles.device)
    private val answers = blockBuffer(maxOf(Abi.TIMINGS_BYTES, StatisticsBlock.SIZE))
    val handle: Long
    val output: ImageView
    val debugOutput: ImageView?
    val backend: String
    val deviceBytes: Long
    val mipBias: Float

    /** False once closed: its images are dead for whoever still holds them. */
    var isOpen = true

    /** True after a fault inside the library: it can only be closed. */
    var isBroken = false

    init {
        val bytes = blockBuffer(Abi.CREATE_BYTES)
        ContextBlock(bytes).apply {
            scaleBits = settings.mode.ratio.toRawBits()
            renderSize(0, settings.inputSize.width)
            renderSize(1, settings.inputSize.height)
            outputSize(0, settings.outputSize.width)
            outputSize(1, settings.outputSize.height)
            mode = settings.mode.code
            feature = settings.feature.code
            model = settings.model.code
            wantsDebug = if (settings.debug) 1 else 0
            this.name = name
            modelPath = settings.model.file
            if (modelPath != settings.model.file) {
                throw InvalidInput("model: expected a path of fewer characters, got ${settings.model}; name a copy or a link")
            }
        }
        handle = host.call { natives, handle -> natives.contextCreate(handle, bytes) }
        output = image(ImageBlock(bytes, ContextBlock.SIZE))
        debugOutput = ImageBlock(bytes, ContextBlock.SIZE + ImageBlock.SIZE).let { if (it.view == 0L) null else image(it) }
        val created = CreatedBlock(bytes, ContextBlock.SIZE + 2 * ImageBlock.SIZE)
        backend = created.backend
        deviceBytes = created.deviceBytes
        mipBias = created.mipBias
    }

    private fun image(block: ImageBlock) = ImageView(
        block.view, block.image, block.format, ReconstructionSize(block.width, block.height), block.usage,
        block.samples, block.mips, block.layers, block.layout, block.device,
    ) { isOpen }

    /** The answer to a question of [QueryCode], in a buffer that the next question overwrites. */
    fun ask(natives: Natives, question: Int) = answers.also { natives.contextQuery(handle, question, it) }
}
