package reconstruction.launcher

import reconstruction.Timings

/** GPU milliseconds of every measured frame, by pass. */
class PassTimes {
    private val byPass = LinkedHashMap<String, MutableList<Double>>()
    private var lastFrame = Long.MIN_VALUE

    private val totals = ArrayList<Double>()

    /** How many frames were measured. */
    val frames: Int get() = totals.size

    /** The middle time of a frame's passes together; null before one was measured. */
    val medianTotal: Double? get() = if (totals.isEmpty()) null else median(totals)

    /** Takes the times of a frame once, however often they are offered. */
    fun add(timings: Timings?) {
        if (timings == null || timings.frame == lastFrame) return
        lastFrame = timings.frame
        totals += timings.total.toDouble()
        timings.passes.forEach { byPass.getOrPut(it.pass, ::ArrayList) += it.milliseconds.toDouble() }
    }

    /** The middle time of each pass, in the order of the passes. */
    fun medians(): Map<String, Double> = byPass.mapValues { median(it.value) }

    private fun median(times: List<Double>) = times.sorted()[times.size / 2]
}
