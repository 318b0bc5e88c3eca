package reconstruction.launcher

import picocli.CommandLine
import picocli.CommandLine.Command
import picocli.CommandLine.ITypeConverter
import picocli.CommandLine.Model.CommandSpec
import picocli.CommandLine.Option
import picocli.CommandLine.Parameters
import picocli.CommandLine.Spec
import picocli.CommandLine.TypeConversionException
import reconstruction.ReconstructionException
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionSize
import java.nio.file.Path
import java.util.concurrent.Callable

/** A line that a person can act on; the launcher ends with exit code 1. */
class LaunchException(message: String) : Exception(message)

/** What the command line says. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    versionProvider = Versions::class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    description = [
        "Runs a starting point on a Vulkan device, reconstructs its frames, and compares the last one with a reference.",
        "Pictures and summary.json go to out/STARTING_POINT.",
    ],
    footer = ["", "Exit code: 0 done, 1 it could not run, 2 a wrong option. Frames count from 0."],
)
class Options(private val run: (Options) -> Int) : Callable<Int> {
    @Spec
    private lateinit var spec: CommandSpec

    @Parameters(arity = "0..1", paramLabel = "STARTING_POINT", description = ["Folder of boxes, by the end of its name (default: \${DEFAULT-VALUE})"])
    var startingPoint: String = "reconstruction_plumbing"

    @Option(names = ["--mode"], paramLabel = "MODE", converter = [ModeConverter::class],
        description = ["DLAA, QUALITY, BALANCED, PERFORMANCE, ULTRA_PERFORMANCE, or a ratio in 1..3 (default: \${DEFAULT-VALUE})"])
    var mode: ReconstructionMode = ReconstructionMode.PERFORMANCE

    @Option(names = ["--output"], paramLabel = "WIDTHxHEIGHT", converter = [SizeConverter::class],
        description = ["Output size, each axis 64..8192 (default: \${DEFAULT-VALUE})"])
    var output: ReconstructionSize = ReconstructionSize(640, 360)

    @Option(names = ["--frames"], paramLabel = "N", description = ["Frames to run (default: 48; without end with --watch or --window)"])
    var frames: Int? = null

    @Option(names = ["--bypass-at"], paramLabel = "N[:M]", converter = [FramesConverter::class],
        description = ["Bypass the reconstruction from frame N on, up to but not including M"])
    var bypassAt: FrameRange? = null

    @Option(names = ["--cut-at"], paramLabel = "N", split = ",", description = ["Cut (reset history) at frame N; several with commas"])
    var cutAt: List<Int> = emptyList()

    @Option(names = ["--hold-at"], paramLabel = "N", description = ["Camera and objects stand still from frame N on"])
    var holdAt: Int? = null

    @Option(names = ["--device"], paramLabel = "NAME", description = ["Part of the device's name (default: the best one, a CPU last)"])
    var device: String? = null

    @Option(names = ["--record"], paramLabel = "DIR",
        description = ["Also write the reconstruction's inputs as a frame folder for `reconstruct frames`"])
    var record: Path? = null

    @Option(names = ["--record-references"], description = ["With --record: a reference of every frame, not of the last one only"])
    var recordReferences: Boolean = false

    @Option(names = ["--watch"], description = ["Keep running; saving a file of a box runs the box again; screen.png is kept fresh"])
    var watch: Boolean = false

    @Option(names = ["--window"], description = ["Keep running in a window; key b toggles the bypass, key c cuts"])
    var window: Boolean = false

    @Option(names = ["--out"], paramLabel = "DIR", description = ["Folder of the results (default: out/STARTING_POINT)"])
    var out: Path? = null

    @Option(names = ["--starting-points"], paramLabel = "DIR", description = ["Folder of starting points (default: \${DEFAULT-VALUE})"])
    var startingPoints: Path = Home.startingPoints

    @Option(names = ["--validation"], description = ["Turn the Vulkan validation layer on; a message of it ends the run with 1"])
    var validation: Boolean = false

    /** Runs until the person ends it. */
    val isEndless: Boolean get() = frames == null && (watch || window)

    /** Frames to run; with [isEndless] only a number to show. */
    val frameCount: Int get() = frames ?: DEFAULT_FRAMES

    override fun call(): Int {
        check()
        return run(this)
    }

    private fun check() {
        fun wrong(line: String): Nothing = throw CommandLine.ParameterException(spec.commandLine(), line)
        if (output.width !in 64..8192 || output.height !in 64..8192) wrong("--output: expected 64..8192 on each axis, got $output")
        if (frameCount < 1) wrong("--frames: expected at least 1, got $frameCount")
        val last = if (isEndless) Int.MAX_VALUE else frameCount - 1
        bypassAt?.let { if (it.first > last) wrong("--bypass-at: expected a frame in 0..$last, got ${it.first}") }
        cutAt.firstOrNull { it !in 0..last }?.let { wrong("--cut-at: expected a frame in 0..$last, got $it") }
        holdAt?.let { if (it !in 0..last) wrong("--hold-at: expected a frame in 0..$last, got $it") }
        if (recordReferences && record == null) wrong("--record-references: expected with --record DIR, got it alone")
        if (record != null && isEndless) wrong("--record: expected --frames N beside --watch or --window, got a run without end")
    }

    private companion object {
        const val DEFAULT_FRAMES = 48
    }
}

/** Frames [first] up to but not including [end]. */
data class FrameRange(val first: Int, val end: Int) {
    operator fun contains(frame: Long): Boolean = frame >= first && frame < end
}

/** A parser that says what is wrong with an option in one line. */
fun optionsParser(console: Console, run: (Options) -> Int): CommandLine = CommandLine(Options(run)).apply {
    out = java.io.PrintWriter(console.out, true)
    err = java.io.PrintWriter(console.err, true)
    setParameterExceptionHandler { error, _ ->
        console.warn("run: " + error.message!!.lines().first().trimEnd('.') + "; see ./run --help")
        CommandLine.ExitCode.USAGE
    }
    setExecutionExceptionHandler { error, _, _ ->
        if (error !is LaunchException) throw error
        console.warn(error.message!!)
        CommandLine.ExitCode.SOFTWARE
    }
}

internal class Versions : CommandLine.IVersionProvider {
    override fun getVersion(): Array<String> = arrayOf("reconstruction $OURS")

    companion object {
        /** Of the jar; "unpackaged" when run from class files. */
        val OURS: String = Options::class.java.`package`.implementationVersion ?: "unpackaged"
    }
}

internal class SizeConverter : ITypeConverter<ReconstructionSize> {
    override fun convert(value: String): ReconstructionSize {
        val (width, height) = Regex("(\\d{1,5})x(\\d{1,5})").matchEntire(value)?.destructured
            ?: throw TypeConversionException("expected WIDTHxHEIGHT such as 1920x1080, got '$value'")
        return ReconstructionSize(width.toInt(), height.toInt())
    }
}

internal class ModeConverter : ITypeConverter<ReconstructionMode> {
    override fun convert(value: String): ReconstructionMode = try {
        value.toDoubleOrNull()?.let { ReconstructionMode.scale(it) } ?: ReconstructionMode.named(value.uppercase())
    } catch (error: ReconstructionException) {
        throw TypeConversionException(error.message)
    }
}

internal class FramesConverter : ITypeConverter<FrameRange> {
    override fun convert(value: String): FrameRange {
        val (first, end) = Regex("(\\d{1,9})(?::(\\d{1,9}))?").matchEntire(value)?.destructured
            ?: throw TypeConversionException("expected N or N:M, got '$value'")
        val range = FrameRange(first.toInt(), end.toIntOrNull() ?: Int.MAX_VALUE)
        if (range.end <= range.first) throw TypeConversionException("expected N below M, got '$value'")
        return range
    }
}
