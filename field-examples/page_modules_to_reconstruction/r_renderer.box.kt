// The renderer of every box below. A launcher may bring its own; otherwise this box makes one and closes it.
import field.host.Renderer

val given = root["renderer"] as? Renderer
val mine = given ?: Renderer(screenWidth = 1920, screenHeight = 1080)

bx += "renderer" to mine

_r = frames {
    while (!bx.ended) {
        if (given == null) mine.frame()
        yield()
    }
    if (given == null) mine.close()
}
