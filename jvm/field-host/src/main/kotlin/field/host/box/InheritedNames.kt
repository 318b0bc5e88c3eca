package field.host.box

import java.lang.reflect.Modifier
import kotlin.reflect.KClass
import kotlin.reflect.KType
import kotlin.reflect.KVariance

/**
 * Turns what the ancestors of a box export into declarations that its code can see. They are appended after the
 * last line of the code, so that every line keeps its number.
 *
 * @param loader the class loader of boxes: a type that it does not know cannot be written in a box
 */
internal class InheritedNames(private val loader: ClassLoader) {
    /** Values by name, as they are now, and the Kotlin that declares them. */
    class Found(val values: Map<String, Any?>, val declarations: String)

    /**
     * `name` for what an ancestor exports, `bx.name` for what the box or an ancestor has; only where [text] mentions
     * it so: other properties neither cost nor force a compilation.
     */
    fun of(box: Box, text: String): Found {
        val plain = IDENTIFIER.findAll(text).map { it.value }.toSet() - RESERVED
        val ofBox = MEMBER.findAll(text).map { it.groupValues[1] }.toSet() - RESERVED
        val own = topLevelNames(CodeMask.of(text))
        val values = LinkedHashMap<String, Any?>()
        val declarations = StringBuilder()
        val ancestors = box.upwards().drop(1)
        for (name in (plain - own.plain).sorted()) {
            val owner = ancestors.firstOrNull { name in it.names } ?: continue
            val type = typeText(owner.typeHere(name), owner.here(name))
            values[name] = owner.here(name)
            declarations.append("\nval $name: $type get() = inheritedByName[\"$name\"] as ($type)")
        }
        for (name in (ofBox - own.ofBox).sorted()) {
            val owner = box.owner(name) ?: continue
            val type = typeText(owner.typeHere(name), owner.here(name))
            declarations.append("\nval field.host.box.Box.$name: $type get() = this[\"$name\"] as ($type)")
        }
        return Found(values, declarations.toString())
    }

    private class Declared(val plain: Set<String>, val ofBox: Set<String>)

    /** Names that the code itself declares outside every bracket, or imports: these win over inherited ones. */
    private fun topLevelNames(code: String): Declared {
        val top = StringBuilder()
        var depth = 0
        for (c in code) {
            if (c in "({[") depth++
            top.append(if (depth == 0 || c == '\n') c else ' ')
            if (c in ")}]") depth--
        }
        val destructured = DESTRUCTURING.findAll(code).filter { !top[it.range.first].isWhitespace() }
            .flatMap { IDENTIFIER.findAll(it.groupValues[1]) }.map { it.value }
        val imported = IMPORT.findAll(code).map { it.groupValues[2].ifEmpty { it.groupValues[1] } }
        return Declared(
            (DECLARATION.findAll(top).map { it.groupValues[1] } + destructured + imported).toSet(),
            BOX_EXTENSION.findAll(top).map { it.groupValues[1] }.toSet()
        )
    }

    /** The static type where the export was written, else the class of [value], as Kotlin text that boxes can use. */
    fun typeText(type: KType?, value: Any?): String {
        val written = type?.takeIf { it.classifier != Any::class }?.let(::text)
        if (written != null) return written
        val name = when (value) {
            null -> return "kotlin.Any?"
            is List<*> -> "kotlin.collections.List<*>"
            is Set<*> -> "kotlin.collections.Set<*>"
            is Map<*, *> -> "kotlin.collections.Map<*, *>"
            is Function<*> -> functionText(value)
            else -> classText(value.javaClass)
        }
        return if (type?.isMarkedNullable == true) "($name)?" else name
    }

    private fun text(type: KType): String? {
        val kotlinClass = type.classifier as? KClass<*> ?: return null
        val takes = if (kotlinClass.java.isArray) type.arguments.size else kotlinClass.java.typeParameters.size
        if (!isVisible(kotlinClass.java) || takes != type.arguments.size) return null
        val arguments = type.arguments.map { argument ->
            val of = argument.type?.let { text(it) ?: return null }
            when (argument.variance) {
                null -> "*"
                KVariance.INVARIANT -> of
                KVariance.IN -> "in $of"
                KVariance.OUT -> "out $of"
            }
        }
        return kotlinClass.qualifiedName + (if (arguments.isEmpty()) "" else arguments.joinToString(", ", "<", ">")) +
            (if (type.isMarkedNullable) "?" else "")
    }

    /** A function whose types are lost can still be called, with anything. */
    private fun functionText(function: Function<*>): String {
        val arity = (0..MOST_ARGUMENTS).firstOrNull { Class.forName("kotlin.jvm.functions.Function$it").isInstance(function) }
        return if (arity == null) "kotlin.Any" else "(" + List(arity) { "kotlin.Any?" }.joinToString() + ") -> kotlin.Any?"
    }

    /** The nearest class or interface of [of] that a box can name, its parameters unknown. */
    private fun classText(of: Class<*>): String {
        val classes = generateSequence<Class<*>>(of) { it.superclass }.filter { it != Any::class.java }.toList()
        val nearest = (classes.asSequence() + classes.asSequence().flatMap { it.interfaces.asSequence() }).firstOrNull(::isVisible)
            ?: return "kotlin.Any"
        if (nearest.isArray && !nearest.componentType.isPrimitive) return "kotlin.Array<out ${classText(nearest.componentType)}>"
        val stars = nearest.typeParameters.joinToString(", ") { "*" }
        return nearest.kotlin.qualifiedName + if (stars.isEmpty()) "" else "<$stars>"
    }

    private fun isVisible(type: Class<*>): Boolean {
        if (type.isPrimitive) return true
        if (type.isArray) return isVisible(type.componentType)
        val public = generateSequence(type) { it.enclosingClass }.all { Modifier.isPublic(it.modifiers) }
        if (!public || type.isAnonymousClass || type.isLocalClass || type.isSynthetic || type.kotlin.qualifiedName == null) return false
        return try {
            Class.forName(type.name, false, loader) === type
        } catch (e: ClassNotFoundException) {
            false
        }
    }

    private companion object {
        const val MOST_ARGUMENTS = 22
        val MEMBER = Regex("""\.\s*([A-Za-z_][A-Za-z0-9_]*)""")
        val IDENTIFIER = Regex("[A-Za-z_][A-Za-z0-9_]*")
        val DECLARATION = Regex("""\b(?:val|var|fun|class|object|interface|typealias)\s+(\w+)\s*(?![\w.])""")
        val DESTRUCTURING = Regex("""\b(?:val|var)\s*\(([^)]*)\)""")
        val IMPORT = Regex("""^\s*import\s+[\w.]*?(\w+)(?:\s+as\s+(\w+))?\s*;?\s*$""", RegexOption.MULTILINE)
        val BOX_EXTENSION = Regex("""\b(?:val|var)\s+(?:field\.host\.box\.)?Box\.(\w+)""")

        private val KEYWORDS = setOf("as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is",
            "null", "object", "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var", "when", "while")

        /** Names with a meaning of their own in Kotlin, on a box or in a box's code. */
        val RESERVED = KEYWORDS + setOf("bx", "root", "_r", "frames", "inheritedByName", "bypass", "cut", "ended", "lastError", "name", "id", "frame",
            "auto", "boxClass", "parents", "children", "names", "isKotlin", "comment") + Box.TEXTS.keys
    }
}
