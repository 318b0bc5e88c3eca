package reconstruction.launcher

import java.io.ByteArrayOutputStream
import java.io.PrintStream

/** A console that keeps what it is told. */
internal class Captured {
    private val out = ByteArrayOutputStream()
    private val err = ByteArrayOutputStream()
    val console = Console(PrintStream(out, true), PrintStream(err, true), isTerminal = false)

    val results: String get() = out.toString()
    val errors: String get() = err.toString()
    val errorLines: List<String> get() = errors.lines().filter { it.isNotEmpty() }
}
