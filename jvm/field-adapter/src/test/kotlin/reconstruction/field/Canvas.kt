package reconstruction.field

import field.host.Renderer
import field.host.box.Box
import field.host.box.BoxRunner
import field.host.box.BoxRunnerConfig
import field.host.box.FieldPaths
import field.host.box.StartingPoint
import field.host.box.plusAssign
import org.junit.jupiter.api.Assertions.assertEquals
import java.nio.file.Path

/** A document of Field on a renderer of the test's: its boxes, their runner, and every line it said. */
internal class Canvas(val renderer: Renderer, folder: Path, exports: Map<String, Any> = emptyMap()) : AutoCloseable {
    val log = ArrayList<String>()
    private val paths = FieldPaths(folder.parent)
    val document: StartingPoint = StartingPoint.read(folder, paths)
    val root: Box = document.toBoxes()
    val runner: BoxRunner
    private var frame = 0L

    init {
        root += "renderer" to renderer
        exports.forEach { (name, value) -> root.put(name, value) }
        runner = BoxRunner(root, BoxRunnerConfig(BoxImports.ALL, cache = CACHE, log = log::add))
    }

    fun runAll() = runner.runAll().forEach { assertEquals(emptyList<Any>(), it.errors) }

    /** Ticks the boxes, then draws, as a launcher does. */
    fun frames(count: Int) = repeat(count) {
        runner.tick(frame++)
        renderer.frame()
        assertEquals(null, renderer.lastError)
    }

    override fun close() = runner.close()

    companion object {
        val CACHE: Path = Path.of("target", "box-cache")
        val STARTING_POINTS: Path = Path.of(System.getProperty("starting.points"))
        val EXAMPLES: Path = Path.of(System.getProperty("field.examples"))
    }
}
