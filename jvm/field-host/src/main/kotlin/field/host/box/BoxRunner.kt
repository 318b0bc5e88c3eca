package field.host.box

import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * @param defaultImports what every box imports besides `field.host.box.*`: names, or packages ending in `.*`
 * @param classPath what boxes are compiled against
 * @param cache folder of compiled boxes, made when first needed; null: every process compiles anew
 * @param log gets every line for the artist: errors, and what watch mode did
 */
class BoxRunnerConfig(
    val defaultImports: List<String> = emptyList(),
    val classPath: List<Path> = BoxClassPath.ofProcess(),
    val cache: Path? = null,
    val log: (String) -> Unit = ::println,
)

/**
 * Runs the Kotlin boxes below [root] and drives what they animate. Everything happens on the thread that makes the
 * runner; between two calls of [tick] lies the frame boundary. Running a box again replaces its previous run.
 */
class BoxRunner(val root: Box, private val config: BoxRunnerConfig = BoxRunnerConfig()) : AutoCloseable {
    private val owner = Thread.currentThread()
    private val compiler = BoxCompiler(config.defaultImports, config.classPath, config.cache)
    private val animations = LinkedHashMap<Box, Animation>()
    private val requested = ConcurrentLinkedQueue<String>()
    private var watch: BoxWatch? = null
    private var isClosed = false

    /** The number that the last [tick] was given; -1 before the first. */
    var frame = -1L
        private set

    /** How often the compiler itself ran, and how often a box came from the disk cache instead. */
    val compilations get() = compiler.compilations
    val cacheHits get() = compiler.cacheHits

    /** Boxes with Kotlin code: first those with `auto` by its number, then the others top to bottom, left to right. */
    val boxes: List<Box>
        get() = root.downwards().filter { it.isKotlin && it.code != null }
            .sortedWith(compareBy({ it.auto ?: Double.MAX_VALUE }, { it.frame?.y ?: 0.0 }, { it.frame?.x ?: 0.0 }))

    /** The one box of this name, or of this id. */
    fun find(name: String): Box {
        val all = root.downwards()
        val found = all.filter { it.name == name }.ifEmpty { all.filter { it.id == name } }
        return found.singleOrNull() ?: throw BoxException(
            if (found.isEmpty()) "box '$name': not on the canvas, which has ${all.drop(1).joinToString { "'${it.name}'" }}"
            else "box '$name': ${found.size} boxes have this name, use an id: ${found.joinToString { it.id }}"
        )
    }

    /** Runs the boxes with `auto`, as Field does on load. */
    fun runAuto(): List<BoxOutcome> = boxes.filter { it.auto != null }.map(::run)

    /** Runs every Kotlin box in the order of [boxes]; one that fails does not stop the others. */
    fun runAll(): List<BoxOutcome> = boxes.map(::run)

    fun run(name: String): BoxOutcome = run(find(name))

    /**
     * Runs [box] now. Code that does not compile leaves the previous run as it is; otherwise that run ends first:
     * `bx.ended` is true for the last call of its function or the last steps of its coroutine.
     */
    fun run(box: Box): BoxOutcome {
        checkOwner()
        check(Box.running == null) { "run: called while ${Box.running} runs; use rerun, which waits for the frame boundary" }
        val code = box.code ?: throw BoxException("$box: has no code to run")
        if (!box.isKotlin) {
            throw BoxException("$box: not the child of a box of class ${Box.KOTLIN_CLASS}, so its code is not Kotlin; add that parent")
        }
        val (compiled, inherited) = try {
            compiler.compile(box, code)
        } catch (e: BoxCompiler.Failure) {
            return failed(box, e.errors)
        }
        end(box)
        box.ended = false
        box.lastError = null
        val result = try {
            Box.whileRunning(box) { compiled.run(BoxScope(box, root, inherited)) }
        } catch (e: Throwable) {
            return failed(box, listOf(error(box, e)))
        }
        val animation = result?.let { Animation.of(it) }
        if (animation != null) animations[box] = animation
        if (animation == null && result != null && result != Unit) {
            val what = BoxError.oneLine(result.javaClass.name)
            return failed(box, listOf(BoxError(box.name, 0, "_r: expected a function without arguments or frames { }, got $what")))
        }
        return BoxOutcome(box, emptyList())
    }

    /** Runs the box called [name] at the next frame boundary. From any thread, also from within a box. */
    fun rerun(name: String) {
        requested += name
    }

    /** Ends what [box] animates: `bx.ended` is true, and its coroutine goes on for the last time. */
    fun end(box: Box) {
        checkOwner()
        val animation = animations.remove(box)
        box.ended = true
        if (animation == null) return
        try {
            Box.whileRunning(box) { animation.finish() }
        } catch (e: Throwable) {
            failed(box, listOf(error(box, e)))
        }
    }

    /** Whether [box] has a function or a coroutine that the next [tick] will call. */
    fun isAnimating(box: Box) = box in animations

    /**
     * One frame: first what changed on disk and what [rerun] asked for, then each animation once, in the order in
     * which the boxes ran. An exception ends the animation of its own box only.
     */
    fun tick(frame: Long) {
        checkOwner()
        this.frame = frame
        watch?.poll()?.forEach(::apply)
        generateSequence { requested.poll() }.toSet().forEach { name ->
            try {
                run(name)
            } catch (e: BoxException) {
                config.log(e.message!!)
            }
        }
        for ((box, animation) in animations.toList()) {
            if (animations[box] !== animation) continue
            try {
                if (!Box.whileRunning(box) { animation.step() }) stop(box)
            } catch (e: Throwable) {
                stop(box)
                failed(box, listOf(error(box, e)))
            }
        }
    }

    /**
     * Watch mode: saving one of [files] runs its box again, or changes its shader text, at the next [tick] but one or
     * two. The only thread that may come of it is the one that the JDK's watch service keeps on some systems.
     */
    fun watch(files: Map<Path, TextFile>) {
        checkOwner()
        watch?.close()
        watch = if (files.isEmpty()) null else BoxWatch(files)
    }

    /**
     * For an exception that came out of a box's code outside [tick], as from a target that it registered: logs it at
     * the innermost line of a box that it passed through and keeps it as that box's `lastError`; null when there is none.
     */
    fun report(thrown: Throwable): BoxError? {
        checkOwner()
        val all = boxes.associateBy(BoxCompiler::fileName)
        val file = BoxError.frames(thrown).firstOrNull { it.fileName in all }?.fileName ?: return null
        return failed(all.getValue(file), listOf(error(all.getValue(file), thrown))).errors.single()
    }

    private fun apply(change: BoxWatch.Change) {
        val box = find(change.file.boxId)
        if (box.here(change.file.property) == change.text) return
        box.put(change.file.property, change.text)
        if (change.file.property == "code") rerun(box.id)
        config.log("${box.name}: ${change.file.property} changed")
    }

    private fun stop(box: Box) {
        animations.remove(box)
        box.ended = true
    }

    private fun failed(box: Box, errors: List<BoxError>): BoxOutcome {
        box.lastError = errors.first()
        errors.forEach { config.log(it.toString()) }
        return BoxOutcome(box, errors)
    }

    /** What the artist can do nothing about goes on upwards. */
    private fun error(box: Box, thrown: Throwable): BoxError {
        val cause = generateSequence(thrown) { it.cause }.firstOrNull { it is VirtualMachineError && it !is StackOverflowError }
        if (cause != null) throw cause
        return BoxError.of(box, BoxCompiler.fileName(box), thrown)
    }

    private fun checkOwner() {
        check(!isClosed) { "BoxRunner: closed" }
        check(Thread.currentThread() === owner) {
            "BoxRunner: belongs to thread ${owner.name}, called from ${Thread.currentThread().name}; only rerun may be"
        }
    }

    /** Ends every animation, the newest first, and stops watching. A second time does nothing. */
    override fun close() {
        if (isClosed) return
        animations.keys.reversed().forEach(::end)
        watch?.close()
        compiler.close()
        isClosed = true
    }
}
