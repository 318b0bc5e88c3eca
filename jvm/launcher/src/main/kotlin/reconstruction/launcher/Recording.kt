package reconstruction.launcher

import com.google.gson.GsonBuilder
import field.host.Pixels
import field.host.makeFolder
import reconstruction.ReconstructionSize
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files
import java.nio.file.Path
import java.util.Locale

/**
 * The reconstruction's inputs frame by frame, as the raw recording that `reconstruct pack` makes a frame folder of.
 * The raw frames lie beside [folder] until then; [close] takes them away where the run has ended before.
 *
 * @param folder the frame folder to be
 * @throws LaunchException when nothing can be written there, before a frame is drawn
 */
class Recording(
    private val folder: Path,
    private val renderSize: ReconstructionSize,
    private val outputSize: ReconstructionSize,
) : AutoCloseable {
    private val raw: Path
    private val frames = ArrayList<Map<String, Any?>>()
    private var isKept = false

    init {
        val beside = folder.toAbsolutePath().normalize()
        raw = writing {
            makeFolder(beside)
            Files.createTempDirectory(beside.parent, "${beside.fileName}.raw").also { Files.createDirectory(it.resolve("reference")) }
        }
    }

    /** Adds the frame that [canvas] recorded last. Waits for the GPU. */
    fun add(canvas: Canvas, reference: Pixels?) {
        val name = "%04d".format(Locale.ROOT, frames.size)
        IMAGES.forEachIndexed { at, image ->
            write(raw.resolve("$name.${image.name}.raw"), canvas.renderer.readback(canvas.exports.source.imageViewArray[at]))
        }
        reference?.let { write(raw.resolve("reference/$name.raw"), it) }
        val inputs = canvas.exports.frameInputs()
        frames += mapOf(
            "index" to inputs.frameIndex,
            "file" to name,
            "reference" to reference?.let { "reference/$name" },
            "jitter" to listOf(inputs.jitter.x, inputs.jitter.y),
            "view" to inputs.view,
            "projection" to clipYDown(inputs.projection),
            "cut" to false,
            "reset" to (if (inputs.isReset) true else null),
        )
    }

    /** Writes the description and lets [packer], the program `reconstruct`, make the folder. Gives a line about it. */
    fun finish(packer: String): String {
        val description = mapOf(
            "format" to "raw-1",
            "render_size" to listOf(renderSize.width, renderSize.height),
            "output_size" to listOf(outputSize.width, outputSize.height),
            "depth" to "hardware",
            "motion" to "previous_minus_current_render_pixels",
            "exposure" to 1.0,
            "images" to IMAGES,
            "reference_image" to RawImage(null, listOf("R", "G", "B", "_")),
            "frames" to frames,
        )
        writing { Files.writeString(raw.resolve("sequence.json"), GsonBuilder().setPrettyPrinting().create().toJson(description)) }
        isKept = true
        val command = listOf(packer, "pack", raw.toString(), "--out", folder.toString())
        val byHand = "the raw frames are in $raw; pack them by ${command.joinToString(" ")}"
        val process = try {
            ProcessBuilder(command).redirectErrorStream(true).start()
        } catch (error: IOException) {
            throw LaunchException("--record $folder: $packer does not start; $byHand")
        }
        val said = process.inputStream.bufferedReader().readText().trim()
        if (process.waitFor() != 0) throw LaunchException("--record $folder: ${said.lines().last()}; $byHand")
        isKept = false
        return said
    }

    /** Takes the raw frames away, unless packing them has failed and the person was told where they are. */
    override fun close() {
        if (!isKept) raw.toFile().deleteRecursively()
    }

    private fun <T> writing(work: () -> T): T = try {
        work()
    } catch (error: IOException) {
        throw LaunchException("--record $folder: cannot be written: $error; choose another folder")
    }

    private fun write(path: Path, pixels: Pixels) {
        val bytes = ByteBuffer.allocate(4 * pixels.values.size).order(ByteOrder.LITTLE_ENDIAN)
        bytes.asFloatBuffer().put(pixels.values)
        writing { Files.write(path, bytes.array()) }
    }

    private class RawImage(val name: String?, val channels: List<String>, val type: String = "float")

    private companion object {
        /** In the order of the source's attachments. */
        val IMAGES = listOf(
            RawImage("color", listOf("R", "G", "B", "_")),
            RawImage("depth", listOf("depth.Z")),
            RawImage("motion", listOf("motion.X", "motion.Y")),
        )

        /** Frame folders have a clip space with y down, Field's points up. */
        fun clipYDown(projection: FloatArray) = FloatArray(16) { if (it % 4 == 1) 0f - projection[it] else projection[it] }
    }
}
