package field.host

/** The two stages of a module. */
enum class ShaderStage(val label: String) { VERTEX("vertex"), FRAGMENT("fragment") }

/** A fault in a module's text, at the artist's own line (1 is the first; 0 when it belongs to no line). */
class ShaderError(val module: String, val stage: ShaderStage, val line: Int, val reason: String) {
    override fun toString(): String = "$module ${stage.label} line $line: $reason"
}

internal class ShaderTextException(val error: ShaderError) : HostException(error.toString())

/** A `uniform`, `in` or `out` at the top level of a shader. */
internal class ShaderDeclaration(
    val storage: String,
    /** `flat`, `noperspective` and the like, with a trailing space where not empty. */
    val interpolation: String,
    val type: String,
    val name: String,
    /** Array length, 0 for no array. */
    val count: Int,
    val location: Int?,
    val line: Int,
) {
    val isSampler: Boolean get() = type in SAMPLERS

    internal companion object {
        val SAMPLERS = setOf("sampler2D", "isampler2D", "usampler2D")
    }
}

/** One declaring statement, which may name several things: its place in the text and what it declares. */
internal class ShaderStatement(val range: IntRange, val declarations: List<ShaderDeclaration>)

/** Finds the global declarations of a shader without understanding the rest of it. */
internal class ShaderText(private val module: String, private val stage: ShaderStage, val text: String) {
    val statements: List<ShaderStatement>

    init {
        statements = split(blank(text)).mapNotNull { (range, body) -> parse(range, body) }
    }

    val declarations: List<ShaderDeclaration> get() = statements.flatMap { it.declarations }

    fun fail(line: Int, reason: String): Nothing = throw ShaderTextException(ShaderError(module, stage, line, reason))

    // Comments and preprocessor lines become spaces, so that places and line numbers stay.
    private fun blank(source: String): String {
        val out = StringBuilder(source)
        COMMENT_OR_DIRECTIVE.findAll(source).forEach { match ->
            for (at in match.range) if (out[at] != '\n') out[at] = ' '
        }
        return out.toString()
    }

    private fun split(source: String): List<Pair<IntRange, String>> {
        val found = ArrayList<Pair<IntRange, String>>()
        var depth = 0
        var start = 0
        for (at in source.indices) {
            when (source[at]) {
                '{' -> if (depth++ == 0) refuseBlock(source.substring(start, at), start)
                '}' -> if (--depth == 0) start = at + 1
                ';' -> if (depth == 0) {
                    val body = source.substring(start, at)
                    val first = start + body.indexOfFirst { !it.isWhitespace() }.coerceAtLeast(0)
                    found += first..at to body.trim()
                    start = at + 1
                }
            }
        }
        return found
    }

    private fun refuseBlock(head: String, start: Int) {
        val words = head.replace(LAYOUT, " ").trim().split(WHITESPACE)
        if (words.first() == "uniform" || words.first() == "buffer") {
            fail(lineAt(start + head.length), "a ${words.first()} block is not bound by the host; declare loose uniforms")
        }
    }

    private fun parse(range: IntRange, body: String): ShaderStatement? {
        val match = DECLARATION.matchEntire(body) ?: return null
        if (match.groupValues[4].startsWith("gl_")) return null
        val qualifiers = match.groupValues[2].trim().split(WHITESPACE)
        val storage = qualifiers.firstOrNull { it in STORAGE } ?: return null
        val line = lineAt(range.first)
        val interpolation = qualifiers.filter { it in INTERPOLATION }.joinToString("") { "$it " }
        val location = LOCATION.find(match.groupValues[1])?.groupValues?.get(1)?.toInt()
        val type = match.groupValues[3]
        if (storage == "uniform" && OPAQUE.containsMatchIn(type) && type !in ShaderDeclaration.SAMPLERS) {
            fail(line, "uniform of type $type is not supported; use sampler2D, isampler2D or usampler2D")
        }
        val declarations = match.groupValues[4].split(',').map { item ->
            val name = NAME.matchEntire(item.trim())
                ?: fail(line, "cannot read '${item.trim()}' in '$storage $type'; write one name, or name[length] with a number")
            val count = name.groupValues[2].ifEmpty { "0" }.toInt()
            ShaderDeclaration(storage, interpolation, type, name.groupValues[1], count, location, line)
        }
        return ShaderStatement(range, declarations)
    }

    private fun lineAt(at: Int): Int = 1 + text.substring(0, at).count { it == '\n' }

    private companion object {
        val WHITESPACE = Regex("\\s+")
        val COMMENT_OR_DIRECTIVE = Regex("/\\*.*?\\*/|//[^\\n]*|(?<=^|\\n)[ \\t]*#[^\\n]*", RegexOption.DOT_MATCHES_ALL)
        val LAYOUT = Regex("layout\\s*\\(([^)]*)\\)")
        val DECLARATION = Regex(
            "(?:layout\\s*\\(([^)]*)\\)\\s*)?((?:(?:flat|smooth|noperspective|centroid|invariant|precise|highp|mediump|lowp|uniform|in|out)\\s+)+)" +
                "(\\w+)\\s+(.+)",
            RegexOption.DOT_MATCHES_ALL,
        )
        val LOCATION = Regex("location\\s*=\\s*(\\d+)")
        val OPAQUE = Regex("sampler|texture|image")
        val NAME = Regex("(\\w+)(?:\\s*\\[\\s*(\\d+)\\s*])?")
        val STORAGE = setOf("uniform", "in", "out")
        val INTERPOLATION = setOf("flat", "smooth", "noperspective", "centroid", "invariant", "precise")
    }
}
