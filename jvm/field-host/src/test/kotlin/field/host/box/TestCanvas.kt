package field.host.box

import java.nio.file.Path

/** A canvas for tests: a root, the box that makes its children Kotlin, and a runner whose lines are kept. */
internal class TestCanvas(cache: Path? = null, imports: List<String> = emptyList()) : AutoCloseable {
    val root = Box.root()
    val kotlin = Box("r_kotlin", boxClass = Box.KOTLIN_CLASS).also(root::connect)
    val log = ArrayList<String>()
    val seen = ArrayList<Any?>()
    val runner = BoxRunner(root, BoxRunnerConfig(defaultImports = imports, cache = cache, log = log::add))

    init {
        root += "seen" to seen
    }

    /** A Kotlin box with [code], below [parent]. */
    fun box(name: String, code: String, parent: Box = root): Box = Box(name).also {
        it.code = code
        kotlin.connect(it)
        if (parent !== root) parent.connect(it)
    }

    override fun close() = runner.close()
}
