package field.host.box

/**
 * The one rewrite of box code: `= [a, b]`, which Field's pages write, becomes `= listOf(a, b)`. Lines keep their
 * numbers. Strings, comments, indexing and the arguments of annotations (where Kotlin has such literals) stay.
 */
internal object ListLiterals {
    fun rewrite(text: String): String {
        val code = CodeMask.of(text)
        val result = StringBuilder(text.length + 16)
        val closers = ArrayDeque<Char>()
        var annotationDepth = 0
        val annotationParens = ArrayDeque<Boolean>()
        for (i in code.indices) {
            var c = text[i]
            when (code[i]) {
                '[' -> if (annotationDepth == 0 && followsAssignment(code, i)) {
                    closers.addLast(')')
                    result.append("listOf(")
                    continue
                } else {
                    closers.addLast(']')
                }
                ']' -> c = closers.removeLastOrNull() ?: ']'
                '(' -> {
                    val opens = annotationDepth > 0 || ANNOTATION_BEFORE.containsMatchIn(code.substring(maxOf(0, i - 120), i))
                    annotationParens.addLast(opens)
                    if (opens) annotationDepth++
                }
                ')' -> if (annotationParens.removeLastOrNull() == true) annotationDepth--
            }
            result.append(c)
        }
        return result.toString()
    }

    /** Whether the last code before [bracket] is a plain `=`. */
    private fun followsAssignment(code: String, bracket: Int): Boolean {
        var i = bracket - 1
        while (i >= 0 && code[i].isWhitespace()) i--
        return i >= 0 && code[i] == '=' && (i == 0 || code[i - 1] !in "=!<>+-*/%")
    }

    private val ANNOTATION_BEFORE = Regex("""@(\w+:)?[\w.]+\s*$""")
}
