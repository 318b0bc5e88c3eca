package reconstruction.internal

import reconstruction.Recommendation
import reconstruction.ReconstructionFeature
import reconstruction.ReconstructionJitter
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionModel
import reconstruction.ReconstructionSize
import reconstruction.Support
import reconstruction.UnsupportedDevice
import reconstruction.VulkanHost

/** Whether a feature runs with a model, and the device's name. */
internal fun askSupport(
    host: VulkanHost,
    feature: ReconstructionFeature,
    model: ReconstructionModel,
): Pair<Support, String> = try {
    val bytes = blockBuffer(SupportBlock.SIZE)
    val block = SupportBlock(bytes)
    block.feature = feature.code
    block.model = model.code
    host.connection.call { natives, handle -> natives.support(handle, bytes) }
    val reason = model.missing ?: if (block.isSupported == 0) block.reason else null
    Pair(if (reason == null) Support.Supported else Support.Unsupported(reason), block.deviceName)
} catch (error: UnsupportedDevice) {
    Pair(Support.Unsupported(error.message.orEmpty()), "")
}

/** The recommended sizes; where unsupported, the output size. */
internal fun askRecommendation(
    host: VulkanHost,
    outputSize: ReconstructionSize,
    mode: ReconstructionMode,
    feature: ReconstructionFeature,
    model: ReconstructionModel,
): Recommendation = try {
    model.missing?.let { throw UnsupportedDevice(it) }
    val bytes = blockBuffer(RecommendBlock.SIZE)
    val block = RecommendBlock(bytes)
    block.scaleBits = mode.ratio.toRawBits()
    block.outputSize(0, outputSize.width)
    block.outputSize(1, outputSize.height)
    block.mode = mode.code
    block.feature = feature.code
    block.model = model.code
    host.connection.call { natives, handle -> natives.recommend(handle, bytes) }
    if (block.isSupported == 0) throw UnsupportedDevice(block.reason)
    Recommendation(
        optimal = ReconstructionSize(block.optimal(0), block.optimal(1)),
        min = ReconstructionSize(block.min(0), block.min(1)),
        max = ReconstructionSize(block.max(0), block.max(1)),
        jitterPhases = block.jitterPhases,
        mipBias = block.mipBias,
        support = Support.Supported,
    )
} catch (error: UnsupportedDevice) {
    Recommendation(
        optimal = outputSize,
        min = outputSize,
        max = outputSize,
        jitterPhases = ReconstructionJitter.phases(outputSize, outputSize),
        mipBias = -1f,
        support = Support.Unsupported(error.message.orEmpty()),
    )
}
