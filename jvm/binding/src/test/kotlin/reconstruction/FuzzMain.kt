package reconstruction

import org.lwjgl.vulkan.VK
import reconstruction.internal.Abi
import reconstruction.internal.ContextBlock
import reconstruction.internal.FrameBlock
import reconstruction.internal.HostBlock
import reconstruction.internal.ImageBlock
import reconstruction.internal.InputSlotCode
import reconstruction.internal.NativeLibrary
import reconstruction.internal.Natives
import reconstruction.internal.RecommendBlock
import reconstruction.internal.SupportBlock
import reconstruction.internal.blockBuffer
import reconstruction.vulkan.ScratchCommands
import reconstruction.vulkan.SoftwareDriver
import reconstruction.vulkan.TestScene
import java.nio.ByteBuffer
import java.util.Random
import kotlin.system.exitProcess

/**
 * Calls every native with random numbers, random bytes and handles of its own; Vulkan handles are real or 0. Runs in a
 * process of its own, so that a crash is seen as one.
 */
object FuzzMain {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val fuzz = Fuzz(TestScene(SoftwareDriver.valueOf(arguments[0]), isValidated = false), Random(arguments[2].toLong()))
        fuzz.run(arguments[1].toInt())
        println(fuzz.counts.toSortedMap())
        // The JVM's own end would unload drivers under contexts that are still open.
        System.out.flush()
        exitProcess(0)
    }
}

private class Fuzz(private val scene: TestScene, private val random: Random) {
    private val natives: Natives = NativeLibrary.shared
    private val vulkan = scene.device
    private val hosts = ArrayList<Long>()
    private val contexts = ArrayList<Long>()
    private val closing = ArrayList<Long>()
    private val block = blockBuffer(4096)
    private val views = listOf(scene.inputs.color, scene.inputs.depth, scene.inputs.motion)
    private val commands = ScratchCommands(vulkan)
    private var hostFrame = 1L

    /** How often each outcome was seen: a fuzz that never gets through the wall tests nothing behind it. */
    val counts = HashMap<String, Int>()

    fun run(rounds: Int) {
        hosts += natives.hostCreate(hostBlock { false })
        repeat(rounds) { round ->
            if (round % 50 == 0) commands.begin()
            if (round % 1000 == 0) System.gc()
            for (native in NATIVES) call(native)
        }
        commands.close()
    }

    private fun call(native: String) {
        val outcome = try {
            perform(native)
            "passed"
        } catch (error: ReconstructionException) {
            val line = error.message!!
            check(line.all { it in ' '..'~' }) { "$native: $line" }
            check(error !is InternalFault || "on purpose" in line || "earlier internal fault" in line) { "$native: $line" }
            error.javaClass.simpleName
        }
        counts.merge("$native $outcome", 1, Int::plus)
    }

    private fun perform(native: String) {
        when (native) {
            "fingerprint" -> natives.fingerprint()
            "hostCreate" -> keep(natives.hostCreate(hostBlock()))
            "hostCollect" -> natives.hostCollect(host(), if (chance(2000)) -1L else number(hostFrame - 1, lost = false))
            "hostClose" -> natives.hostClose(if (chance(1000)) host() else shortLived())
            "support" -> natives.support(host(), fill(SupportBlock.SIZE))
            "recommend" -> natives.recommend(host(), fill(RecommendBlock.SIZE).also(::sizes))
            "contextCreate" -> contexts += natives.contextCreate(host(), contextBlock())
            "contextEvaluate" -> natives.contextEvaluate(context(), frameBlock())
            "contextQuery" -> natives.contextQuery(context(), random.nextInt(3), block)
            // Closed ones stay in the list for a while: their handles must stay dead.
            "contextClose" -> natives.contextClose(if (chance(6)) context() else number(0))
            // Panics come rarely: each breaks a context.
            "fault" -> natives.fault(if (chance(20)) random.nextInt() else random.nextInt(7), if (chance(20)) context() else 0)
        }
        if (contexts.size > 24) contexts.removeAt(random.nextInt(contexts.size)).let { runCatching { natives.contextClose(it) } }
    }

    /** Keeps few hosts for long: drivers compile the pipelines of each anew. */
    private fun keep(host: Long) {
        if (hosts.size < 3) hosts += host
        else if (chance(300)) natives.hostClose(hosts.set(random.nextInt(3), host))
        else closing += host
    }

    private fun shortLived() = if (closing.isEmpty()) number(0) else closing.removeAt(closing.size - 1)

    private fun chance(oneIn: Int) = random.nextInt(oneIn) == 0

    private fun host() = handle(hosts, contexts)

    private fun context() = handle(contexts, hosts)

    /** Mostly a handle of the right kind, alive or closed; now and then of the other kind, or any number. */
    private fun handle(right: List<Long>, wrong: List<Long>): Long {
        val own = if (chance(20)) wrong else right
        return if (own.isEmpty() || chance(20)) number(0) else own[random.nextInt(own.size)]
    }

    private fun number(usual: Long, lost: Boolean = true): Long = when (random.nextInt(12)) {
        0 -> random.nextLong() and if (lost) -1L else Long.MAX_VALUE
        1 -> 0
        2 -> if (lost) -1 else 1
        3 -> if (lost) Long.MIN_VALUE else 2
        else -> usual
    }

    private fun fill(size: Int, isOdd: (Int) -> Boolean = ::chance): ByteBuffer {
        if (isOdd(4)) for (i in 0 until size) block.put(i, random.nextInt().toByte())
        else for (i in 0 until size) block.put(i, 0)
        return block
    }

    /** Changes a few words of a block, handles excepted: those are real or 0. */
    private fun mutate(from: Int, until: Int) {
        if (random.nextInt(3) != 0) return
        repeat(1 + random.nextInt(2)) {
            val at = from + 4 * random.nextInt((until - from) / 4)
            block.putInt(at, if (random.nextBoolean()) random.nextInt(16) else random.nextInt())
        }
    }

    private fun real(handle: Long) = if (chance(40)) 0L else handle

    /** The host's block; `isOdd` says, with odds of one in so many, whether a value is any number. */
    private fun hostBlock(isOdd: (Int) -> Boolean = ::chance): ByteBuffer {
        fill(HostBlock.SIZE, isOdd)
        fun real(handle: Long) = if (isOdd(40)) 0L else handle
        HostBlock(block).apply {
            queueFamily = if (isOdd(10)) random.nextInt() else 0
            framesInFlight = if (isOdd(10)) random.nextInt() else 2
            apiVersion = if (isOdd(10)) random.nextInt() else 4198400
            instance = real(vulkan.instance.address())
            physicalDevice = real(vulkan.physicalDevice.address())
            device = real(vulkan.device.address())
            getInstanceProcAddr = real(VK.getFunctionProvider().getFunctionAddress("vkGetInstanceProcAddr"))
        }
        return block
    }

    private fun sizes(block: ByteBuffer) {
        RecommendBlock(block).outputSize(0, SIZES[random.nextInt(SIZES.size)])
        RecommendBlock(block).outputSize(1, SIZES[random.nextInt(SIZES.size)])
    }

    private fun contextBlock(): ByteBuffer {
        fill(ContextBlock.SIZE)
        ContextBlock(block).apply {
            val usual = !chance(4)
            renderSize(0, if (usual) 64 else SIZES[random.nextInt(SIZES.size)])
            renderSize(1, if (usual) 36 else SIZES[random.nextInt(SIZES.size)])
            outputSize(0, if (usual) 128 else SIZES[random.nextInt(SIZES.size)])
            outputSize(1, if (usual) 72 else SIZES[random.nextInt(SIZES.size)])
            mode = if (chance(10)) random.nextInt() else random.nextInt(7)
            if (usual) {
                feature = 0
                model = 0
            }
        }
        return block
    }

    private fun frameBlock(): ByteBuffer {
        fill(Abi.EVALUATE_BYTES)
        FrameBlock(block).apply {
            hostFrame = ++this@Fuzz.hostFrame
            lastFinished = if (chance(4000)) number(0) else this@Fuzz.hostFrame - 1
            frameIndex = number(this@Fuzz.hostFrame)
            if (!chance(8)) {
                jitterPx(0, random.nextFloat() - 0.5f)
                jitterPx(1, random.nextFloat() - 0.5f)
            }
            imageMask = if (chance(10)) random.nextInt() else 7
            exposureKind = random.nextInt(4)
            exposureScale = random.nextFloat()
            isReset = 0
        }
        mutate(24, FrameBlock.SIZE)
        FrameBlock(block).commandBuffer = real(commands.command.address())
        for (slot in InputSlotCode.COLOR..InputSlotCode.EXPOSURE) image(slot)
        return block
    }

    private fun image(slot: Int) {
        val base = FrameBlock.SIZE + slot * ImageBlock.SIZE
        // Mostly the right image; an exposure texture may be any of them.
        val from = views[if (slot < 3 && !chance(20)) slot else random.nextInt(3)]
        ImageBlock(block, base).apply {
            format = from.format
            width = from.extent.width
            height = from.extent.height
            usage = from.usage
            samples = from.samples
            mips = from.mips
            layers = from.layers
            layout = from.layout
            if (chance(3)) mutate(base + 24, base + ImageBlock.SIZE)
            view = real(from.view)
            image = real(from.image)
            device = if (chance(40)) number(0) else vulkan.device.address()
        }
    }

    private companion object {
        val NATIVES = listOf(
            "fingerprint", "hostCreate", "hostCollect", "hostClose", "support", "recommend", "contextCreate",
            "contextEvaluate", "contextQuery", "contextClose", "fault",
        )
        val SIZES = intArrayOf(0, 1, 20, 21, 36, 63, 64, 65, 72, 128, 129, 300, 100_000, -1, Int.MAX_VALUE)
    }
}
