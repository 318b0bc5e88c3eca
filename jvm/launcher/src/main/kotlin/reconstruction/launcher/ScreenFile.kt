package reconstruction.launcher

import field.host.Renderer
import java.nio.file.Path

/** The screen as one PNG that is kept fresh, for watching without a display. */
class ScreenFile(private val renderer: Renderer, folder: Path) {
    private val file = folder.resolve(NAME)
    private var lastTime = Long.MIN_VALUE

    /** Writes the picture, unless it was written less than [INTERVAL] nanoseconds ago; waits for the GPU. */
    fun refresh() {
        val now = System.nanoTime()
        if (lastTime != Long.MIN_VALUE && now - lastTime < INTERVAL) return
        renderer.waitIdle()
        renderer.screen.save(file)
        lastTime = System.nanoTime()
    }

    companion object {
        const val NAME: String = "screen.png"
        private const val INTERVAL = 500_000_000L
    }
}
