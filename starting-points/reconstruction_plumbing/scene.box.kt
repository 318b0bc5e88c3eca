// The complete DLAA / Super Resolution wiring: source pass, reconstruction, display. Change mode and run again.
val mode = bx["mode"] as? ReconstructionMode ?: ReconstructionMode.PERFORMANCE
val outputSize = bx["outputSize"] as? ReconstructionSize ?: ReconstructionSize(640, 360)
val holdAt = bx["holdAt"] as? Number ?: Long.MAX_VALUE // camera and objects stand still from this frame on
val advice = DlssReconstruction.recommend(renderer, outputSize, mode)
val inputSize = advice.optimal // without support the output size: the source itself is shown then
val neural = if (advice.reason == null) DlssReconstruction(renderer, inputSize, outputSize, mode) else null
val source = RenderToTexture(renderer) {
    width = inputSize.width; height = inputSize.height; useDepth = true; colorAttachments = 3
    // opaque linear HDR color; sampled projected depth; current to previous motion, input pixels
    colorFormats = [VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT]
}
val sceneModule = moduleHere { +source; depthTest = true; depthWrite = true; blend = false }.also { addObjects(it) }
source += "scene" to sceneModule

var frameIndex = 0L // of recorded frames: it stands still while nothing is drawn
val pass = object : field.host.Target {
    override fun render(command: VkCommandBuffer, index: Int) {
        neural?.bypass = if (bx.bypass) Bypass.ENLARGED else Bypass.OFF
        if (bx.cut) neural?.reset("cut")
        val jitter = neural?.jitter(frameIndex) ?: ReconstructionJitter.ZERO
        moveTo(minOf(frameIndex, holdAt.toLong()) / 60.0, bx.cut)
        aim(jitter, inputSize, outputSize)
        val inputs = ReconstructionInputs(source.imageViewArray[0], source.imageViewArray[1], source.imageViewArray[2])
        val frame = ReconstructionFrame(frameIndex, jitter, revision = sceneModule.revision)
        if (neural == null) source.render(command, index) else neural.evaluate(command, index, source, inputs, frame)
        bx += "recorded" to frame; frameIndex++
    }
}
renderer.renderList.preTargets += pass
(neural?.output ?: source).blitToScreen(name = "finished image")
renderer.screen.message = advice.reason
bx += "neural" to neural; bx += "source" to source
bx += "sceneModule" to sceneModule; bx += "finalSize" to outputSize
_r = frames {
    while (!bx.ended && neural?.lastError == null) yield()
    neural?.lastError?.let { println("scene: ${it.message}") }
    renderer.renderList.preTargets -= pass
    listOf(neural, sceneModule, source).forEach { it?.close() }
}
