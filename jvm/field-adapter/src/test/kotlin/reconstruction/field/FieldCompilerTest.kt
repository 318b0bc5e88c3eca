package reconstruction.field

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.net.URLClassLoader
import java.nio.file.Files
import java.nio.file.Path

/**
 * Compiles what artists meet with the compiler that Field embeds, 1.8.0, against the standard library of that version:
 * a box becomes a function on its scope, its inherited names are declared with the types that the boxes above export.
 */
class FieldCompilerTest {
    @TempDir
    lateinit var folder: Path

    private val jars = Files.list(Path.of(System.getProperty("field.compiler"))).use { all -> all.sorted().toList() }

    /** Types of the names that boxes inherit, by the box that exports them. */
    private val inherited = mapOf(
        "renderer" to "field.host.Renderer",
        "times" to "(FloatArray, FloatArray) -> FloatArray",
        "move" to "(Double, Double, Double) -> FloatArray",
        "turn" to "(Int, Double) -> FloatArray",
        "lookAt" to "(DoubleArray, DoubleArray) -> FloatArray",
        "perspective" to "(Double, Double, Double, Double) -> FloatArray",
        "grid" to "(field.host.Mesh, Int, Int, (Double, Double) -> DoubleArray) -> Unit",
        "sphere" to "(field.host.Mesh, Double) -> Unit",
        "ring" to "(field.host.Mesh, Double, Double, Double) -> Unit",
        "wires" to "(field.host.Mesh, List<DoubleArray>, Double) -> Unit",
        "strings" to "List<DoubleArray>",
        "cable" to "(Double, Double, Double, Double, Double, Double, Double) -> DoubleArray",
        "at" to "(Double, Int) -> Map<String, FloatArray>",
        "now" to "HashMap<String, FloatArray>",
        "old" to "HashMap<String, FloatArray>",
        "raster" to "FloatArray",
        "aim" to "(ReconstructionJitter, ReconstructionSize, ReconstructionSize) -> Unit",
        "moveTo" to "(Double, Boolean) -> Unit",
        "addUniforms" to "(field.host.Module) -> Unit",
        "addObjects" to "(field.host.Module) -> Unit",
        "outputSize" to "ReconstructionSize",
        "inputSize" to "ReconstructionSize",
        "neural" to "DlssReconstruction",
        "source" to "RenderToTexture",
        "sceneModule" to "field.host.Module",
        "guides" to "RenderToTexture",
        "scene" to "SceneOfPage",
    )

    /** Imports of a box move to the top of its file; its lines keep their order. */
    private fun asFunction(name: String, code: String): String {
        val (imports, lines) = code.lines().partition { it.startsWith("import ") }
        val body = lines.joinToString("\n").replace(Regex("""= \[([^\]]*)\]"""), "= listOf($1)")
        val declared = Regex("""^(?:val|var|fun) (\w+)""", RegexOption.MULTILINE).findAll(body).map { it.groupValues[1] }.toSet()
        val given = inherited.filterKeys { it !in declared && Regex("""(?<![\w."])$it\b""").containsMatchIn(body) }
        val standing = (BoxImports.ALL + "field.host.box.*" + "reconstruction.field.SceneOfPage").map { "import $it" }
        return (listOf("package boxes.$name") + standing + imports + "").joinToString("\n") +
            "fun BoxScope.box(${given.map { (given, type) -> "$given: $type" }.joinToString()}) {\n$body\n}\n"
    }

    private fun compile(): Pair<String, String> {
        val classPath = System.getProperty("java.class.path").split(java.io.File.pathSeparator)
            .filter { "/org/jetbrains/" !in it } + jars.filter { "stdlib" in it.toString() }.map { it.toString() }
        val said = ByteArrayOutputStream()
        URLClassLoader(jars.map { it.toUri().toURL() }.toTypedArray(), ClassLoader.getPlatformClassLoader()).use { loader ->
            val compiler = loader.loadClass("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler")
            val arguments = arrayOf(
                "-no-stdlib", "-no-reflect", "-jvm-target", "17", "-cp", classPath.joinToString(java.io.File.pathSeparator),
                "-d", folder.resolve("classes").toString(), folder.resolve("src").toString(),
            )
            val exit = compiler.getMethod("exec", PrintStream::class.java, Array<String>::class.java)
                .invoke(compiler.getDeclaredConstructor().newInstance(), PrintStream(said, true), arguments)
            return exit.toString() to said.toString()
        }
    }

    @Test
    fun `the compiler of Field reads the library, compiles every box and every snippet`() {
        val sources = Files.createDirectories(folder.resolve("src"))
        val boxes = listOf(Canvas.STARTING_POINTS, Canvas.EXAMPLES).flatMap { all ->
            Files.walk(all).use { files -> files.filter { it.toString().endsWith(".box.kt") }.toList() }
        }
        boxes.forEach { box ->
            val name = box.parent.fileName.toString() + "_" + box.fileName.toString().removeSuffix(".box.kt")
            Files.writeString(sources.resolve("$name.kt"), asFunction(name, Files.readString(box)))
        }
        val rays = javaClass.getResource("/page/ray_reconstruction.kt.txt")!!.readText()
        Files.writeString(sources.resolve("rays.kt"), asFunction("rays", PageSnippetsTest.raysBox(rays)))
        Files.list(Canvas.EXAMPLES.resolve("plain_lwjgl")).use { all ->
            all.forEach { Files.copy(it, sources.resolve(it.fileName)) }
        }
        val (exit, said) = compile()
        assertEquals("OK", exit, said.lines().filter { "error:" in it || "exception:" in it }.joinToString("\n"))
        val compiled = Files.walk(folder.resolve("classes")).use { all -> all.filter { it.fileName.toString().endsWith("Kt.class") }.count() }
        assertTrue(compiled >= boxes.size + 2, "$compiled of ${boxes.size} boxes compiled")
    }

    @Test
    fun `it refuses what it cannot read, so the test above can fail`() {
        val sources = Files.createDirectories(folder.resolve("src"))
        Files.writeString(sources.resolve("wrong.kt"), asFunction("wrong", "// wrong\nval a: ReconstructionSize = DlssReconstruction.support(renderer)"))
        val (exit, said) = compile()
        assertEquals("COMPILATION_ERROR", exit, said)
        assertTrue(Regex("wrong.kt:[0-9]+:[0-9]+: error: type mismatch").containsMatchIn(said), said)
    }
}
