// What the shaders know of this frame and of the one recorded before it.
import kotlin.math.log2

// Transforms of the frame being drawn, and of the one recorded before it: motion is the difference.
val now = HashMap<String, FloatArray>()
val old = HashMap<String, FloatArray>()

// jitter x, y; target width, height; mip bias: what the raster of the next draw needs
val raster = FloatArray(5)

bx += "now" to now
bx += "old" to old
bx += "raster" to raster
bx += "aim" to { jitter: ReconstructionJitter, target: ReconstructionSize, output: ReconstructionSize ->
    val ratio = target.width.toFloat() / output.width
    floatArrayOf(jitter.x, jitter.y, target.width.toFloat(), target.height.toFloat(), log2(ratio) - 1).copyInto(raster)
    now["projection"] = perspective(0.70, output.width.toDouble() / output.height, 0.1, 120.0)
    now["camera"] = times(now.getValue("projection"), now.getValue("view"))
    if ("camera" !in old) old.putAll(now)
}
var shot = 0
bx += "moveTo" to { time: Double, isCut: Boolean ->
    if (isCut) shot++
    if (isCut) old.clear() else old.putAll(now)
    now.putAll(at(time, shot))
}
