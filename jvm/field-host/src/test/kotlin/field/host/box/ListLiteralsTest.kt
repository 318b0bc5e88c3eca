package field.host.box

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource
import kotlin.random.Random

class ListLiteralsTest {
    @ParameterizedTest
    @MethodSource("rewritten")
    fun assignedBracketsBecomeAList(from: String, to: String) = assertEquals(to, ListLiterals.rewrite(from))

    @ParameterizedTest
    @MethodSource("kept")
    fun everythingElseStays(text: String) = assertEquals(text, ListLiterals.rewrite(text))

    @Test
    fun linesKeepTheirNumbersAndPiecesTheirOrder() {
        val random = Random(7)
        val pieces = listOf(
            "x = [a, b]", "\n", "\"= [s]\"", "// = [c]\n", "/* = [\n] */", "y[i] = z[j]", "{ ", " }", "(", ")", "'['", "\"\"\"= [\n]\"\"\"",
            "val q = [\n 1, // one\n 2,\n]", "\"\${m[\"k\"]} = [t]\"", "@A(b = [c]) ", "`= [`", "\\", "\"", "="
        )
        repeat(2000) {
            val text = (0 until random.nextInt(1, 12)).joinToString(" ") { pieces.random(random) }
            val result = ListLiterals.rewrite(text)
            assertEquals(text.count { it == '\n' }, result.count { it == '\n' }, text)
            assertEquals(text, undo(result), text)
        }
    }

    private fun undo(text: String): String {
        val result = StringBuilder()
        val open = ArrayDeque<Boolean>()
        val code = CodeMask.of(text)
        var i = 0
        while (i < text.length) {
            when {
                code.startsWith("listOf(", i) -> { result.append('['); open.addLast(true); i += 7; continue }
                code[i] == '(' || code[i] == '[' -> open.addLast(false)
                code[i] == ')' || code[i] == ']' -> if (open.removeLastOrNull() == true) { result.append(']'); i++; continue }
            }
            result.append(text[i++])
        }
        return result.toString()
    }

    companion object {
        @JvmStatic
        fun rewritten() = listOf(
            arrayOf("a = [1, 2]", "a = listOf(1, 2)"),
            arrayOf("a =[]", "a =listOf()"),
            arrayOf("a=[1]", "a=listOf(1)"),
            arrayOf("a = [\n  A, // opaque ] colour\n  B, /* ] */\n]\nb", "a = listOf(\n  A, // opaque ] colour\n  B, /* ] */\n)\nb"),
            arrayOf("a =\n  [1]", "a =\n  listOf(1)"),
            arrayOf("a = /* why */ [1]", "a = /* why */ listOf(1)"),
            arrayOf("a = [x[0], f(y[1]), \"]\"]", "a = listOf(x[0], f(y[1]), \"]\")"),
            arrayOf("a = [{ b = [1] }]", "a = listOf({ b = listOf(1) })"),
            arrayOf("f(a = [1])", "f(a = listOf(1))"),
            arrayOf("val c = '\\''; a = [1]", "val c = '\\''; a = listOf(1)"),
            arrayOf("@A(b = [1]) fun f(c: Any = [2])", "@A(b = [1]) fun f(c: Any = listOf(2))"),
            arrayOf("\"\${\"}\"}\"; a = [1]", "\"\${\"}\"}\"; a = listOf(1)"),
        )

        @JvmStatic
        fun kept() = listOf(
            "a = b[0]", "a[0] = b", "a == [1]", "a != [1]", "a += [1]", "f([1])", "\"a = [1]\"", "\"\"\"a = [1]\n\"\" = [2]\"\"\"", "// a = [1]",
            "/* a = [1] /* b = [2] */ c = [3] */", "\"\${x} = [1]\"", "@A(b = [C::class]) val x = 1", "@file:A(b = [1])", "a <= [1]", "",
            "\"unclosed = [1]", "/* unclosed = [1]",
        )
    }
}
