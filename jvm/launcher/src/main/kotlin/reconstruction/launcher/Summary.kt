package reconstruction.launcher

import com.google.gson.FieldNamingPolicy
import com.google.gson.GsonBuilder
import reconstruction.ReconstructionSize
import java.nio.file.Files
import java.nio.file.Path
import java.util.Locale

/** What happened to history in a frame. */
class ResetEvent(val frame: Long, val cause: String, val reason: String)

/**
 * Everything that a run has to tell, as summary.json writes it.
 *
 * @property status the reconstruction's own line at the end of the run
 * @property unsupported why there is no reconstruction; null where there is one
 * @property psnrDb against the reference, by picture; see [SCORE_TONE]
 * @property gpuMs median GPU milliseconds of each pass, over the reconstructed frames that were measured
 * @property gpuMsTotal median GPU milliseconds of a reconstructed frame's passes together; null where none was measured
 * @property measuredFrames how many reconstructed frames were measured
 * @property bypassedGpuMs as [gpuMs], over the bypassed frames; so are the two after it
 * @property hostGpuMs GPU milliseconds of the host's own spans in the last measured frame
 * @property pictures file names in the folder, by what they show
 */
class Summary(
    val startingPoint: String,
    val device: Map<String, String>,
    val status: String?,
    val unsupported: String?,
    val mode: String,
    val renderSize: ReconstructionSize,
    val outputSize: ReconstructionSize,
    val frames: Long,
    val bypassedFrames: Long,
    val resets: List<ResetEvent>,
    val psnrDb: Map<String, Double>,
    val gpuMs: Map<String, Double>,
    val gpuMsTotal: Double?,
    val measuredFrames: Int,
    val bypassedGpuMs: Map<String, Double>,
    val bypassedGpuMsTotal: Double?,
    val measuredBypassedFrames: Int,
    val hostGpuMs: Map<String, Double>,
    val pictures: Map<String, String>,
    val recording: String?,
    val versions: Map<String, String>,
    val toneMapping: String,
) {
    /** Writes [file], JSON, keys in snake case. */
    fun write(file: Path) {
        val gson = GsonBuilder().setPrettyPrinting().serializeSpecialFloatingPointValues().disableHtmlEscaping()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create()
        Files.writeString(file, gson.toJson(this) + "\n")
    }

    /** The lines that a person reads. */
    fun lines(folder: Path): List<String> = listOfNotNull(
        line("device", "${device["name"]} (${device["type"]}, Vulkan ${device["vulkan"]}), driver ${device["driver"]}"),
        line("sizes", "$renderSize to $outputSize, " + if (unsupported == null) mode else "source only"),
        line("frames", "$frames" + (if (bypassedFrames > 0) ", $bypassedFrames of them bypassed" else "") + resetWords()),
        line("PSNR", psnrDb.entries.joinToString { (what, value) -> "${words(what)} ${format(value)} dB" }),
        line("", "of $SCORE_TONE, against $REFERENCE_SAMPLES samples a pixel"),
        line("GPU", gpuWords()),
        recording?.let { line("recording", it) },
        line("pictures", pictures.values.joinToString { "$folder/$it" }),
        line("numbers", "$folder/$NAME"),
    )

    private fun line(title: String, text: String) = title.padEnd(12) + text

    private fun words(picture: String) =
        (if (renderSize == outputSize) picture.replace("_enlarged", "") else picture).replace('_', ' ')

    private fun resetWords() =
        if (resets.isEmpty()) "" else "; history began anew in " + resets.joinToString { "frame ${it.frame} (${it.reason})" }

    private fun gpuWords(): String {
        val own = hostGpuMs.filterKeys { it != "frame" && it != "screen" }.map { (name, ms) -> "$name ${format(ms)} ms" }
        val passes = passWords(gpuMs, gpuMsTotal, "$measuredFrames reconstructed frames")
        val bypassed = passWords(bypassedGpuMs, bypassedGpuMsTotal, "$measuredBypassedFrames bypassed frames")
        val frame = hostGpuMs["frame"]?.let { "last frame ${format(it)} ms with all that the host draws" }
        return (own + passes + bypassed + listOfNotNull(frame)).joinToString().ifEmpty { "not measured" }
    }

    private fun passWords(passes: Map<String, Double>, total: Double?, of: String) =
        withoutLayers(passes).map { (pass, ms) -> "$pass ${format(ms)} ms" } +
            listOfNotNull(total?.let { "together ${format(it)} ms (medians of $of)" })

    /** The layers of a network, which lie between its features and the picture, as one. */
    private fun withoutLayers(passes: Map<String, Double>): Map<String, Double> {
        if ("features" !in passes) return passes
        val layers = passes.keys.dropWhile { it != "features" }.drop(1).takeWhile { it != "resolve" }.toSet()
        return buildMap {
            for ((pass, ms) in passes) {
                if (pass in layers) merge("network", ms, Double::plus) else put(pass, ms)
            }
        }
    }

    private fun format(value: Double) = String.format(Locale.ROOT, if (value < 1) "%.3f" else "%.2f", value)

    companion object {
        const val NAME: String = "summary.json"
    }
}
