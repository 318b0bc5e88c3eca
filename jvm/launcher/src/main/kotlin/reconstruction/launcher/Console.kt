package reconstruction.launcher

import java.io.PrintStream

/**
 * Where the person reads: results on [out], everything else on [err].
 *
 * @param isTerminal one line that is written over shows progress; otherwise a line now and then
 */
class Console(val out: PrintStream, val err: PrintStream, private val isTerminal: Boolean) {
    private var shownLength = 0
    private val seenStages = HashSet<String>()
    private var lastTime = 0L

    /** A result. */
    fun line(text: String) {
        clear()
        out.println(text)
        out.flush()
    }

    /** Something that needs attention. */
    fun warn(text: String) {
        clear()
        err.println(text)
        err.flush()
    }

    /** Step [done] of [count] of a [stage]; a [count] of 0 is without end. Without a terminal only a few steps are told. */
    fun progress(stage: String, done: Long, count: Long) {
        val isEnd = isTerminal && done == count
        val interval = if (isTerminal) TERMINAL_INTERVAL else PLAIN_INTERVAL
        val now = System.nanoTime()
        if (!seenStages.add(stage) && !isEnd && now - lastTime < interval) return
        lastTime = now
        val text = if (count > 0) "$stage $done/$count" else "$stage $done"
        if (isTerminal) {
            err.print("\r" + text.padEnd(shownLength))
            shownLength = text.length
        } else {
            err.println(text)
        }
        err.flush()
    }

    /** Takes the progress line away. */
    fun clear() {
        if (shownLength == 0) return
        err.print("\r" + " ".repeat(shownLength) + "\r")
        err.flush()
        shownLength = 0
    }

    companion object {
        /** Nanoseconds between two updates. */
        private const val TERMINAL_INTERVAL = 50_000_000L
        private const val PLAIN_INTERVAL = 10_000_000_000L

        /** The console of this process. */
        fun ofProcess(): Console = Console(System.out, System.err, System.console() != null)
    }
}
