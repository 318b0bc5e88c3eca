package field.host

/** Work that waits until the GPU has finished every submission that could use what it destroys. */
internal class CleanupQueue(private val report: (Throwable) -> Unit) {
    private class Entry(val submission: Long, val work: () -> Unit)

    private val entries = ArrayDeque<Entry>()

    fun add(submission: Long, work: () -> Unit) {
        entries.addLast(Entry(submission, work))
    }

    /** Runs, in the order of adding, what waited for [finished] or an earlier submission. */
    fun run(finished: Long) {
        while (true) {
            val entry = entries.firstOrNull() ?: return
            if (entry.submission > finished) return
            entries.removeFirst()
            try {
                entry.work()
            } catch (error: Exception) {
                report(error)
            }
        }
    }
}
