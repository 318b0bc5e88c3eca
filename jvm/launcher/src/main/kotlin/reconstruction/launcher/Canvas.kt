package reconstruction.launcher

import field.host.Renderer
import field.host.box.Box
import field.host.box.BoxException
import field.host.box.BoxRunner
import field.host.box.BoxRunnerConfig
import field.host.box.FieldPaths
import field.host.box.StartingPoint
import field.host.box.plusAssign
import reconstruction.field.BoxImports
import java.nio.file.Path

/** A starting point on a renderer, and the loop that drives both, on one thread. */
class Canvas(private val options: Options, private val console: Console) : AutoCloseable {
    private val root: Box
    private val runner: BoxRunner

    val renderer: Renderer

    /** Full name of the starting point. */
    val name: String
    val exports: Exports

    /** Frames recorded so far; the number of the next one. */
    var frame: Long = 0
        private set

    /** How many of them were bypassed. */
    var bypassedFrames: Long = 0
        private set

    /** Whether the last frame was bypassed. */
    val isBypassed: Boolean get() = root.bypass

    // Set by the keys of the window, taken over at the next frame boundary.
    private var isBypassToggled = false
    private var isCutPressed = false

    init {
        val paths = FieldPaths(options.startingPoints, Path.of("."))
        val startingPoint = try {
            StartingPoint.read(paths.find(options.startingPoint), paths)
        } catch (error: BoxException) {
            throw LaunchException(error.message!!)
        }
        name = startingPoint.name
        root = startingPoint.toBoxes()
        exports = Exports(root, name)
        renderer = Renderer(options.device, options.validation, options.window, options.output.width, options.output.height)
        renderer.log = console::warn
        renderer.onKey = { key ->
            if (key == 'b') isBypassToggled = !isBypassToggled
            if (key == 'c') isCutPressed = true
        }
        root += "renderer" to renderer
        root += "mode" to options.mode
        root += "outputSize" to options.output
        options.holdAt?.let { root += "holdAt" to it }
        root.bypass = false
        root.cut = false
        runner = BoxRunner(root, BoxRunnerConfig(BoxImports.ALL, cache = Home.boxCache, log = console::warn))
        if (options.watch) runner.watch(startingPoint.textFiles(paths))
    }

    /** Runs every box once. A box that fails ends a run that has an end: the runner has said why. */
    fun start() {
        val boxes = runner.boxes
        boxes.forEachIndexed { at, box ->
            console.progress("box", at + 1L, boxes.size.toLong())
            if (!runner.run(box).isOk && !options.isEndless) throw Failed()
        }
    }

    /** One frame; false when the window is minimised or closed and nothing was recorded. */
    fun step(): Boolean {
        root.bypass = (options.bypassAt?.contains(frame) ?: false) != isBypassToggled
        root.cut = isCutPressed || frame in options.cutAt.map { it.toLong() }
        runner.tick(frame)
        if (!renderer.frame()) return false
        frame++
        if (root.bypass) bypassedFrames++
        isCutPressed = false
        root.cut = false
        val hasFailed = renderer.lastError != null || exports.neural?.lastError != null || runner.boxes.any { it.lastError != null }
        if (hasFailed && !options.isEndless) throw Failed()
        return true
    }

    /** Ends the boxes, then frees the device. The validation layer may have the last word. */
    override fun close() {
        runner.close()
        renderer.close()
        val messages = renderer.validationMessages
        if (messages.isNotEmpty()) {
            throw LaunchException("validation: ${messages.size} messages, the first: ${messages[0].lines().first()}")
        }
    }

    /** Something went wrong that has been said already. */
    class Failed : Exception()
}
