// The same scene at output size, without reconstruction: shown while `compare` is true, and asked for by recorders.
import field.host.Target
fun made() = bx["native"] as? RenderToTexture
fun sized(size: ReconstructionSize): RenderToTexture {
    made()?.let { if (it.width == size.width && it.height == size.height) return it else it.close() }
    return RenderToTexture(renderer) {
        width = size.width; height = size.height; useDepth = true; colorAttachments = 3
        colorFormats = [VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT]
    }.also { bx += "native" to it }
}
// Draws the last recorded frame once more, as it stands, displaced by `jitter` native pixels.
val drawNative = { command: VkCommandBuffer, index: Int, jitter: ReconstructionJitter ->
    val outputSize = bx["finalSize"] as ReconstructionSize
    aim(jitter, outputSize, outputSize)
    sized(outputSize).also { it += "scene" to (bx["sceneModule"] as Module) }.render(command, index)
}

val pass = object : Target {
    override fun render(command: VkCommandBuffer, index: Int) {
        renderer.screen -= "native source"
        if (bx["compare"] == true) {
            drawNative(command, index, ReconstructionJitter.ZERO)
            made()!!.blitToScreen(name = "native source")
        }
    }
}
renderer.renderList.preTargets += pass
bx += "drawNative" to drawNative
bx += "frameInputs" to {
    val reset = (bx["neural"] as? DlssReconstruction)?.lastReset?.frame
    (bx["recorded"] as? ReconstructionFrame)?.run {
        RecordedFrame(frameIndex, jitter, now.getValue("view"), now.getValue("projection"), revision, reset == frameIndex)
    }
}
_r = frames {
    while (!bx.ended) yield()
    renderer.renderList.preTargets -= pass
    made()?.close()
    bx.remove("native")
}
