package field.host.box

import field.host.box.BoxClassPath.hex
import java.io.File
import java.net.URLClassLoader
import java.nio.file.Path
import java.security.MessageDigest
import kotlin.script.experimental.api.ResultWithDiagnostics
import kotlin.script.experimental.api.ScriptCompilationConfiguration
import kotlin.script.experimental.api.ScriptDiagnostic
import kotlin.script.experimental.api.compilerOptions
import kotlin.script.experimental.api.defaultImports
import kotlin.script.experimental.api.implicitReceivers
import kotlin.script.experimental.host.toScriptSource
import kotlin.script.experimental.jvm.impl.KJvmCompiledModuleInMemory
import kotlin.script.experimental.jvm.impl.KJvmCompiledScript
import kotlin.script.experimental.jvm.jdkHome
import kotlin.script.experimental.jvm.jvm
import kotlin.script.experimental.jvm.updateClasspath
import kotlin.script.experimental.jvmhost.BasicJvmScriptingHost

/** Turns box code into classes: one Kotlin compiler, started at the first code that neither memory nor disk knows. */
internal class BoxCompiler(
    private val imports: List<String>,
    private val classPath: List<Path>,
    cacheFolder: Path?,
) : AutoCloseable {
    class Failure(val errors: List<BoxError>) : Exception()

    private val cache = cacheFolder?.let { BoxCache(it) }
    private val byBox = HashMap<Box, Pair<String, CompiledBox>>()
    private val host by lazy { BasicJvmScriptingHost() }
    private val salt by lazy {
        listOf("1", KotlinVersion.CURRENT, LANGUAGE, imports, BoxClassPath.fingerprint(classPath)).joinToString("\n")
    }

    /** Sees the host's classes and whatever of the class path this process does not have. */
    private val loader: ClassLoader = run {
        val own = BoxClassPath.ofProcess().toSet()
        val extra = classPath.map { it.toAbsolutePath().normalize() }.filter { it !in own }
        val host = BoxCompiler::class.java.classLoader
        if (extra.isEmpty()) host else URLClassLoader(extra.map { it.toUri().toURL() }.toTypedArray(), host)
    }
    private val inherited = InheritedNames(loader)

    var compilations = 0
        private set
    var cacheHits = 0
        private set

    /** @throws Failure with every error of the code, in the order of its lines */
    fun compile(box: Box, code: String): Pair<CompiledBox, Map<String, Any?>> {
        val names = inherited.of(box, code)
        val text = ListLiterals.rewrite(code) + names.declarations
        val key = key(box, text)
        val known = byBox[box]?.takeIf { it.first == key }?.second
        if (known != null) return known to names.values
        val entry = cache?.load(key)?.also { cacheHits++ } ?: translate(box, code, text).also { cache?.store(key, it) }
        val compiled = CompiledBox(entry.scriptClass, entry.classFiles, loader)
        byBox[box] = key to compiled
        return compiled to names.values
    }

    fun forget(box: Box) {
        byBox.remove(box)
    }

    private fun translate(box: Box, code: String, text: String): BoxCache.Entry {
        compilations++
        val result = host.runInCoroutineContext { host.compiler(text.toScriptSource(fileName(box)), configuration) }
        val script = (result as? ResultWithDiagnostics.Success)?.value as? KJvmCompiledScript
            ?: throw Failure(errors(box, code, result.reports))
        val module = script.getCompiledModule() as KJvmCompiledModuleInMemory
        return BoxCache.Entry(script.scriptClassFQName, module.compilerOutputFiles.filterKeys { it.endsWith(".class") })
    }

    private fun errors(box: Box, code: String, reports: List<ScriptDiagnostic>): List<BoxError> {
        val lines = code.count { it == '\n' } + 1
        return reports.filter { it.severity >= ScriptDiagnostic.Severity.ERROR }
            .map { BoxError(box.name, (it.location?.start?.line ?: 0).coerceAtMost(lines), explained(BoxError.oneLine(it.message))) }
            .distinct().sortedBy { it.line }
            .ifEmpty { listOf(BoxError(box.name, 0, "the compiler gave neither classes nor an error")) }
    }

    private fun explained(message: String) =
        if (UNRESOLVED.matches(message)) "$message (neither imported nor exported by a box above that has run)" else message

    private fun key(box: Box, text: String): String =
        MessageDigest.getInstance("SHA-256").digest("$salt\n${box.name}\n$text".toByteArray()).hex()

    private val configuration by lazy {
        ScriptCompilationConfiguration {
            implicitReceivers(BoxScope::class)
            defaultImports(listOf("field.host.box.*") + imports)
            compilerOptions.append(LANGUAGE)
            jvm {
                updateClasspath(classPath.map(Path::toFile))
                jdkHome(File(System.getProperty("java.home")))
            }
        }
    }

    override fun close() {
        byBox.clear()
        (loader as? URLClassLoader)?.close()
    }

    companion object {
        private val LANGUAGE =
            listOf("-jvm-target", "17", "-language-version", "1.8", "-api-version", "1.8", "-Xsuppress-version-warnings")

        private val UNRESOLVED = Regex("Unresolved reference:? '?\\w+'?\\.?")

        /** The file that stack traces of the box's code name; its class must not hide a class of the host. */
        fun fileName(box: Box) = "bx$" + box.name.replace(Regex("[^A-Za-z0-9 _.-]"), "_") + ".kts"
    }
}
