// One raster module writes colour, depth and motion at once; its shaders are this box's vertex and fragment.
val source = RenderToTexture(renderer) {
    width = inputSize.width
    height = inputSize.height
    useDepth = true
    colorAttachments = 3
    colorFormats = [
        VK_FORMAT_R16G16B16A16_SFLOAT, // opaque linear HDR color
        VK_FORMAT_R32_SFLOAT, // sampled projected depth
        VK_FORMAT_R32G32_SFLOAT, // current -> previous motion, input pixels
    ]
}
val sceneModule = moduleHere {
    +source
    depthTest = true
    depthWrite = true
    blend = false
}
source += "scene" to sceneModule

// Add your meshes to sceneModule as usual.
sceneModule.mesh("sail") { positions = floatArrayOf(-.6f, -.6f, .5f, .6f, -.6f, .5f, 0f, .7f, .5f) }

bx += "source" to source
bx += "sceneModule" to sceneModule

_r = frames {
    while (!bx.ended) yield()
    sceneModule.close()
    source.close()
}
