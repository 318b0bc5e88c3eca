package reconstruction

import org.lwjgl.vulkan.VkCommandBuffer
import reconstruction.internal.Abi
import reconstruction.internal.ContextSettings
import reconstruction.internal.FrameBlock
import reconstruction.internal.NativeContext
import reconstruction.internal.Natives
import reconstruction.internal.OutcomeCode
import reconstruction.internal.QueryCode
import reconstruction.internal.ReplyBlock
import reconstruction.internal.ResetReasonCode
import reconstruction.internal.StatisticsBlock
import reconstruction.internal.TimingBlock
import reconstruction.internal.TimingEntry
import reconstruction.internal.askRecommendation
import reconstruction.internal.askSupport

/**
 * One temporal view: it reconstructs a finished picture of [outputSize] out of frames of [inputSize] and its history.
 *
 * Settings that are `var` apply from the next `evaluate` on. Sizes, mode, feature and model are fixed: make a new
 * context to change them.
 *
 * With a [name], a context of that name on the same host is found: when its fixed settings are equal its images and
 * history go on in the new object, otherwise it is closed. Either way the older object can no longer be used. Without
 * a name every context is new.
 *
 * @param inputSize size of colour, depth and motion: 21..8192, at least a third of the output and never above it
 * @param outputSize size of the output: 64..8192
 * @param rayReconstruction true for Ray Reconstruction, which this version refuses with [UnsupportedDevice]
 * @param debug false to go without [debugOutput] and save 8 bytes of device memory per output pixel
 * @throws UnsupportedDevice when the device, the library or the model cannot; the line is that of [support]
 * @throws InvalidInput when sizes and mode do not fit
 * @throws OutOfDeviceMemory when histories and output do not fit into device memory
 */
class DlssReconstruction(
    private val host: VulkanHost,
    val inputSize: ReconstructionSize,
    val outputSize: ReconstructionSize,
    val mode: ReconstructionMode,
    val rayReconstruction: Boolean = false,
    val model: ReconstructionModel = ReconstructionModel.NETWORK,
    val debug: Boolean = true,
    val name: String? = null,
) : AutoCloseable {
    private val connection = host.connection
    private var context: NativeContext? = null
    private var closedBecause: String? = null
    private var resetReason: String? = null
    private var lastFrame: Long? = null

    /** How colour is encoded. A change resets history. */
    var colorEncoding: ColorEncoding = ColorEncoding.LINEAR_HDR

    /** What the depth image holds. A change resets history. */
    var depthConvention: DepthConvention = DepthConvention.HARDWARE

    /** How motion vectors are read. A change resets history. */
    var motionConvention: MotionConvention = MotionConvention()

    /** What becomes of alpha. A change resets history. */
    var alpha: AlphaMode = AlphaMode.IGNORE

    /** What the output shows. While it is not [Bypass.OFF], [jitter] is zero; its end resets history. */
    var bypass: Bypass = Bypass.OFF

    /** Which picture [debugOutput] shows. */
    var debugView: DebugView = DebugView.NONE

    /** Whether passes are measured, for [timings]. */
    var isTiming: Boolean = true

    /** Whether inputs are counted, for [statistics]: one more pass over the inputs. */
    var isCounting: Boolean = false

    /** The last time history began anew, null before the first frame. */
    var lastReset: LastReset? = null
        private set

    /** The result of the last `evaluate`, null before the first. */
    var lastResult: ReconstructionResult? = null
        private set

    /** Reason of the last declined frame, null when there was none. */
    var lastDecline: String? = null
        private set

    /** The last error thrown by this context, for those who see no exceptions; null when there was none. */
    var lastError: ReconstructionException? = null
        private set

    init {
        synchronized(connection.lock) {
            val feature = feature(rayReconstruction)
            (askSupport(host, feature, model).first as? Support.Unsupported)?.let { throw UnsupportedDevice(it.reason) }
            val settings = ContextSettings(inputSize, outputSize, mode, feature, model, debug)
            context = adopt(settings) ?: NativeContext(connection, settings, name.orEmpty())
            if (name != null) host.named[name] = this
        }
    }

    /** The open context of the same name and equal settings; one of other settings is closed. */
    private fun adopt(settings: ContextSettings): NativeContext? {
        val older = name?.let { host.named.remove(it) } ?: return null
        val adopted = older.context?.takeIf { it.settings == settings && !it.isBroken }
        if (adopted != null) older.context = null else older.close()
        older.closedBecause = "was replaced by a newer one of that name"
        return adopted
    }

    /** The reconstructed picture: RGBA16F, linear, readable by fragment, compute and transfer after `evaluate`. */
    val output: ImageView get() = open().output

    /** The picture of [debugView], RGBA16F. */
    val debugOutput: ImageView
        get() = open().debugOutput ?: throw InvalidState(
            "debugOutput: expected a context with a debug picture, got one without; create it with debug = true",
        )

    /** Mip level bias for textures of the source pass: log2(input / output) - 1. */
    val mipBias: Float get() = open().mipBias

    /** Bytes of device memory of this context. */
    val deviceBytes: Long get() = open().deviceBytes

    /** Device and pipelines in words. */
    val backend: String get() = open().backend

    /** Whether the context can no longer be used. */
    val isClosed: Boolean get() = synchronized(connection.lock) { context == null || connection.isClosed }

    /** The jitter to rasterise frame [frameIndex] with: Halton, and zero while bypassed or closed. */
    fun jitter(frameIndex: Number): ReconstructionJitter =
        if (bypass != Bypass.OFF || isClosed || connection.lostError != null) ReconstructionJitter.ZERO
        else ReconstructionJitter.halton(frameIndex, inputSize, outputSize)

    /**
     * Begins history anew in the next frame, for camera cuts and semantic edits. [reason] is kept in [lastReset]; an
     * empty one is refused by that frame.
     */
    fun reset(reason: String) {
        synchronized(connection.lock) {
            open()
            resetReason = reason
        }
    }

    /**
     * Records the reconstruction of one frame.
     *
     * The command buffer must be recording, outside a render pass, and run on a queue of the host's family; Vulkan
     * cannot be asked, so neither is checked here. Disturbed are the compute pipeline and descriptor set 0 of the
     * compute bind point, on the first frame as on every other; all else stays as it was. All earlier writes to the inputs are
     * made visible first; inputs come and go in their declared layout; afterwards [output] is readable by fragment,
     * compute and transfer.
     *
     * @param hostFrame the host's own number of this frame, from 1 on; it grows by 1 with every presented frame
     * @param lastFinished the host's number of the last frame the device has finished, 0 before the first, or
     *   [VulkanHost.LOST]
     * @return Reconstructed; Bypassed as asked; or Declined, where a given exposure is not finite or not above 0
     * @throws ReconstructionException for wrong wiring, before anything is recorded
     */
    fun evaluate(
        command: VkCommandBuffer,
        inputs: ReconstructionInputs,
        frame: ReconstructionFrame,
        hostFrame: Number,
        lastFinished: Number,
    ): ReconstructionResult = noting {
        requireDevice(command)
        record(command.address(), inputs, frame, hostFrame, lastFinished)
    }

    /** Records one frame of Ray Reconstruction. See the other `evaluate`. */
    fun evaluate(
        command: VkCommandBuffer,
        inputs: ReconstructionInputs,
        frame: ReconstructionFrame,
        guides: RayReconstructionGuides,
        hostFrame: Number,
        lastFinished: Number,
    ): ReconstructionResult = noting {
        requireDevice(command)
        evaluate(command.address(), inputs, frame, guides, hostFrame, lastFinished)
    }

    internal fun evaluate(
        command: Long,
        inputs: ReconstructionInputs,
        frame: ReconstructionFrame,
        guides: RayReconstructionGuides?,
        hostFrame: Number,
        lastFinished: Number,
    ): ReconstructionResult = noting {
        if (guides != null) {
            throw InvalidState(
                "guides: expected none for a context of Super Resolution, got material guides; " +
                    "create the context with rayReconstruction = true",
            )
        }
        record(command, inputs, frame, hostFrame, lastFinished)
    }

    private fun requireDevice(command: VkCommandBuffer) {
        if (command.device.address() != connection.handles.device) {
            throw InvalidInput(
                "command: expected a command buffer of the host's device, got one of another device; record on this device",
            )
        }
    }

    private fun record(
        command: Long,
        inputs: ReconstructionInputs,
        given: ReconstructionFrame,
        hostFrame: Number,
        lastFinished: Number,
    ): ReconstructionResult = synchronized(connection.lock) {
        val context = open()
        val packer = context.packer
        packer.frame.apply {
            commandBuffer = command
            this.hostFrame = whole("hostFrame", hostFrame, 1..Long.MAX_VALUE)
            this.lastFinished = VulkanHost.frameNumber("lastFinished", lastFinished)
            requireEarlier(this.lastFinished, this.hostFrame)
            packSettings(this)
        }
        packer.pack(given)
        packer.pack(motionConvention)
        packer.pack(inputs, given.exposure)
        val outcome = connection.call { natives, _ -> natives.contextEvaluate(context.handle, packer.bytes) }
        lastFrame = given.frameIndex
        result(outcome, packer.reply)
    }

    private fun requireEarlier(lastFinished: Long, hostFrame: Long) {
        if (lastFinished >= hostFrame) {
            throw InvalidInput(
                "lastFinished: expected a frame before the one being recorded, $hostFrame, got $lastFinished; " +
                    "give the newest frame whose fence was signalled",
            )
        }
    }

    private fun packSettings(frame: FrameBlock) {
        frame.colorEncoding = colorEncoding.code
        frame.depthKind = depthConvention.code
        frame.alpha = alpha.code
        frame.bypass = bypass.code
        frame.debugView = debugView.code
        frame.wantsTimings = if (isTiming) 1 else 0
        frame.wantsStatistics = if (isCounting) 1 else 0
        frame.isReset = if (resetReason != null) 1 else 0
        frame.resetText = resetReason ?: ""
    }

    private fun result(outcome: Int, reply: ReplyBlock): ReconstructionResult {
        val result = when (outcome) {
            OutcomeCode.RECONSTRUCTED -> ReconstructionResult.Reconstructed
            OutcomeCode.BYPASSED -> ReconstructionResult.Bypassed(reply.reason)
            OutcomeCode.DECLINED -> ReconstructionResult.Declined(reply.reason)
            else -> throw InternalFault("outcome: expected a code of Outcome, got $outcome; report this")
        }
        // A declined frame leaves history alone, so the wish for a reset stands.
        if (result is ReconstructionResult.Declined) lastDecline = result.reason else resetReason = null
        if (reply.isReset != 0 && reply.resetReason != ResetReasonCode.NONE) {
            val cause = ResetCause.values().firstOrNull { it.code == reply.resetReason }
                ?: throw InternalFault("reset: expected a code of ResetReason, got ${reply.resetReason}; report this")
            lastReset = LastReset(reply.resetFrameIndex, cause, reply.resetText.ifEmpty { cause.words })
        }
        lastResult = result
        return result
    }

    /** Times of the last finished frame on the device, or null before one has been measured. */
    fun timings(): Timings? = ask(QueryCode.TIMINGS) { bytes ->
        val block = TimingBlock(bytes)
        if (block.isMeasured == 0) return@ask null
        val count = block.count.coerceIn(0, Abi.MAX_TIMINGS)
        Timings(block.frameIndex, List(count) {
            val entry = TimingEntry(bytes, TimingBlock.SIZE + it * TimingEntry.SIZE)
            PassTime(entry.pass, entry.gpuMs)
        })
    }

    /** What the inputs of the last counted frame held, or null before one has finished. See [isCounting]. */
    fun statistics(): Statistics? = ask(QueryCode.STATISTICS) { bytes ->
        val block = StatisticsBlock(bytes)
        if (block.isCounted == 0) null
        else Statistics(
            block.frameIndex, block.movingShare, block.nonfiniteMotionShare, block.longestMotionPx,
            block.nonfiniteColorShare, block.nonfiniteDepthShare,
        )
    }

    private fun <T> ask(question: Int, read: (java.nio.ByteBuffer) -> T): T = noting {
        synchronized(connection.lock) {
            val context = open()
            connection.call { natives: Natives, _ -> read(context.ask(natives, question)) }
        }
    }

    private fun open(): NativeContext {
        if (connection.isClosed) throw InvalidState("$label: expected an open VulkanHost, got a closed one; create both anew")
        connection.lostError?.let { throw it }
        return context ?: throw InvalidState(
            "$label: expected an open context, got one that ${closedBecause ?: "is closed"}; use the newer one or create one",
        )
    }

    /** Keeps what was thrown as [lastError]. */
    private inline fun <T> noting(block: () -> T): T = try {
        block()
    } catch (error: ReconstructionException) {
        if (error is InternalFault) context?.isBroken = true
        lastError = error
        throw error
    }

    /** Ends the context; its memory goes with the last frame that uses it. Closing again does nothing. */
    override fun close() {
        synchronized(connection.lock) {
            val closing = context ?: return
            context = null
            closing.isOpen = false
            closedBecause = "is closed"
            if (name != null && host.named[name] === this) host.named.remove(name)
            connection.release { it.contextClose(closing.handle) }
        }
    }

    private val label: String get() = if (name == null) "DlssReconstruction" else "DlssReconstruction '${ascii(name)}'"

    /** A status line: feature, model, backend, sizes, mode, frame, last reset, last decline, last error. */
    override fun toString(): String = buildString {
        append(label).append(": ").append(feature(rayReconstruction)).append(' ').append(model)
        val context = context
        if (context == null) append(", ").append(closedBecause) else append(" on ").append(context.backend)
        append(", ").append(inputSize).append(" to ").append(outputSize).append(' ').append(mode)
        append(", frame ").append(lastFrame ?: "none")
        if (bypass != Bypass.OFF) append(", bypass ").append(bypass)
        append(", last reset ").append(lastReset ?: "none")
        append(", last decline ").append(lastDecline ?: "none")
        lastError?.let { append(", last error ").append(it.message) }
    }

    companion object {
        private fun feature(rayReconstruction: Boolean) =
            if (rayReconstruction) ReconstructionFeature.RAY_RECONSTRUCTION else ReconstructionFeature.SUPER_RESOLUTION

        /** What this host's device can do, feature by feature. Never throws for what is missing: the reason is a value. */
        fun support(host: VulkanHost): SupportReport {
            val (superResolution, device) =
                askSupport(host, ReconstructionFeature.SUPER_RESOLUTION, ReconstructionModel.NETWORK)
            val (rays, _) = askSupport(host, ReconstructionFeature.RAY_RECONSTRUCTION, ReconstructionModel.NETWORK)
            return SupportReport(device, superResolution, rays)
        }

        /**
         * What to render at for [outputSize] and [mode]. Where unsupported, `optimal` is the output size and `reason`
         * the line that the constructor would throw.
         *
         * @throws InvalidInput when the output size is outside 64..8192
         */
        fun recommend(
            host: VulkanHost,
            outputSize: ReconstructionSize,
            mode: ReconstructionMode,
            rayReconstruction: Boolean = false,
            model: ReconstructionModel = ReconstructionModel.NETWORK,
        ): Recommendation = askRecommendation(host, outputSize, mode, feature(rayReconstruction), model)
    }
}
