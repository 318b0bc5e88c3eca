package reconstruction.launcher

/** Lets Ctrl-C end a run between two frames, so that the device is freed before the process goes. */
class StopRequest : AutoCloseable {
    private val runThread = Thread.currentThread()
    private val hook = Thread {
        isRequested = true
        runThread.join(PATIENCE_MILLISECONDS)
    }

    @Volatile
    var isRequested: Boolean = false
        private set

    init {
        Runtime.getRuntime().addShutdownHook(hook)
    }

    /** The run is over: Ctrl-C is what it was. */
    override fun close() {
        if (!isRequested) Runtime.getRuntime().removeShutdownHook(hook)
    }

    private companion object {
        const val PATIENCE_MILLISECONDS = 5000L
    }
}
