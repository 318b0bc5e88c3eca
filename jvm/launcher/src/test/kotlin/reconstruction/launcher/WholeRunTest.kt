package reconstruction.launcher

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import field.host.Png
import field.host.SoftwareDrivers
import field.host.ToneMap
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import java.nio.file.Files
import java.nio.file.Path
import javax.imageio.ImageIO

/** The starting point from its boxes to its pictures, at a small size. */
class WholeRunTest {
    @TempDir
    lateinit var folder: Path

    private val small = arrayOf("--output", "128x72", "--validation")

    private fun summary(): JsonObject = JsonParser.parseString(Files.readString(folder.resolve("summary.json"))).asJsonObject

    private fun run(vararg arguments: String): Captured {
        val captured = Captured()
        assertEquals(0, launch(arrayOf(*small, "--out", "$folder", *arguments), captured.console), captured.errors)
        return captured
    }

    private fun size(file: String) = ImageIO.read(folder.resolve(file).toFile()).let { it.width to it.height }

    @ParameterizedTest
    @ValueSource(strings = [SoftwareDrivers.LAVAPIPE, SoftwareDrivers.SWIFTSHADER])
    fun `a run leaves pictures and numbers, and the reconstruction is the better picture`(driver: String) {
        Files.writeString(folder.resolve("screen.png"), "of an earlier run")
        val captured = run("--device", driver, "--frames", "8")
        for (file in listOf("source.png", "reconstructed.png", "reference.png")) {
            assertEquals(128 to 72, size(file), file)
            assertEquals(ToneMap.NAME, Png.texts(folder.resolve(file))[Png.TONE_MAPPING_KEY], file)
        }
        assertTrue(size("sheet.png").first >= 3 * 128)
        assertFalse(Files.exists(folder.resolve("screen.png")))
        val summary = summary()
        assertTrue(driver in summary["device"].asJsonObject["name"].asString)
        assertEquals(8, summary["frames"].asInt)
        assertEquals(64, summary["render_size"].asJsonObject["width"].asInt)
        val psnr = summary["psnr_db"].asJsonObject
        assertTrue(psnr["reconstructed"].asDouble > psnr["source_enlarged"].asDouble + 1, psnr.toString())
        val passes = summary["gpu_ms"].asJsonObject.keySet().toList()
        assertEquals(listOf("exposure", "gather", "features"), passes.take(3))
        assertEquals("resolve", passes.last())
        assertFalse(summary.has("unsupported"))
        for (word in listOf(driver, "64x36 to 128x72, PERFORMANCE", "PSNR", "GPU", "$folder/sheet.png", "$folder/summary.json")) {
            assertTrue(word in captured.results, "$word in ${captured.results}")
        }
    }

    @Test
    fun `cuts and the end of a bypass begin history anew, and the summary says so`() {
        run("--frames", "8", "--cut-at", "2", "--bypass-at", "4:6")
        val resets = summary()["resets"].asJsonArray.map { it.asJsonObject }.map { it["frame"].asInt to it["cause"].asString }
        assertEquals(listOf(0 to "FIRST", 2 to "REQUESTED", 6 to "BYPASS_ENDED"), resets)
        assertEquals(2, summary()["bypassed_frames"].asInt)
    }

    @Test
    fun `bypassed frames are measured apart from reconstructed ones`() {
        val captured = run("--frames", "12", "--bypass-at", "3:8", "--device", SoftwareDrivers.LAVAPIPE)
        val summary = summary()
        val passes = summary["gpu_ms"].asJsonObject.keySet().toList()
        assertEquals(listOf("exposure", "gather", "features"), passes.take(3))
        assertEquals("resolve", passes.last())
        assertEquals(listOf("enlarge"), summary["bypassed_gpu_ms"].asJsonObject.keySet().toList())
        assertEquals(summary["bypassed_gpu_ms_total"], summary["bypassed_gpu_ms"].asJsonObject["enlarge"])
        assertEquals(5, summary["measured_bypassed_frames"].asInt)
        // The last frames may not have been read back yet.
        assertTrue(summary["measured_frames"].asInt in 5..7, "$summary")
        for (words in listOf("${summary["measured_frames"]} reconstructed frames)", "(medians of 5 bypassed frames)")) {
            assertTrue(words in captured.results, "$words in ${captured.results}")
        }
    }

    @Test
    fun `a bypass to the end shows the enlarged source, unjittered`() {
        run("--frames", "4", "--bypass-at", "2")
        val psnr = summary()["psnr_db"].asJsonObject
        assertEquals(psnr["source_enlarged"].asDouble, psnr["source_enlarged_jitter_corrected"].asDouble)
        assertEquals(psnr["source_enlarged"].asDouble, psnr["bypassed"].asDouble, 1.5)
        assertFalse(psnr.has("reconstructed"))
    }

    @Test
    fun `DLAA and free ratios run as well`() {
        run("--frames", "3", "--mode", "DLAA")
        assertEquals(128, summary()["render_size"].asJsonObject["width"].asInt)
        run("--frames", "3", "--mode", "1.7")
        assertEquals(75, summary()["render_size"].asJsonObject["width"].asInt)
    }

    @Test
    fun `a recording scores as the run did`() {
        val frames = folder.resolve("frames")
        val captured = run("--frames", "6", "--cut-at", "3", "--device", SoftwareDrivers.LAVAPIPE, "--record", "$frames")
        assertTrue("6 frames in $frames" in captured.results, captured.results)
        val entries = JsonParser.parseString(Files.readString(frames.resolve("sequence.json"))).asJsonObject["frames"].asJsonArray
        assertEquals(listOf(5), (0 until 6).filter { entries[it].asJsonObject.has("reference") })
        val process = ProcessBuilder(Home.program, "frames", "$frames", "--feature", "sr", "--json").start()
        val scored = JsonParser.parseString(process.inputStream.bufferedReader().readText()).asJsonObject
        val scores = scored["frames"].asJsonArray.last().asJsonObject["scores"].asJsonObject
        val psnr = summary()["psnr_db"].asJsonObject
        for ((theirs, ours) in mapOf("reconstructed" to "reconstructed", "bicubic" to "source_enlarged",
            "bicubic_corrected" to "source_enlarged_jitter_corrected")) {
            assertEquals(scores[theirs].asJsonObject["psnr_db"].asDouble, psnr[ours].asDouble, 0.002, theirs)
        }
        assertTrue(Files.list(folder).use { all -> all.noneMatch { ".raw" in "$it" } })
    }
}
