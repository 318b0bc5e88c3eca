package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import reconstruction.RecordingNatives.Companion.context
import reconstruction.RecordingNatives.Companion.host
import reconstruction.RecordingNatives.Companion.image
import reconstruction.internal.NativeLibrary
import reconstruction.internal.Natives
import java.nio.file.Files
import java.nio.file.Path

/** The lines of the binding in docs/errors.md are those that it says. `RECONSTRUCTION_BLESS=1` writes them anew. */
class ErrorsPageTest {
    private val page = Path.of("..", "..", "docs", "errors.md")
    private val begin = "<!-- lines of the binding: begin -->\n"
    private val end = "<!-- lines of the binding: end -->"

    private fun line(block: () -> Unit) = assertThrows(ReconstructionException::class.java) { block() }.message!!

    private fun section(title: String, vararg faults: () -> Unit) =
        "\n### $title\n\n```text\n" + faults.joinToString("\n") { line(it) } + "\n```\n"

    @Test
    fun `the page of errors shows the lines of the binding`() {
        val text = Files.readString(page)
        val said = invalidInputs() + invalidStates() + libraries() + "\n"
        val (before, after) = text.substringBefore(begin) to text.substringAfter(end)
        if (System.getenv("RECONSTRUCTION_BLESS") == "1") Files.writeString(page, before + begin + said + end + after)
        assertEquals(before + begin + said + end + after, Files.readString(page))
    }

    private fun invalidInputs(): String {
        val neural = context(host(RecordingNatives()))
        val frame = ReconstructionFrame(1, ReconstructionJitter.ZERO)
        val good = ReconstructionInputs(image(), image(), image())
        return section(
            "InvalidInput: what only the JVM sees",
            { neural.evaluate(1L, ReconstructionInputs(image(), image(1, { false }), image()), frame, null, 2, 1) },
            { neural.evaluate(1L, ReconstructionInputs(image(), image(), image(2, device = 9)), frame, null, 2, 1) },
            { neural.evaluate(1L, good, frame, null, 0, 0) },
            { neural.evaluate(1L, good, frame, null, 2, -2) },
            { neural.evaluate(1L, good, frame, null, 2, 2) },
            { ReconstructionFrame(1.5, ReconstructionJitter.ZERO) },
            { ReconstructionFrame(1, ReconstructionJitter.ZERO, Double.NaN) },
            { ReconstructionSize(10.5, 10) },
            { ReconstructionMode.scale(3.5) },
            { ReconstructionMode.named("FAST") },
            { ReconstructionJitter.halton(0, ReconstructionSize(0, 5), ReconstructionSize(64, 64)) },
        )
    }

    private fun invalidStates(): String {
        val host = host(RecordingNatives())
        val closed = context(host).also { it.close() }
        val replaced = context(host, "left eye")
        context(host, "left eye")
        val plain = DlssReconstruction(
            host, ReconstructionSize(64, 36), ReconstructionSize(128, 72), ReconstructionMode.PERFORMANCE, debug = false,
        )
        val guides = RayReconstructionGuides(image(), image(), image(), FloatArray(16), FloatArray(16))
        val inputs = ReconstructionInputs(image(), image(), image())
        val ended = host(RecordingNatives())
        val orphan = context(ended)
        ended.close()
        return section(
            "InvalidState: contexts and hosts",
            { closed.output },
            { replaced.output },
            { orphan.output },
            { ended.collect(1) },
            { plain.debugOutput },
            { plain.evaluate(1L, inputs, ReconstructionFrame(1, ReconstructionJitter.ZERO), guides, 2, 1) },
        )
    }

    private fun libraries(): String {
        val otherBuild = object : Natives by RecordingNatives() {
            override fun fingerprint() = 0x5678L
        }
        val index = { path: String -> if (path == "natives/index.txt") "linux-x64\nmacos-arm64\n".byteInputStream() else null }
        return section(
            "UnsupportedDevice: native library and model",
            {
                DlssReconstruction(
                    host(RecordingNatives()), ReconstructionSize(64, 36), ReconstructionSize(128, 72),
                    ReconstructionMode.PERFORMANCE, model = ReconstructionModel.FINE,
                )
            },
            { NativeLibrary("FreeBSD", "riscv64", null, index).load() },
            { NativeLibrary("Linux", "amd64", "/nowhere/lib.so", index).load() },
            { NativeLibrary("Linux", "amd64", null, index, expected = 0x1234).check(otherBuild) },
        )
    }
}
