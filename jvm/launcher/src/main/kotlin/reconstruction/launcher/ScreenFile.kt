package reconstruction.launcher

import field.host.Renderer
import java.nio.file.Path

/** The screen as one PNG that is kept fresh, for watching without a display. */
class ScreenFile(private val renderer: Renderer, folder: Path) {
    private val file = folder.resolve(NAME)
    private var lastTime = Long.MIN_VALUE

    /** Writes the picture, unless it was written less than [INTERVAL] nanoseconds ago. */
    fun refresh() {
        val now = System.nanoTime()
        if (lastTime != Long.MIN_VALUE && now - lastTime < INTERVAL) return
        save()
        lastTime = System.nanoTime()
    }

    /** Writes the picture of the last frame; waits for the GPU. */
    fun save() {
        renderer.waitIdle()
        renderer.screen.save(file)
    }

    companion object {
        const val NAME: String = "screen.png"
        private const val INTERVAL = 500_000_000L
    }
}
