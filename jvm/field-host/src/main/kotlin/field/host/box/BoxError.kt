package field.host.box

import java.lang.reflect.InvocationTargetException

/** One line about a fault in a box's code; [line] counts from 1, 0 when no line of the box is known. */
data class BoxError(val box: String, val line: Int, val message: String) {
    override fun toString() = if (line > 0) "$box:$line: $message" else "$box: $message"

    internal companion object {
        /** The exception's message at the innermost line of [file], the script of [box], that it passed through. */
        fun of(box: Box, file: String, thrown: Throwable): BoxError {
            val cause = generateSequence(thrown) { it.cause }.first { it !is InvocationTargetException }
            val line = frames(cause).firstOrNull { it.fileName == file }?.lineNumber ?: 0
            return BoxError(box.name, line, oneLine(cause.message ?: cause.javaClass.simpleName))
        }

        /** Innermost first, those of the cause after those of what it caused. */
        fun frames(thrown: Throwable) = generateSequence(thrown) { it.cause }.flatMap { it.stackTrace.asSequence() }

        /** Line breaks become spaces, what is not printable ASCII becomes '?'. */
        fun oneLine(text: String) = text.trim().replace(Regex("\\s+"), " ").map { if (it in ' '..'~') it else '?' }.joinToString("")
    }
}

/** What came of running a box: no [errors], or every compile error, or the one exception that ended it. */
data class BoxOutcome(val box: Box, val errors: List<BoxError>) {
    val isOk get() = errors.isEmpty()
}

/** A fault of a starting point on disk, or of the way the host uses it: one line, with file and key. */
class BoxException(message: String) : Exception(message)
