package reconstruction.field

import field.host.FixedSources
import field.host.Module
import field.host.RenderToTexture
import field.host.Renderer
import field.host.Target
import org.lwjgl.vulkan.VK10.VK_FORMAT_R16G16B16A16_SFLOAT
import org.lwjgl.vulkan.VK10.VK_FORMAT_R32G32_SFLOAT
import org.lwjgl.vulkan.VK10.VK_FORMAT_R32_SFLOAT
import org.lwjgl.vulkan.VkCommandBuffer
import reconstruction.Exposure
import reconstruction.ReconstructionFrame
import reconstruction.ReconstructionInputs
import reconstruction.ReconstructionJitter
import reconstruction.ReconstructionResult
import reconstruction.ReconstructionSize

/** A target as the page makes it, with a still picture: coloured stripes at depth 0.5 on a grey background. */
internal class TestScene(val renderer: Renderer, val size: ReconstructionSize) : AutoCloseable {
    var jitter = ReconstructionJitter.ZERO

    val source = RenderToTexture(renderer) {
        width = size.width
        height = size.height
        useDepth = true
        colorAttachments = 3
        colorFormats = listOf(VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT)
        clearColors = mapOf(0 to floatArrayOf(0.25f, 0.25f, 0.25f, 1f), 1 to floatArrayOf(1f, 0f, 0f, 0f))
    }
    val module = Module(renderer, FixedSources("scene", VERTEX, FRAGMENT)) {
        depthTest = true
        depthWrite = true
    }

    init {
        source += "scene" to module
        module.mesh("quad") {
            positions = floatArrayOf(-.75f, -.75f, .5f, .75f, -.75f, .5f, .75f, .75f, .5f, -.75f, -.75f, .5f, .75f, .75f, .5f, -.75f, .75f, .5f)
        }
        module.uniform("offset") { jitter.clipYUp(size) }
    }

    /** The page's three attachments. */
    val inputs get() = ReconstructionInputs(source.imageViewArray[0], source.imageViewArray[1], source.imageViewArray[2])

    /** Renders this scene and reconstructs it. */
    fun evaluate(
        neural: DlssReconstruction, command: VkCommandBuffer, index: Int, frameIndex: Int, revision: Int = 0,
        exposure: Exposure = Exposure.Auto, inputs: ReconstructionInputs = this.inputs,
    ): ReconstructionResult {
        jitter = neural.jitter(frameIndex)
        return neural.evaluate(command, index, source, inputs, ReconstructionFrame(frameIndex, jitter, revision, exposure))
    }

    override fun close() {
        module.close()
        source.close()
    }

    private companion object {
        const val VERTEX = """
uniform vec2 offset;
layout(location=0) in vec3 position;
out vec2 place;
void main() {
    place = position.xy;
    gl_Position = vec4(position, 1.0);
    gl_Position.xy += offset * gl_Position.w;
}
"""
        const val FRAGMENT = """
in vec2 place;
layout(location=0) out vec4 color;
layout(location=1) out float depth;
layout(location=2) out vec2 motion;
void main() {
    color = vec4(fract(place.x * 9.0) < 0.5 ? vec3(1.0, 0.5, 0.25) : vec3(0.1, 0.2, 0.6), 1.0);
    depth = gl_FragCoord.z;
    motion = vec2(0.0);
}
"""
    }
}

/** Draws one frame in which [work] is the only target; what it throws is thrown here. */
internal fun <T> Renderer.inFrame(work: (command: VkCommandBuffer, index: Int) -> T): T {
    var result: Result<T>? = null
    val pass = Target { command, index -> result = runCatching { work(command, index) } }
    renderList.preTargets += pass
    frame()
    renderList.preTargets -= pass
    return result!!.getOrThrow()
}

/** Sizes of a small Performance context. */
internal val SMALL = ReconstructionSize(48, 32)
internal val LARGE = ReconstructionSize(96, 64)
