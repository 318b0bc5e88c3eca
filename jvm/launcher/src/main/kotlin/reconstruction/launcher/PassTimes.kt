package reconstruction.launcher

import reconstruction.Timings

/** GPU milliseconds of the measured frames of one kind. */
class FrameCost {
    private val totals = ArrayList<Double>()
    private val byPass = LinkedHashMap<String, MutableList<Double>>()

    /** How many frames were measured. */
    val frames: Int get() = totals.size

    /** The middle time of a frame's passes together; null before one was measured. */
    val medianTotal: Double? get() = if (totals.isEmpty()) null else median(totals)

    /** The middle time of each pass, in the order of the passes. */
    val medians: Map<String, Double> get() = byPass.mapValues { median(it.value) }

    fun add(timings: Timings) {
        totals += timings.total.toDouble()
        timings.passes.forEach { byPass.getOrPut(it.pass, ::ArrayList) += it.milliseconds.toDouble() }
    }

    private fun median(times: List<Double>) = times.sorted()[times.size / 2]
}

/** What frames cost on the device: reconstructed and bypassed ones apart, since they run other passes. */
class PassTimes {
    val reconstructed = FrameCost()
    val bypassed = FrameCost()
    private var lastFrame = Long.MIN_VALUE

    /**
     * Takes the times of a frame once, however often they are offered. They come frames later, when the setting may
     * have changed, so the passes tell what the frame was.
     */
    fun add(timings: Timings?) {
        if (timings == null || timings.frame == lastFrame) return
        lastFrame = timings.frame
        (if (timings.passes.any { it.pass == BYPASS_PASS }) bypassed else reconstructed).add(timings)
    }

    private companion object {
        /** The pass that shows the source, which no reconstructed frame runs. */
        const val BYPASS_PASS = "enlarge"
    }
}
