package field.host.box

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.lang.ref.WeakReference
import java.nio.file.Files
import java.nio.file.Path

class BoxReuseTest {
    @TempDir
    lateinit var folder: Path

    @Test
    fun twoHundredRerunsLeaveNoThreadsHandlesOrAnimations() {
        TestCanvas(cache = folder).use { canvas ->
            val box = canvas.box("scene", "_r = frames { seen += 1; while (!bx.ended) yield(); seen += -1 }")
            fun rerun(times: Int) = repeat(times) {
                canvas.runner.rerun("scene")
                canvas.runner.tick(it.toLong())
            }
            rerun(3)
            val threads = Thread.getAllStackTraces().keys
            val handles = openHandles()
            rerun(200)
            assertEquals(emptySet<Thread>(), Thread.getAllStackTraces().keys - threads)
            assertTrue(openHandles() <= handles + 2, "file handles grew from $handles to ${openHandles()}")
            canvas.runner.end(box)
            assertEquals(203, canvas.seen.count { it == 1 })
            assertEquals(0, canvas.seen.sumOf { it as Int })
            assertEquals(1, canvas.runner.compilations)
        }
    }

    @Test
    fun codeThatWasReplacedIsForgotten() {
        TestCanvas().use { canvas ->
            val box = canvas.box("scene", "")
            val loaders = (0 until 4).map {
                box.code = "class Made\n_r = { $it }\nbx += \"made\" to Made()\nseen.add(java.lang.ref.WeakReference(Made::class.java.classLoader))"
                assertTrue(canvas.runner.run(box).isOk, canvas.log.toString())
                canvas.runner.tick(0)
                canvas.seen.removeAt(0) as WeakReference<*>
            }
            val deadline = System.nanoTime() + 10_000_000_000
            while (loaders.dropLast(1).any { it.get() != null } && System.nanoTime() < deadline) System.gc()
            assertEquals(listOf(false, false, false, true), loaders.map { it.get() != null })
        }
    }

    private fun openHandles(): Long = Files.list(Path.of("/proc/self/fd")).use { it.count() }

    @Test
    fun aCacheThatCannotBeWrittenOnlyCostsTime() {
        val taken = Files.createFile(folder.resolve("taken"))
        TestCanvas(cache = taken).use { canvas ->
            canvas.box("scene", "seen.add(1)")
            assertTrue(canvas.runner.run("scene").isOk, canvas.log.toString())
            assertEquals(1 to 0, canvas.runner.compilations to canvas.runner.cacheHits)
        }
    }

    @Test
    fun aSecondProcessTakesCompiledBoxesFromDisk() {
        fun run(code: String, size: Any): Pair<BoxRunner, List<Any?>> = TestCanvas(cache = folder).use { canvas ->
            canvas.root += "unrelated" to Any()
            canvas.root.put("size", size)
            canvas.box("scene", code)
            assertTrue(canvas.runner.run("scene").isOk, canvas.log.toString())
            canvas.runner.tick(0)
            canvas.runner to canvas.seen.toList()
        }
        val code = "class Thing(val n: Int)\n_r = { seen += Thing(size.hashCode()).n }"
        val (first, one) = run(code, 5)
        assertEquals(listOf<Any?>(5), one)
        assertEquals(1 to 0, first.compilations to first.cacheHits)
        val (second, two) = run(code, 6)
        assertEquals(listOf<Any?>(6), two)
        assertEquals(0 to 1, second.compilations to second.cacheHits)
        val (third, _) = run(code, "text")
        assertEquals(1 to 0, third.compilations to third.cacheHits)
        val (fourth, _) = run("$code\n", 5)
        assertEquals(1 to 0, fourth.compilations to fourth.cacheHits)
        Files.list(folder).use { all -> all.forEach { Files.write(it, Files.readAllBytes(it).copyOf(100)) } }
        val (fifth, five) = run(code, 5)
        assertEquals(listOf<Any?>(5), five)
        assertEquals(1 to 0, fifth.compilations to fifth.cacheHits)
    }
}
