package field.host

import org.lwjgl.vulkan.VK10.VK_BUFFER_USAGE_INDEX_BUFFER_BIT
import org.lwjgl.vulkan.VK10.VK_BUFFER_USAGE_VERTEX_BUFFER_BIT

/**
 * Triangles of a module. Arrays may be assigned again at any time, also every frame: frames in flight keep what they
 * were recorded with. An array must not be changed in place; assign it, or call [touch].
 */
class Mesh internal constructor(private val renderer: Renderer, val name: String) {
    private class Attribute(val components: Int, val values: FloatArray)

    private class Upload(val buffer: GpuBuffer, var lastUse: Long)

    /** What a draw needs: the buffer and where each attribute and the indices begin in it, in bytes. */
    internal class Ready(val buffer: Long, val attributeOffsets: Map<String, Long>, val indexOffset: Long)

    private val attributes = LinkedHashMap<String, Attribute>()
    private val uploads = ArrayList<Upload>()
    private var current: Upload? = null
    private var ready: Ready? = null
    internal val uniforms = LinkedHashMap<String, () -> Any>()

    /** Positions, x y z for each vertex: the attribute `position`. */
    var positions: FloatArray
        get() = attributes["position"]?.values ?: FloatArray(0)
        set(value) = attribute("position", 3, value)

    /** Three vertex numbers a triangle; empty draws the vertices in order. */
    var indices: IntArray = IntArray(0)
        set(value) {
            field = value
            touch()
        }

    /** Vertices to draw where no attribute says it, for shaders that use gl_VertexIndex alone. */
    var vertexCount: Int = 0
        get() = attributes.values.firstOrNull()?.let { it.values.size / it.components } ?: field

    /** Drawn this many times, told apart by gl_InstanceIndex. */
    var instances: Int = 1

    /** Sets a per-vertex input of the vertex stage by its name there; [components] floats (1..4) for each vertex. */
    fun attribute(name: String, components: Int, values: FloatArray) {
        if (components !in 1..4 || values.size % components != 0) {
            throw HostException("mesh '${this.name}' attribute '$name': expected 1..4 components and whole vertices, got $components and ${values.size} floats")
        }
        attributes[name] = Attribute(components, values)
        touch()
    }

    /** A uniform of this mesh alone, asked for at every draw; it hides the module's of the same name. */
    fun uniform(name: String, value: () -> Any) {
        uniforms[name] = value
    }

    /** Uploads the arrays again before the next draw. */
    fun touch() {
        ready = null
    }

    internal fun clear() {
        attributes.clear()
        uniforms.clear()
        indices = IntArray(0)
        vertexCount = 0
        instances = 1
    }

    internal val isEmpty: Boolean get() = vertexCount == 0 || instances == 0

    internal fun components(attribute: String): Int? = attributes[attribute]?.components

    /** Null when nothing needs a buffer. */
    internal fun prepare(submission: Long): Ready? {
        if (attributes.isEmpty() && indices.isEmpty()) return null
        val result = ready ?: upload().also { ready = it }
        current!!.lastUse = submission
        return result
    }

    private fun upload(): Ready {
        val count = vertexCount
        attributes.forEach { (name, it) ->
            if (it.values.size / it.components != count) {
                throw HostException("mesh '${this.name}' attribute '$name': expected $count vertices, got ${it.values.size / it.components}")
            }
        }
        indices.firstOrNull { it !in 0 until count }?.let {
            throw HostException("mesh '$name': index $it is outside its $count vertices")
        }
        val size = attributes.values.sumOf { roundUp(it.values.size * 4, 16) } + indices.size * 4
        val upload = take(size)
        val bytes = upload.buffer.bytes
        var at = 0
        val offsets = LinkedHashMap<String, Long>()
        attributes.forEach { (name, it) ->
            offsets[name] = at.toLong()
            bytes.position(at)
            bytes.asFloatBuffer().put(it.values)
            at += roundUp(it.values.size * 4, 16)
        }
        bytes.position(at)
        bytes.asIntBuffer().put(indices)
        current = upload
        return Ready(upload.buffer.vk, offsets, at.toLong())
    }

    private fun take(size: Int): Upload {
        val finished = renderer.finishedSubmission
        uploads.filter { it.buffer.size < size && it.lastUse <= finished }.forEach {
            uploads.remove(it)
            it.buffer.close()
        }
        uploads.firstOrNull { it.lastUse <= finished }?.let { return it }
        val usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT or VK_BUFFER_USAGE_INDEX_BUFFER_BIT
        return Upload(GpuBuffer(renderer.allocator, maxOf(size, 64), usage), 0L).also { uploads += it }
    }

    internal fun retire() {
        val buffers = uploads.map { it.buffer }
        uploads.clear()
        current = null
        ready = null
        renderer.cleanup { buffers.forEach { it.close() } }
    }
}
