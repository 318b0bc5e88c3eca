package field.host.box

import java.util.UUID
import kotlin.reflect.KType

/**
 * A node of the canvas: properties by name, read upwards through the parents. Not thread-safe: a box belongs to the
 * thread of its [BoxRunner].
 *
 * @param name what the artist sees; not necessarily unique, [id] is
 * @param boxClass the class in Field; [KOTLIN_CLASS] is the box whose children are Kotlin boxes
 */
class Box(name: String, val id: String = newId(), val boxClass: String = PLAIN_CLASS) {
    private class Value(val value: Any?, val type: KType?)

    private val values = LinkedHashMap<String, Value>()
    private val revisions = HashMap<String, Int>()
    private val above = LinkedHashSet<Box>()
    private val below = LinkedHashSet<Box>()

    init {
        put("name", name)
    }

    val parents: Set<Box> get() = above
    val children: Set<Box> get() = below

    /** True once this run of the box is over: a coroutine leaves its loop, closes what it made and returns. */
    var ended = false
        internal set

    /** What last went wrong in this box, `box:line: message`; null after a run without errors. */
    var lastError: BoxError? = null
        internal set

    var name: String
        get() = here("name").toString()
        set(value) = put("name", value)

    var frame: Rect?
        get() = here("frame") as? Rect
        set(value) = put("frame", value)

    /** Order of running on load, smallest first; null: runs only when asked to. */
    val auto: Double? get() = (here("auto") as? Number)?.toDouble()?.takeIf { it > 0 }

    /** Show the source instead of the reconstruction; inherited, so setting it on the root reaches every box. */
    var bypass: Boolean
        get() = this["bypass"] as? Boolean ?: false
        set(value) = put("bypass", value)

    /** This frame begins something new, history must go; inherited. Whoever sets it clears it after the frame. */
    var cut: Boolean
        get() = this["cut"] as? Boolean ?: false
        set(value) = put("cut", value)

    var code: String? by Text
    var vertex: String? by Text
    var fragment: String? by Text

    /** How often the text [property] ("code", "vertex", "fragment") has changed since the box was made. */
    fun revision(property: String): Int = revisions[property] ?: 0

    /** Whether Field runs this box's code as Kotlin. */
    val isKotlin: Boolean get() = above.any { it.boxClass == KOTLIN_CLASS }

    /** The value here or at the nearest ancestor (breadth first, parents in their order); null if nobody has it. */
    operator fun get(name: String): Any? = owner(name)?.here(name)

    @Suppress("UNCHECKED_CAST")
    operator fun <T> get(prop: Prop<T>): T? = get(prop.name) as T?

    /** The value of this box itself, not asking its parents. */
    fun here(name: String): Any? = values[name]?.value

    fun has(name: String): Boolean = owner(name) != null

    /** Names of this box itself, in the order of their first setting. */
    val names: Set<String> get() = values.keys

    /** The box, this one or an ancestor, that a read of [name] gets its value from. */
    fun owner(name: String): Box? = upwards().firstOrNull { name in it.values }

    /** Sets a property of this box; [type] is what boxes below see it as, null: taken from the value. */
    fun put(name: String, value: Any?, type: KType? = null) {
        if (name in TEXTS && here(name) != value) revisions[name] = revision(name) + (if (name in values) 1 else 0)
        values[name] = Value(value, type)
    }

    fun remove(name: String) {
        values.remove(name)
    }

    /** Makes [child] a child of this box; a second time changes nothing. */
    fun connect(child: Box) {
        below += child
        child.above += this
    }

    /** This box, its parents, their parents ...: each once, nearest first. */
    fun upwards(): List<Box> = breadthFirst { it.above }

    /** This box, its children, their children ...: each once, nearest first. */
    fun downwards(): List<Box> = breadthFirst { it.below }

    internal fun typeHere(name: String): KType? = values[name]?.type

    private fun breadthFirst(next: (Box) -> Set<Box>): List<Box> {
        val seen = linkedSetOf(this)
        val queue = ArrayDeque(seen)
        while (queue.isNotEmpty()) next(queue.removeFirst()).forEach { if (seen.add(it)) queue += it }
        return seen.toList()
    }

    override fun toString() = "box '$name'"

    private object Text {
        operator fun getValue(box: Box, property: kotlin.reflect.KProperty<*>) = box.here(property.name) as String?
        operator fun setValue(box: Box, property: kotlin.reflect.KProperty<*>, value: String?) = box.put(property.name, value)
    }

    companion object {
        const val PLAIN_CLASS = "fieldbox.boxes.Box"
        const val KOTLIN_CLASS = "fieldkotlin.KI"
        const val ROOT_ID = ">>root<<"

        /** Properties that live in text files of their own, and the suffix of each after `<box>.box`. */
        val TEXTS = mapOf("code" to ".kt", "vertex" to ".glslv", "fragment" to ".glslf")

        val name = Prop<String>("name")
        val frame = Prop<Rect>("frame")
        val auto = Prop<Number>("auto")
        val code = Prop<String>("code")
        val vertex = Prop<String>("vertex")
        val fragment = Prop<String>("fragment")

        private val current = ThreadLocal<Box?>()

        /** The box whose code or per-frame function runs on this thread now. */
        val running: Box? get() = current.get()

        internal inline fun <T> whileRunning(box: Box, block: () -> T): T {
            val outer = current.get()
            current.set(box)
            try {
                return block()
            } finally {
                if (outer == null) current.remove() else current.set(outer)
            }
        }

        /** An id as Field writes it: a UUID with underscores. */
        fun newId(): String = "_" + UUID.randomUUID().toString().replace('-', '_')

        /** A root for a canvas. */
        fun root() = Box("root", ROOT_ID)
    }
}
