package reconstruction.launcher

import field.host.HostException
import field.host.ToneMap
import reconstruction.LastReset
import reconstruction.ReconstructionException
import reconstruction.ReconstructionSize
import java.io.IOException

/** One run of a starting point as the options say, from its boxes to the pictures. */
class LaunchedRun(private val options: Options, private val console: Console) {
    private val times = PassTimes()
    private val resets = ArrayList<ResetEvent>()
    private var lastReset: LastReset? = null

    /** Gives the exit code. */
    fun run(): Int = try {
        StopRequest().use { stop -> Canvas(options, console).use { runBoxes(it, stop) } }
        0
    } catch (failed: Canvas.Failed) {
        1
    } catch (error: HostException) {
        throw LaunchException(error.message!!)
    } catch (error: ReconstructionException) {
        throw LaunchException(error.message!!)
    } catch (error: IOException) {
        throw LaunchException("a file could not be written: $error")
    }

    private fun runBoxes(canvas: Canvas, stop: StopRequest) {
        val folder = options.out ?: Home.results.resolve(canvas.name)
        Pictures.clear(folder)
        val renderer = canvas.renderer
        console.warn("device ${renderer.deviceInfo}")
        canvas.start()
        val recording = options.record?.let { Recording(it, sizeOf(canvas), options.output) }
        val screenFile = ScreenFile(renderer, folder)
        while (!stop.isRequested && renderer.isOpen && (options.isEndless || canvas.frame < options.frameCount)) {
            if (!canvas.step()) {
                Thread.sleep(IDLE_MILLISECONDS)
                continue
            }
            observe(canvas)
            recording?.add(canvas, if (options.recordReferences) reference(canvas) else null)
            if (options.watch && !options.window) screenFile.refresh()
            console.progress("frame", canvas.frame, if (options.isEndless) 0 else options.frameCount.toLong())
        }
        renderer.waitIdle()
        if (stop.isRequested || canvas.frame == 0L) return
        val result = Pictures.of(canvas, console)
        observe(canvas)
        result.save(folder)
        if (canvas.exports.neural == null) screenFile.save()
        val recorded = recording?.finish(Home.program)
        val summary = summarize(canvas, result, recorded)
        summary.write(folder.resolve(Summary.NAME))
        summary.lines(folder).forEach(console::line)
    }

    /** Takes note of what the last frame says about itself. */
    private fun observe(canvas: Canvas) {
        val exports = canvas.exports
        val neural = exports.neural ?: return
        times.add(neural.timings())
        val reset = neural.lastReset
        if (reset != null && reset != lastReset) resets += ResetEvent(reset.frame, reset.cause.name, reset.reason)
        lastReset = reset
    }

    private fun sizeOf(canvas: Canvas) = canvas.exports.source.let { ReconstructionSize(it.width, it.height) }

    private fun summarize(canvas: Canvas, result: Pictures, recorded: String?): Summary {
        val neural = canvas.exports.neural
        val renderer = canvas.renderer
        return Summary(
            startingPoint = canvas.name,
            device = mapOf(
                "name" to renderer.deviceInfo.name, "type" to renderer.deviceInfo.type,
                "vulkan" to vulkanVersionOf(renderer), "driver" to driverOf(renderer),
            ),
            status = neural?.toString(),
            unsupported = if (neural == null) renderer.screen.message ?: "the starting point gives no reason" else null,
            mode = options.mode.toString(),
            renderSize = sizeOf(canvas),
            outputSize = options.output,
            frames = canvas.frame,
            bypassedFrames = canvas.bypassedFrames,
            resets = resets,
            psnrDb = result.psnrDb,
            gpuMs = times.medians(),
            measuredFrames = times.frames,
            hostGpuMs = renderer.timings,
            pictures = result.files,
            recording = recorded,
            versions = mapOf("reconstruction" to Versions.OURS, "java" to System.getProperty("java.version")),
            toneMapping = ToneMap.NAME,
        )
    }

    private companion object {
        const val IDLE_MILLISECONDS = 16L
    }
}
