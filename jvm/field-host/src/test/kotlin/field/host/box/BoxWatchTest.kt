package field.host.box

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.REPLACE_EXISTING

class BoxWatchTest {
    @TempDir
    lateinit var folder: Path

    /** Time as the watch sees it: far enough apart for a file to settle. */
    private var now = 0L

    private fun BoxWatch.pollUntilChange(): List<BoxWatch.Change> = generateSequence {
        Thread.sleep(5)
        now += 1000
        poll(now)
    }.take(2000).firstOrNull { it.isNotEmpty() } ?: emptyList()

    @Test
    fun halfWrittenFilesWaitUntilTwoReadsAgree() {
        val file = folder.resolve("a.box.kt")
        Files.writeString(file, "old")
        BoxWatch(mapOf(file to TextFile("_a", "code")), settle = 1000).use { watch ->
            assertTrue(watch.poll(0).isEmpty())
            Files.writeString(file, "")
            generateSequence { Thread.sleep(5); watch.poll(1) }.take(20).forEach { assertTrue(it.isEmpty()) }
            Files.writeString(file, "ne")
            assertTrue(watch.poll(10_000).isEmpty())
            Files.writeString(file, "new")
            now = 20_000
            val change = watch.pollUntilChange().single()
            assertEquals("new", change.text)
            assertEquals(TextFile("_a", "code"), change.file)
            assertTrue(watch.poll(now + 100_000).isEmpty())
        }
    }

    @Test
    fun aFileThatAnEditorReplacesCounts() {
        val file = folder.resolve("a.box.glslf")
        Files.writeString(file, "old")
        BoxWatch(mapOf(file to TextFile("_a", "fragment")), settle = 1000).use { watch ->
            val part = Files.writeString(folder.resolve("part~"), "new")
            Files.delete(file)
            Files.move(part, file, REPLACE_EXISTING)
            assertEquals("new", watch.pollUntilChange().single().text)
        }
    }

    @Test
    fun savingCodeRunsItsBoxAndSavingAShaderChangesItsProperty() {
        TestCanvas().use { canvas ->
            val scene = canvas.box("scene", "seen += 1")
            scene.vertex = "old"
            val code = Files.writeString(folder.resolve("scene.box.kt"), "seen += 1")
            val vertex = Files.writeString(folder.resolve("scene.box.glslv"), "old")
            canvas.runner.run("scene")
            canvas.runner.watch(mapOf(code to TextFile(scene.id, "code"), vertex to TextFile(scene.id, "vertex")))
            fun tickUntil(done: () -> Boolean) {
                val deadline = System.nanoTime() + 20_000_000_000
                while (!done()) {
                    assertTrue(System.nanoTime() < deadline, canvas.log.toString())
                    canvas.runner.tick(0)
                    Thread.sleep(5)
                }
            }
            Files.writeString(vertex, "new")
            tickUntil { scene.vertex == "new" }
            assertEquals(1, scene.revision("vertex"))
            assertEquals(listOf<Any?>(1), canvas.seen)
            Files.writeString(code, "seen += 2")
            tickUntil { canvas.seen.size == 2 }
            assertEquals(listOf<Any?>(1, 2), canvas.seen)
            assertEquals(listOf("scene: vertex changed", "scene: code changed"), canvas.log)
        }
    }
}
