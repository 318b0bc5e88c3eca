package field.host.box

import us.bpsm.edn.EdnException
import us.bpsm.edn.Keyword
import us.bpsm.edn.Tag
import us.bpsm.edn.TaggedValue
import us.bpsm.edn.parser.CollectionBuilder
import us.bpsm.edn.parser.Parser
import us.bpsm.edn.parser.Parsers

/** A tagged map of Field's files, `#field/NAME{:key value}`, its keys without the colon. */
internal data class FieldRecord(val name: String, val values: Map<String, Any?>)

/**
 * EDN as Field writes it: order of keys kept, rectangles as [Rect], Field's other tagged maps as [FieldRecord],
 * foreign tags as they are.
 */
internal object Edn {
    private const val RECT = "rect"

    /** @throws BoxException naming [file] when [text] is not one EDN value */
    fun parse(text: String, file: String): Any? {
        val source = Parsers.newParseable(text)
        return try {
            val parser = Parsers.newParser(CONFIGURATION)
            val value = parser.nextValue(source)
            if (value === Parser.END_OF_INPUT) throw BoxException("$file: empty, expected EDN")
            if (parser.nextValue(source) !== Parser.END_OF_INPUT) throw BoxException("$file: more than one EDN value")
            value
        } catch (e: EdnException) {
            throw BoxException("$file: not EDN: ${BoxError.oneLine(e.message ?: e.javaClass.simpleName)}")
        }
    }

    /** Indented by two, one entry a line, no commas. @throws BoxException on a character that is not ASCII */
    fun print(value: Any?, file: String): String = StringBuilder().also { print(value, "", it, file) }.append('\n').toString()

    private fun print(value: Any?, indent: String, to: StringBuilder, file: String) {
        fun block(open: String, close: String, entries: Iterable<Any?>, entry: (Any?) -> Unit) {
            to.append(open).append('\n')
            entries.forEach { to.append(indent).append("  "); entry(it); to.append('\n') }
            to.append(indent).append(close)
        }
        fun inner(value: Any?) = print(value, "$indent  ", to, file)
        fun map(open: String, values: Map<*, *>) = block(open, "}", values.entries) {
            val (key, content) = it as Map.Entry<*, *>
            inner(key)
            to.append(' ')
            inner(content)
        }
        when (value) {
            null -> to.append("nil")
            is String -> string(value, to, file)
            is Boolean, is Keyword -> to.append(value)
            is Float -> to.append(value.toDouble())
            is Number -> to.append(value)
            is Rect -> print(FieldRecord(RECT, mapOf("x" to value.x, "y" to value.y, "w" to value.w, "h" to value.h)), indent, to, file)
            is FieldRecord -> map("#field/${value.name}{", value.values.mapKeys { Keyword.newKeyword(it.key) })
            is TaggedValue -> { to.append('#').append(value.tag.toString().removePrefix("#")).append(' '); print(value.value, indent, to, file) }
            is Map<*, *> -> map("{", value)
            is Set<*> -> block("#{", "}", value, ::inner)
            is Iterable<*> -> block("[", "]", value, ::inner)
            else -> throw BoxException("$file: cannot be written: a ${value.javaClass.name}; properties on disk are text, numbers, lists, maps")
        }
    }

    private fun string(value: String, to: StringBuilder, file: String) {
        to.append('"')
        for (c in value) {
            when {
                c == '"' || c == '\\' -> to.append('\\').append(c)
                c == '\n' -> to.append("\\n")
                c == '\t' -> to.append("\\t")
                c == '\r' -> to.append("\\r")
                c in ' '..'~' -> to.append(c)
                else -> throw BoxException("$file: character ${c.code} in \"${BoxError.oneLine(value.take(40))}\", expected ASCII")
            }
        }
        to.append('"')
    }

    private fun rect(values: Map<String, Any?>): Any {
        fun side(name: String) = (values[name] as? Number)?.toDouble()
        val (x, y) = listOf(side("x"), side("y"))
        val (w, h) = listOf(side("w"), side("h"))
        return if (x != null && y != null && w != null && h != null) Rect(x, y, w, h) else FieldRecord(RECT, values)
    }

    /** Keeps the order of the file, so that writing what was read changes nothing. */
    private val orderedMaps = CollectionBuilder.Factory {
        object : CollectionBuilder {
            private val map = LinkedHashMap<Any?, Any?>()
            private var key: Any? = null
            private var isKey = true

            override fun add(value: Any?) {
                if (isKey) key = value
                else if (key in map) throw EdnException("key $key twice in one map")
                else map[key] = value
                isKey = !isKey
            }

            override fun build(): Any = if (isKey) map else throw EdnException("key $key without a value")
        }
    }

    private val orderedSets = CollectionBuilder.Factory {
        object : CollectionBuilder {
            private val set = LinkedHashSet<Any?>()
            override fun add(value: Any?) {
                set += value
            }

            override fun build(): Any = set
        }
    }

    private val CONFIGURATION = Parsers.newParserConfigBuilder()
        .setMapFactory(orderedMaps)
        .setSetFactory(orderedSets)
        .apply {
            for (name in listOf("document", "external", "filespec", RECT)) {
                putTagHandler(Tag.newTag("field", name)) { _, value ->
                    val values = (value as? Map<*, *> ?: throw EdnException("#field/$name: expected a map"))
                        .mapKeys { (it.key as? Keyword ?: throw EdnException("#field/$name: key ${it.key} is no keyword")).name }
                    if (name == RECT) rect(values) else FieldRecord(name, values)
                }
            }
        }
        .build()
}
