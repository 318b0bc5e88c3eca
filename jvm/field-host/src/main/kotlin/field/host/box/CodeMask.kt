package field.host.box

/**
 * Kotlin text of the same length with every comment, string, character literal and `name in backticks` blanked, line breaks kept:
 * what is left is code. Code inside string templates is blanked with its string.
 */
internal class CodeMask private constructor(private val text: String) {
    private val masked = text.toCharArray()
    private var at = 0

    private fun run(): String {
        code(untilBrace = false)
        return String(masked)
    }

    /** Passes over code; inside a template up to and including the brace that closes it. */
    private fun code(untilBrace: Boolean) {
        var depth = 0
        while (at < text.length) {
            when {
                text.startsWith("//", at) -> blank { at = text.indexOf('\n', at).let { if (it < 0) text.length else it } }
                text.startsWith("/*", at) -> blank { comment() }
                text.startsWith("\"\"\"", at) -> blank { rawString() }
                text[at] == '"' -> blank { string() }
                text[at] == '\'' -> blank { character() }
                text[at] == '`' -> blank { quotedName() }
                untilBrace && text[at] == '{' -> { depth++; at++ }
                untilBrace && text[at] == '}' -> { at++; if (depth-- == 0) return }
                else -> at++
            }
        }
    }

    private inline fun blank(pass: () -> Unit) {
        val start = at
        pass()
        for (i in start until at) if (masked[i] != '\n') masked[i] = ' '
    }

    /** Block comments nest in Kotlin. */
    private fun comment() {
        var depth = 0
        do {
            when {
                text.startsWith("/*", at) -> { depth++; at += 2 }
                text.startsWith("*/", at) -> { depth--; at += 2 }
                else -> at++
            }
        } while (depth > 0 && at < text.length)
        at = minOf(at, text.length)
    }

    private fun string() {
        at++
        while (at < text.length && text[at] != '\n') {
            when {
                text[at] == '\\' -> at = minOf(at + 2, text.length)
                text.startsWith("\${", at) -> template()
                text[at++] == '"' -> return
            }
        }
    }

    private fun rawString() {
        at += 3
        while (at < text.length) {
            when {
                text.startsWith("\${", at) -> template()
                text.startsWith("\"\"\"", at) -> {
                    while (at < text.length && text[at] == '"') at++
                    return
                }
                else -> at++
            }
        }
    }

    private fun template() {
        at += 2
        code(untilBrace = true)
    }

    private fun quotedName() {
        at++
        while (at < text.length && text[at] != '\n') if (text[at++] == '`') return
    }

    private fun character() {
        at++
        while (at < text.length && text[at] != '\n') {
            if (text[at] == '\\') at = minOf(at + 2, text.length) else if (text[at++] == '\'') return
        }
    }

    companion object {
        fun of(text: String) = CodeMask(text).run()
    }
}
