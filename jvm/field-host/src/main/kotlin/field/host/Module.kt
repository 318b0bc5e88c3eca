package field.host

import org.lwjgl.vulkan.VK10.VK_COMPARE_OP_LESS_OR_EQUAL
import org.lwjgl.vulkan.VkCommandBuffer

/** Where a module's texts come from; asked at every render, so an edit takes effect in the next frame. */
interface ModuleSources {
    /** Named in error lines: the box. */
    val name: String
    val vertex: String
    val fragment: String
}

/** Texts that only change when assigned. */
class FixedSources(override val name: String, override var vertex: String, override var fragment: String) : ModuleSources

/** What `moduleHere { ... }` sets. */
class ModuleSettings internal constructor() {
    internal val targets = ArrayList<RenderToTexture>()

    /** Compare with the target's depth attachment; nothing to do without one. */
    var depthTest: Boolean = false
    var depthWrite: Boolean = false

    /** A VkCompareOp; the default lets a background at depth 1 pass. */
    var depthCompare: Int = VK_COMPARE_OP_LESS_OR_EQUAL

    /** Source alpha over what is there. */
    var blend: Boolean = false

    /** Prepares the module for this target's attachments; `target += "name" to module` is what draws it. */
    operator fun RenderToTexture.unaryPlus() {
        targets += this
    }
}

/**
 * A pair of shader texts with meshes, uniforms and textures, drawn by the targets it is added to.
 *
 * The texts are GLSL (450 unless they say otherwise), and line numbers in errors are the artist's own:
 * - `uniform vec4 tint;` gets its value from [uniform] or [Mesh.uniform]. Loose uniforms of both stages (float, int, uint,
 *   bool, vectors of them, mat3, mat4, and arrays of a literal length) share one std140 block; explicit blocks are refused.
 * - `uniform sampler2D map;` (also isampler2D, usampler2D) gets its image from [fromViews].
 * - `in vec3 position;` of the vertex stage takes the mesh attribute of that name; other in and out meet by name, or by
 *   location where both state it; fragment outs without a location take the attachments in order.
 *
 * A change that does not compile is reported once, and the last working pipeline stays; each change that works raises
 * [revision].
 */
class Module(val renderer: Renderer, private val sources: ModuleSources, settings: ModuleSettings.() -> Unit = {}) : AutoCloseable {
    internal class Texture(val filter: Filter, val wrap: Wrap, val mipBias: Float, val view: () -> ImageView)

    internal val settings = ModuleSettings().apply(settings)
    internal val meshes = LinkedHashMap<String, Mesh>()
    internal val uniforms = LinkedHashMap<String, () -> Any>()
    internal val textures = LinkedHashMap<String, Texture>()
    private var program: ShaderProgram? = null
    private var triedVertex: String? = null
    private var triedFragment: String? = null
    private var closed = false

    /** Successful compilations so far: 1 after the first. Watch it to reset a history when a shader changes. */
    var revision: Int = 0
        private set

    /** Why the module's last text did not compile, with its line; null when the text on screen is the latest. */
    var shaderError: ShaderError? = null
        private set
    private var drawError: String? = null

    /** Why the module is not drawn as it stands (a shader's error, a missing value, ...), or null. */
    val lastError: String? get() = shaderError?.toString() ?: drawError

    init {
        renderer.resources += this
        compile()
    }

    /** Makes the mesh of this name, or empties it, and fills it by [fill]. */
    fun mesh(name: String, fill: Mesh.() -> Unit): Mesh {
        val mesh = meshes.getOrPut(name) { Mesh(renderer, name) }
        mesh.clear()
        return mesh.apply(fill)
    }

    /** Removes the mesh of this name, if there is one. */
    operator fun minusAssign(meshName: String) {
        meshes.remove(meshName)?.retire()
    }

    /**
     * Gives the uniform of this name its value, asked for at every draw: a number or Boolean, a FloatArray for vectors,
     * arrays and column-major matrices, an IntArray for integer vectors.
     */
    fun uniform(name: String, value: () -> Any) {
        uniforms[name] = value
    }

    /** Binds an attachment or texture to the sampler of this name; [view] is asked for at every draw. */
    fun fromViews(
        name: String, filter: Filter = Filter.LINEAR, wrap: Wrap = Wrap.CLAMP, mipBias: Float = 0f, view: () -> ImageView,
    ) {
        textures[name] = Texture(filter, wrap, mipBias, view)
    }

    /** Binds one view for good. */
    fun fromViews(name: String, view: ImageView, filter: Filter = Filter.LINEAR, wrap: Wrap = Wrap.CLAMP) {
        fromViews(name, filter, wrap) { view }
    }

    /** Compiles the sources where they changed; true when a working program stands. */
    fun compile(): Boolean {
        val (vertex, fragment) = sources.vertex to sources.fragment
        if (vertex == triedVertex && fragment == triedFragment) return program != null
        triedVertex = vertex
        triedFragment = fragment
        try {
            val compiled = ShaderProgram(renderer, sources.name, vertex, fragment)
            program?.retire()
            program = compiled
            shaderError = null
            revision++
        } catch (failed: ShaderTextException) {
            shaderError = failed.error
            renderer.log(failed.error.toString())
        }
        return program != null
    }

    /** What to draw into [target] with [command], outside the render pass; null when the module cannot be drawn. */
    internal fun prepare(target: RenderToTexture, command: VkCommandBuffer): ModuleDraw? {
        if (closed || !compile()) return null
        return try {
            ModuleDraw(this, program!!, target, command).also { drawError = null }
        } catch (lost: DeviceLostException) {
            throw lost
        } catch (fault: Exception) {
            val line = "${sources.name}: ${fault.message ?: fault::class.simpleName}"
            if (line != drawError) renderer.log(line)
            drawError = line
            null
        }
    }

    /** Closing twice is safe; targets that still hold the module no longer draw it. */
    override fun close() {
        if (closed) return
        closed = true
        renderer.resources -= this
        meshes.values.forEach { it.retire() }
        meshes.clear()
        program?.retire()
        program = null
    }

    override fun toString(): String =
        "Module(${sources.name}, revision $revision, ${meshes.size} meshes${lastError?.let { ", $it" } ?: ""})"
}
