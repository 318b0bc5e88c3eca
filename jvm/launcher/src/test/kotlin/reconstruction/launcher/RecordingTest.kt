package reconstruction.launcher

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir
import reconstruction.ReconstructionSize
import java.nio.file.Files
import java.nio.file.Path

/** Recordings that come to nothing. */
class RecordingTest {
    @TempDir
    lateinit var folder: Path

    private val size = ReconstructionSize(64, 64)

    private fun entries() = Files.list(folder).use { all -> all.map { it.fileName.toString() }.sorted().toList() }

    @Test
    fun `a folder that cannot be made is refused before a frame is drawn`() {
        val taken = Files.createFile(folder.resolve("taken"))
        val error = assertThrows<LaunchException> { Recording(taken, size, size) }
        assertTrue(error.message!!.startsWith("--record $taken: cannot be written: "), error.message)
        assertEquals(listOf("taken"), entries())
    }

    @Test
    fun `a run that ends early leaves no raw frames`() {
        Recording(folder.resolve("frames"), size, size).use { assertEquals(2, entries().size) }
        assertEquals(listOf("frames"), entries())
    }

    @Test
    fun `raw frames stay when packing fails, and the line says where they are`() {
        val error = assertThrows<LaunchException> { Recording(folder.resolve("frames"), size, size).use { it.finish("/nowhere/reconstruct") } }
        val (frames, raw) = entries()
        assertEquals("frames", frames)
        assertTrue("/nowhere/reconstruct does not start; the raw frames are in ${folder.resolve(raw)};" in error.message!!, error.message)
    }

    @Test
    fun `a link to a folder takes results as the folder does`() {
        val link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("results")))
        Pictures.clear(link)
        Recording(link, size, size).close()
        assertEquals(listOf("link", "results"), entries())
    }
}
