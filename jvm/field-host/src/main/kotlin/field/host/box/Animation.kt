package field.host.box

/** What a box's `_r` does in a frame. */
internal sealed class Animation {
    /** One frame; false when there will be no more. */
    abstract fun step(): Boolean

    /** The last calls, with `bx.ended` true. */
    abstract fun finish()

    private class EachFrame(private val function: () -> Any?) : Animation() {
        override fun step(): Boolean {
            function()
            return true
        }

        override fun finish() {
            function()
        }
    }

    private class Coroutine(private val frames: Iterator<*>) : Animation() {
        override fun step(): Boolean {
            if (!frames.hasNext()) return false
            frames.next()
            return true
        }

        override fun finish() {
            repeat(LAST_STEPS) { if (!step()) return }
        }
    }

    companion object {
        /** Field resumes a coroutine twice after `ended` has become true. */
        private const val LAST_STEPS = 2

        /** null when [value] is not something that animates. */
        fun of(value: Any): Animation? = when (value) {
            is Frames -> Coroutine(iterator(value.body))
            is Sequence<*> -> Coroutine(value.iterator())
            is Function0<*> -> EachFrame(value)
            else -> null
        }
    }
}
