// The renderer of every box below. A launcher may bring its own; otherwise this box makes one and closes it.
import field.host.Renderer
import reconstruction.ReconstructionSize

val size = bx["outputSize"] as? ReconstructionSize ?: ReconstructionSize(640, 360)
val given = root["renderer"] as? Renderer
val mine = given ?: Renderer(bx["device"] as? String, screenWidth = size.width, screenHeight = size.height)

bx += "renderer" to mine

_r = frames {
    while (!bx.ended) {
        if (given == null) mine.frame()
        yield()
    }
    if (given == null) mine.close()
}
