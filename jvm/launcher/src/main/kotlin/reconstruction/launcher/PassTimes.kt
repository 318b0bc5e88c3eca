package reconstruction.launcher

import reconstruction.Timings

/** GPU milliseconds of every measured frame, by pass. */
class PassTimes {
    private val byPass = LinkedHashMap<String, MutableList<Double>>()
    private var lastFrame = Long.MIN_VALUE

    /** How many frames were measured. */
    var frames: Int = 0
        private set

    /** Takes the times of a frame once, however often they are offered. */
    fun add(timings: Timings?) {
        if (timings == null || timings.frame == lastFrame) return
        lastFrame = timings.frame
        frames++
        timings.passes.forEach { byPass.getOrPut(it.pass, ::ArrayList) += it.milliseconds.toDouble() }
    }

    /** The middle time of each pass, in the order of the passes. */
    fun medians(): Map<String, Double> = byPass.mapValues { (_, times) -> times.sorted()[times.size / 2] }
}
