package reconstruction.launcher

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionSize

class OptionsTest {
    private fun parse(vararg arguments: String): Options {
        var parsed: Options? = null
        val captured = Captured()
        val code = optionsParser(captured.console) { parsed = it; 0 }.execute(*arguments)
        assertEquals(0, code, captured.errors)
        return parsed!!
    }

    @Test
    fun `without options it is the plumbing at half size, 48 frames`() {
        val options = parse()
        assertEquals("reconstruction_plumbing", options.startingPoint)
        assertEquals(ReconstructionMode.PERFORMANCE, options.mode)
        assertEquals(ReconstructionSize(640, 360), options.output)
        assertEquals(48, options.frameCount)
    }

    @Test
    fun `options are read as the help says`() {
        val options = parse("other", "--mode", "DLAA", "--output", "1920x1080", "--frames", "9", "--bypass-at", "8", "--cut-at", "1,3", "--hold-at", "4")
        assertEquals("other", options.startingPoint)
        assertEquals(ReconstructionMode.DLAA, options.mode)
        assertEquals(ReconstructionSize(1920, 1080), options.output)
        assertEquals(listOf(1, 3), options.cutAt)
        assertEquals(4, options.holdAt)
        assertEquals(listOf(false, true, true), listOf(7L, 8L, 99L).map { it in options.bypassAt!! })
        assertEquals(listOf(true, false), listOf(4L, 5L).map { it in parse("--bypass-at", "4:5").bypassAt!! })
        assertEquals(1.5, parse("--mode", "1.5").mode.ratio)
        assertTrue(parse("--watch").isEndless && !parse("--watch", "--frames", "3").isEndless)
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = [
            "--mode FINEST | 'DLAA, QUALITY, BALANCED, PERFORMANCE, ULTRA_PERFORMANCE'",
            "--mode 3.5 | ratio in 1..3",
            "--output 1920 | such as 1920x1080",
            "--output 32x64 | expected 64..8192 on each axis, got 32x64",
            "--frames 0 | expected at least 1, got 0",
            "--frames many | --frames",
            "--frames 8 --bypass-at 8 | expected a frame in 0..7, got 8",
            "--bypass-at 9:4 | expected N below M",
            "--cut-at 48 | expected a frame in 0..47, got 48",
            "--hold-at 48 | expected a frame in 0..47, got 48",
            "--record-references | expected with --record DIR",
            "--watch --record there | expected --frames N",
            "--colour | --colour",
            "one two | two",
        ],
    )
    fun `a wrong option is one line that names what was expected, and exit code 2`(arguments: String, expected: String) {
        val captured = Captured()
        val code = launch(arguments.split(" ").toTypedArray(), captured.console)
        assertEquals(2, code)
        assertEquals("", captured.results)
        val line = captured.errorLines.single()
        assertTrue(expected in line && line.startsWith("run: ") && line.all { it in ' '..'~' }, line)
    }

    @Test
    fun `help names every option and ends with 0`() {
        val captured = Captured()
        assertEquals(0, launch(arrayOf("--help"), captured.console))
        val running = listOf("--mode", "--output", "--frames", "--bypass-at", "--cut-at", "--hold-at", "--device")
        for (option in running + listOf("--record", "--watch", "--window", "--out")) {
            assertTrue(option in captured.results, option)
        }
    }
}
