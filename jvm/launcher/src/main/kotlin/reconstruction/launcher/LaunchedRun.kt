package reconstruction.launcher

import field.host.HostException
import field.host.Pixels
import field.host.ToneMap
import reconstruction.LastReset
import reconstruction.ReconstructionException
import reconstruction.ReconstructionSize
import java.io.IOException
import java.nio.file.Path

/** One run of a starting point as the options say, from its boxes to the pictures. */
class LaunchedRun(private val options: Options, private val console: Console) {
    private val times = PassTimes()
    private val resets = ArrayList<ResetEvent>()
    private var lastReset: LastReset? = null
    private var lastMessage: String? = null

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
        console.warn("device ${canvas.renderer.deviceInfo}")
        canvas.start()
        options.record?.let { Recording(it, sizeOf(canvas), options.output) }.use { runFrames(canvas, stop, folder, it) }
    }

    private fun runFrames(canvas: Canvas, stop: StopRequest, folder: Path, recording: Recording?) {
        val lastReference = lastReference(canvas, stop, recording, ScreenFile(canvas.renderer, folder))
        canvas.renderer.waitIdle()
        observe(canvas)
        if (stop.isRequested || canvas.frame == 0L) return
        val result = Pictures.of(canvas, lastReference ?: sampled(canvas))
        result.save(folder)
        val summary = summarize(canvas, result, recording?.finish(Home.program))
        summary.write(folder.resolve(Summary.NAME))
        summary.lines(folder).forEach(console::line)
    }

    /** Runs the frames; gives the reference of the last one, where a recording needed it. */
    private fun lastReference(canvas: Canvas, stop: StopRequest, recording: Recording?, screenFile: ScreenFile): Pixels? {
        var reference: Pixels? = null
        while (!stop.isRequested && canvas.renderer.isOpen && (options.isEndless || canvas.frame < options.frameCount)) {
            val start = System.nanoTime()
            if (canvas.step()) {
                observe(canvas)
                if (recording != null) {
                    val isReferred = options.recordReferences || canvas.frame == options.frameCount.toLong()
                    reference = if (isReferred) sampled(canvas) else null
                    recording.add(canvas, reference)
                }
                if (options.watch && !options.window) screenFile.refresh()
                console.progress("frame", canvas.frame, if (options.isEndless) 0 else options.frameCount.toLong())
            }
            if (options.isEndless) pause(FRAME_NANOSECONDS - (System.nanoTime() - start))
        }
        return reference
    }

    private fun sampled(canvas: Canvas) =
        reference(canvas) { console.progress("reference sample", it.toLong(), REFERENCE_SAMPLES.toLong()) }

    private fun pause(nanoseconds: Long) {
        if (nanoseconds > 0) Thread.sleep(nanoseconds / 1_000_000)
    }

    /** Takes note of what the last frame says about itself. */
    private fun observe(canvas: Canvas) {
        val message = canvas.renderer.screen.message
        if (message != null && message != lastMessage) console.warn(message)
        lastMessage = message
        val neural = canvas.exports.neural ?: return
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
            gpuMs = times.reconstructed.medians,
            gpuMsTotal = times.reconstructed.medianTotal,
            measuredFrames = times.reconstructed.frames,
            bypassedGpuMs = times.bypassed.medians,
            bypassedGpuMsTotal = times.bypassed.medianTotal,
            measuredBypassedFrames = times.bypassed.frames,
            hostGpuMs = renderer.timings,
            pictures = result.files,
            recording = recorded,
            versions = mapOf("reconstruction" to Versions.OURS, "java" to System.getProperty("java.version")),
            toneMapping = ToneMap.NAME,
        )
    }

    private companion object {
        /** Least duration of a frame that a person watches. */
        const val FRAME_NANOSECONDS = 1_000_000_000L / 60
    }
}
