// Producer, then consumer: one target renders the source and reconstructs it, in this order.
import field.host.Target

var frameIndex = 0L
fun angle(of: Long) = of * 0.02
sceneModule.uniform("angle") { angle(frameIndex) }
sceneModule.uniform("oldAngle") { angle(frameIndex - 1) }
sceneModule.uniform("inputSize") { floatArrayOf(inputSize.width.toFloat(), inputSize.height.toFloat()) }
sceneModule.uniform("inputWidth") { inputSize.width }
sceneModule.uniform("inputHeight") { inputSize.height }

val pass = object : Target {
    override fun render(command: VkCommandBuffer, index: Int) {
        val jitter = ReconstructionJitter.halton(frameIndex, inputSize, outputSize)
        sceneModule.uniform("jitter") { floatArrayOf(jitter.x, jitter.y) }
        val sceneRevision = sceneModule.revision
        neural.evaluate(
            command,
            index,
            source,
            ReconstructionInputs(
                source.imageViewArray[0],
                source.imageViewArray[1],
                source.imageViewArray[2],
            ),
            ReconstructionFrame(frameIndex, jitter, revision = sceneRevision),
        )
        frameIndex++
    }
}
renderer.renderList.preTargets += pass
neural.output.blitToScreen(name = "finished image")

_r = frames {
    while (!bx.ended && neural.lastError == null) yield()
    neural.lastError?.let { println("record: ${it.message}") }
    renderer.renderList.preTargets -= pass
}
