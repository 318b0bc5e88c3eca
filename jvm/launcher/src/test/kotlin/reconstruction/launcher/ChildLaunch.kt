package reconstruction.launcher

import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit

/** The launcher in a process of its own, for what a process can be only once: its environment, its libraries, its end. */
internal class ChildLaunch(
    folder: Path,
    arguments: List<String>,
    properties: Map<String, String> = emptyMap(),
    environment: Map<String, String> = emptyMap(),
    program: String = "reconstruction.launcher.MainKt",
) : AutoCloseable {
    private val out = folder.resolve("out.txt")
    private val err = folder.resolve("err.txt")
    private val process: Process

    val results: String get() = Files.readString(out)
    val errorLines: List<String> get() = Files.readAllLines(err).filter { it.isNotEmpty() }

    init {
        val java = Path.of(System.getProperty("java.home"), "bin", "java").toString()
        val command = listOf(java, "-Xmx1g", "-XX:TieredStopAtLevel=1") + properties.map { (name, value) -> "-D$name=$value" } +
            listOf("-cp", System.getProperty("java.class.path"), program) + arguments
        val builder = ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile())
        builder.environment() += environment
        process = builder.start()
    }

    /** The exit code. */
    fun await(): Int {
        check(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) { "launcher still runs: $errorLines" }
        return process.exitValue()
    }

    /** Waits until [condition] holds while the process runs. */
    fun until(what: String, condition: () -> Boolean) {
        val end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)
        while (!condition()) {
            check(process.isAlive) { "launcher ended before $what: $errorLines" }
            check(System.nanoTime() < end) { "no $what: $errorLines" }
            Thread.sleep(20)
        }
    }

    /** What Ctrl-C and `kill` do. */
    fun terminate() = process.destroy()

    override fun close() {
        process.destroyForcibly()
        process.waitFor()
    }

    private companion object {
        const val PATIENCE_SECONDS = 240L
    }
}
