package reconstruction.launcher

import java.io.PrintStream

/**
 * Where the person reads: results on [out], everything else on [err].
 *
 * @param isTerminal one line that is written over shows progress; otherwise a line now and then
 */
class Console(val out: PrintStream, val err: PrintStream, private val isTerminal: Boolean) {
    private var shownLength = 0
    private var lastStage = ""
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

    /** Step [done] of [count] of a [stage]; a [count] of 0 is without end. */
    fun progress(stage: String, done: Long, count: Long) {
        val text = if (count > 0) "$stage $done/$count" else "$stage $done"
        val now = System.nanoTime()
        val isEnd = count > 0 && done == count
        if (isTerminal) {
            if (!isEnd && stage == lastStage && now - lastTime < TERMINAL_INTERVAL) return
            err.print("\r" + text.padEnd(shownLength))
            err.flush()
            shownLength = text.length
        } else {
            if (!isEnd && stage == lastStage && now - lastTime < PLAIN_INTERVAL) return
            err.println(text)
        }
        lastStage = stage
        lastTime = now
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
