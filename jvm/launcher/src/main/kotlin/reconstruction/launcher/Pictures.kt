package reconstruction.launcher

import field.host.Pixels
import field.host.Png
import field.host.ToneMap
import field.host.makeFolder
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.util.Locale

/**
 * The pictures of the last frame, linear, at output size.
 *
 * @property source bicubic enlargement of the source
 * @property reconstructed what the reconstruction put out; null where it is unsupported
 * @property screen what the person sees where it is unsupported, the diagnostic written on it
 * @property psnrDb of each against the reference
 */
class Pictures private constructor(
    private val source: Pixels,
    private val reconstructed: Pixels?,
    private val reference: Pixels,
    private val screen: Pixels?,
    val psnrDb: Map<String, Double>,
    private val sourceWords: String,
    private val reconstructedWords: String,
) {
    /** File names by what they show. */
    val files: Map<String, String> = listOfNotNull(
        "sheet" to SHEET, "source" to SOURCE, reconstructed?.let { "reconstructed" to RECONSTRUCTED },
        "reference" to REFERENCE, screen?.let { "screen" to ScreenFile.NAME },
    ).toMap()

    /** Writes them into [folder], tone mapped, with a sheet of all side by side. */
    fun save(folder: Path) {
        Png.saveToneMapped(folder.resolve(SOURCE), source)
        reconstructed?.let { Png.saveToneMapped(folder.resolve(RECONSTRUCTED), it) }
        Png.saveToneMapped(folder.resolve(REFERENCE), reference)
        val all = listOfNotNull(
            Labelled(sourceWords, source),
            reconstructed?.let { Labelled(reconstructedWords, it) },
            Labelled("reference, $REFERENCE_SAMPLES samples a pixel", reference),
        )
        val texts = mapOf(Png.TONE_MAPPING_KEY to ToneMap.NAME)
        screen?.let { Png.saveDisplayReady(folder.resolve(ScreenFile.NAME), it, texts) }
        Png.save(folder.resolve(SHEET), sheet(all, Detail.ofGreatestError(source, reference)), texts)
    }

    companion object {
        private const val SHEET = "sheet.png"
        private const val SOURCE = "source.png"
        private const val RECONSTRUCTED = "reconstructed.png"
        private const val REFERENCE = "reference.png"

        /** Reads the last frame of [canvas] back. */
        fun of(canvas: Canvas, reference: Pixels): Pictures {
            val exports = canvas.exports
            val small = canvas.renderer.readback(exports.source.imageViewArray[0])
            val reconstructed = exports.neural?.let { canvas.renderer.readback(it.output.imageViewArray[0]) }
            val (width, height) = reference.width to reference.height
            val source = bicubic(small, width, height)
            val isBypassed = canvas.isBypassed
            val shown = if (isBypassed) "bypassed" else "reconstructed"
            val scores = LinkedHashMap<String, Double>()
            scores["source_enlarged"] = psnr(source, reference)
            if (reconstructed != null) {
                val jitter = exports.frameInputs().jitter
                scores["source_enlarged_jitter_corrected"] = psnr(bicubic(small, width, height, jitter.x, jitter.y), reference)
                scores[shown] = psnr(reconstructed, reference)
            }
            fun words(text: String, key: String) = "$text, %.2f dB".format(Locale.ROOT, scores[key])
            val enlarged = if (small.width == width && small.height == height) "" else ", bicubic"
            return Pictures(
                source, reconstructed, reference, if (reconstructed == null) canvas.renderer.screen.pixels() else null, scores,
                words("source ${small.width}x${small.height}$enlarged", "source_enlarged"),
                words(if (isBypassed) shown else "$shown ${width}x$height", shown),
            )
        }

        /** Takes away what an earlier run left in [folder]. */
        fun clear(folder: Path) = try {
            makeFolder(folder)
            listOf(SHEET, SOURCE, RECONSTRUCTED, REFERENCE, ScreenFile.NAME, Summary.NAME).forEach { Files.deleteIfExists(folder.resolve(it)) }
        } catch (error: IOException) {
            throw LaunchException("--out $folder: cannot be written: $error; choose another folder")
        }
    }
}
