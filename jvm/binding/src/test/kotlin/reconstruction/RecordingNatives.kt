package reconstruction

import reconstruction.internal.Abi
import reconstruction.internal.ContextBlock
import reconstruction.internal.CreatedBlock
import reconstruction.internal.FrameBlock
import reconstruction.internal.HostHandles
import reconstruction.internal.ImageBlock
import reconstruction.internal.InputSlotCode
import reconstruction.internal.Natives
import reconstruction.internal.OutcomeCode
import reconstruction.internal.QueryCode
import reconstruction.internal.RecommendBlock
import reconstruction.internal.ReplyBlock
import reconstruction.internal.StatisticsBlock
import reconstruction.internal.SupportBlock
import reconstruction.internal.TimingBlock
import reconstruction.internal.TimingEntry
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Stands in for the native library: records every call with a copy of its buffer and answers what the test wants. */
internal class RecordingNatives : Natives {
    class Call(val name: String, val handle: Long, val block: ByteBuffer?)

    val calls = ArrayList<Call>()
    val names: List<String> get() = calls.map { it.name }
    var fail: (String) -> ReconstructionException? = { null }
    var outcome = OutcomeCode.RECONSTRUCTED
    var fillReply: (ReplyBlock) -> Unit = {}
    var unsupported: String? = null
    private var nextHandle = 100L

    private fun note(name: String, handle: Long, block: ByteBuffer?) {
        val copy = block?.let {
            ByteBuffer.allocateDirect(it.capacity()).order(ByteOrder.LITTLE_ENDIAN).put(it.duplicate().rewind()).rewind()
        }
        calls += Call(name, handle, copy)
        fail(name)?.let { throw it }
    }

    override fun fingerprint() = Abi.FINGERPRINT

    override fun hostCreate(block: ByteBuffer): Long {
        note("hostCreate", 0, block)
        return nextHandle++
    }

    override fun hostCollect(host: Long, lastFinished: Long) = note("hostCollect $lastFinished", host, null)

    override fun hostClose(host: Long) = note("hostClose", host, null)

    override fun support(host: Long, block: ByteBuffer) {
        note("support", host, block)
        SupportBlock(block).apply {
            isSupported = if (unsupported == null) 1 else 0
            deviceName = "stand-in"
            reason = unsupported.orEmpty()
        }
    }

    override fun recommend(host: Long, block: ByteBuffer) {
        note("recommend", host, block)
        RecommendBlock(block).apply {
            isSupported = if (unsupported == null) 1 else 0
            reason = unsupported.orEmpty()
            optimal(intArrayOf(64, 36))
            min(intArrayOf(43, 24))
            max(intArrayOf(128, 72))
            jitterPhases = 32
            mipBias = -2f
        }
    }

    override fun contextCreate(host: Long, block: ByteBuffer): Long {
        note("contextCreate", host, block)
        val wantsDebug = ContextBlock(block).wantsDebug
        for (i in 0..wantsDebug) {
            ImageBlock(block, ContextBlock.SIZE + i * ImageBlock.SIZE).apply {
                view = 0x7000L + i
                image = 0x7100L + i
                device = DEVICE
                format = 97
                width = 128
                height = 72
                samples = 1
                mips = 1
                layers = 1
                layout = 5
            }
        }
        CreatedBlock(block, ContextBlock.SIZE + 2 * ImageBlock.SIZE).apply {
            deviceBytes = 1L shl 33
            jitterPhases = 32
            mipBias = -2f
            backend = "stand-in pipelines"
        }
        return nextHandle++
    }

    override fun contextEvaluate(context: Long, block: ByteBuffer): Int {
        note("contextEvaluate", context, block)
        val reply = ReplyBlock(block, FrameBlock.SIZE + (InputSlotCode.EXPOSURE + 1) * ImageBlock.SIZE)
        reply.isReset = 0
        reply.outcome = outcome
        fillReply(reply)
        return outcome
    }

    override fun contextQuery(context: Long, question: Int, block: ByteBuffer) {
        note("contextQuery $question", context, null)
        if (question == QueryCode.TIMINGS) {
            TimingBlock(block).apply {
                frameIndex = 7
                count = 2
                isMeasured = 1
            }
            listOf("gather" to 0.5f, "output" to 0.25f).forEachIndexed { i, (name, time) ->
                TimingEntry(block, TimingBlock.SIZE + i * TimingEntry.SIZE).apply {
                    pass = name
                    gpuMs = time
                }
            }
        } else {
            StatisticsBlock(block).apply {
                frameIndex = 6
                isCounted = 1
                movingShare = 0.5f
                nonfiniteMotionShare = 0f
                nonfiniteColorShare = 0f
                nonfiniteDepthShare = 0f
                longestMotionPx = 4f
            }
        }
    }

    override fun contextClose(context: Long) = note("contextClose", context, null)

    override fun fault(code: Int, handle: Long) = note("fault $code", handle, null)

    companion object {
        const val DEVICE = 0x0123_4567_89ab_cdefL

        /** A handle with its highest bit set: 64 bits must survive both ways. */
        const val VIEW = Long.MIN_VALUE + 0x1234

        fun host(natives: Natives, library: () -> Natives = { natives }) = VulkanHost(
            HostHandles(
                instance = 0x11, physicalDevice = 0x22, device = DEVICE, getInstanceProcAddr = 0x33,
                apiVersion = 4198400, queueFamily = 3, framesInFlight = 2, enabledFeatures = 5,
            ),
            library,
        )

        fun image(seed: Int = 0, alive: () -> Boolean = { true }, device: Long = DEVICE) = ImageView(
            VIEW + seed, 0x2000L + seed, 97 + seed, ReconstructionSize(64, 36), 4, 1, 1, 1, 5, device, alive,
        )

        fun context(host: VulkanHost, name: String? = null, output: Int = 128) = DlssReconstruction(
            host, ReconstructionSize(output / 2, 36), ReconstructionSize(output, 72), ReconstructionMode.PERFORMANCE,
            name = name,
        )
    }
}
