// Values that the scene's shaders ask for at each draw, and that are the same for every mesh.
import field.host.Module

fun centre(name: String, radius: Float) = now.getValue(name).copyOfRange(12, 15) + radius
fun axis(name: String, thickness: Float) = now.getValue(name).copyOfRange(8, 11) + thickness

bx += "addUniforms" to { module: Module ->
    module.uniform("camera") { now.getValue("camera") }
    module.uniform("oldCamera") { old.getValue("camera") }
    module.uniform("eye") { now.getValue("eye") }
    module.uniform("oldEye") { old.getValue("eye") }
    module.uniform("jitter") { raster.copyOfRange(0, 2) }
    module.uniform("inputSize") { raster.copyOfRange(2, 4) }
    module.uniform("mipBias") { raster[4] }
    module.uniform("balls") { centre("striped", .34f) + centre("chrome", .5f) + centre("clay", .42f) }
    module.uniform("ballColors") { floatArrayOf(.85f, .4f, .2f, 1f, .5f, .5f, .5f, 1f, .5f, .22f, .12f, 1f) }
    module.uniform("ringPlaces") { floatArrayOf(0f, 0f, 0f, 3.45f) + centre("upper", 1f) + centre("lower", 1f) + centre("inner", 1.22f) + centre("outer", 1.42f) }
    module.uniform("ringAxes") { axis("floor", .045f) + axis("upper", .028f) + axis("lower", .028f) + axis("inner", .022f) + axis("outer", .026f) }
}
