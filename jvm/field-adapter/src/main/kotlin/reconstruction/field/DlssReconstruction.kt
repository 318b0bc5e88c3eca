package reconstruction.field

import field.host.RenderToTexture
import field.host.Renderer
import org.lwjgl.vulkan.VkCommandBuffer
import reconstruction.AlphaMode
import reconstruction.Bypass
import reconstruction.ColorEncoding
import reconstruction.DebugView
import reconstruction.DepthConvention
import reconstruction.InvalidInput
import reconstruction.InvalidState
import reconstruction.LastReset
import reconstruction.MotionConvention
import reconstruction.RayReconstructionGuides
import reconstruction.Recommendation
import reconstruction.ReconstructionException
import reconstruction.ReconstructionFrame
import reconstruction.ReconstructionInputs
import reconstruction.ReconstructionJitter
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionModel
import reconstruction.ReconstructionResult
import reconstruction.ReconstructionSize
import reconstruction.Statistics
import reconstruction.SupportReport
import reconstruction.Timings
import reconstruction.VulkanHost
import reconstruction.DlssReconstruction as Context

/**
 * One temporal view of a Field renderer: it reconstructs a finished picture of [outputSize] out of frames of
 * [inputSize] and its history.
 *
 * Settings that are `var` apply from the next `evaluate` on. Sizes, mode, feature and model are fixed: close this one
 * at a frame boundary and make another. The pictures belong to this object; source images, modules and meshes stay
 * yours.
 *
 * @param inputSize size of colour, depth and motion in pixels; [recommend] gives one
 * @param outputSize size of [output] in pixels, 64..8192 on each axis
 * @param rayReconstruction true for Ray Reconstruction, which this version refuses with `UnsupportedDevice`
 * @param debug false to go without [debugOutput] and save 8 bytes of device memory per output pixel
 * @param name an older one of this name on [renderer] hands over its images and history where all settings are equal;
 *   it is closed either way. Without a name each one is new: two views side by side need two
 * @throws ReconstructionException `UnsupportedDevice` with the line of [support], `InvalidInput` where sizes and mode do
 *   not fit, `OutOfDeviceMemory`
 */
class DlssReconstruction(
    val renderer: Renderer,
    val inputSize: ReconstructionSize,
    val outputSize: ReconstructionSize,
    val mode: ReconstructionMode,
    val rayReconstruction: Boolean = false,
    val model: ReconstructionModel = ReconstructionModel.NETWORK,
    val debug: Boolean = true,
    val name: String? = null,
) : AutoCloseable {
    private val connection = RendererConnection.of(renderer)
    private val context = connection.open {
        Context(it, inputSize, outputSize, mode, rayReconstruction, model, debug, name)
    }

    /** The reconstructed picture, linear RGBA16F: show it with `blitToScreen`, bind it with `fromViews`. */
    val output: RenderToTexture = external(context.output)

    /** The picture of [debugView]; null when made with `debug = false`. */
    val debugOutput: RenderToTexture? = if (debug) external(context.debugOutput) else null

    /** What the output shows; the end of a bypass resets history. */
    var bypass: Bypass by context::bypass

    /** Which picture [debugOutput] shows. */
    var debugView: DebugView by context::debugView

    /** How colour is encoded. A change resets history. */
    var colorEncoding: ColorEncoding by context::colorEncoding

    /** What the depth image holds. A change resets history. */
    var depthConvention: DepthConvention by context::depthConvention

    /** How motion vectors are read. A change resets history. */
    var motionConvention: MotionConvention by context::motionConvention

    /** What becomes of alpha. A change resets history. */
    var alpha: AlphaMode by context::alpha

    /** Whether passes are measured, for [timings]. */
    var isTiming: Boolean by context::isTiming

    /** Whether inputs are counted, for [statistics]: one more pass over the inputs. */
    var isCounting: Boolean by context::isCounting

    /** The last time history began anew, null before the first frame. */
    val lastReset: LastReset? get() = context.lastReset

    /** The result of the last `evaluate`, null before the first. */
    val lastResult: ReconstructionResult? get() = context.lastResult

    /** Reason of the last declined frame, null when there was none. */
    val lastDecline: String? get() = context.lastDecline

    /** The last error thrown here, for loops that show no exceptions; null when there was none. */
    var lastError: ReconstructionException? = null
        private set

    /** Mip level bias for textures of the source pass: log2(input / output) - 1. */
    val mipBias: Float get() = context.mipBias

    /** Bytes of device memory of this context. */
    val deviceBytes: Long get() = context.deviceBytes

    /** Whether this one can no longer be used. */
    val isClosed: Boolean get() = context.isClosed
    private var isRetired = false

    init {
        connection.adopt(this)
    }

    /** The jitter to rasterise frame [frameIndex] with, in input pixels: Halton, and zero while bypassed or closed. */
    fun jitter(frameIndex: Number): ReconstructionJitter = context.jitter(frameIndex)

    /** Begins history anew in the next frame, for cuts and semantic edits. [reason] is kept in [lastReset]. */
    fun reset(reason: String) = noting { context.reset(reason) }

    /**
     * Renders [source], then reconstructs its attachments. Call it from a target's `render(command, index)`.
     *
     * @param index the frame slot that the target was given
     * @throws InvalidState when [source] is registered in `renderer.renderList.preTargets` as well, so that it would
     *   be rendered twice
     */
    fun evaluate(
        command: VkCommandBuffer,
        index: Int,
        source: RenderToTexture,
        inputs: ReconstructionInputs,
        frame: ReconstructionFrame,
    ): ReconstructionResult = noting {
        requireReady(command)
        if (source.renderer !== renderer) {
            throw InvalidInput("source: expected a target of the renderer of this context, got $source of another; make it on this one")
        }
        if (source in renderer.renderList.preTargets) {
            throw InvalidState(
                "source: expected a target that evaluate alone renders, got one that renderer.renderList.preTargets holds too; " +
                    "take it out with renderer.renderList.preTargets -= source, or evaluate without it",
            )
        }
        source.render(command, index)
        record(command, inputs, frame, null)
    }

    /** Reconstructs [inputs], which were rendered earlier in this frame. See the other `evaluate`. */
    fun evaluate(
        command: VkCommandBuffer,
        inputs: ReconstructionInputs,
        frame: ReconstructionFrame,
    ): ReconstructionResult = noting {
        requireReady(command)
        record(command, inputs, frame, null)
    }

    /** Records one frame of Ray Reconstruction; the guides describe the same frame as [inputs]. */
    fun evaluate(
        command: VkCommandBuffer,
        inputs: ReconstructionInputs,
        frame: ReconstructionFrame,
        guides: RayReconstructionGuides,
    ): ReconstructionResult = noting {
        requireReady(command)
        record(command, inputs, frame, guides)
    }

    private fun requireReady(command: VkCommandBuffer) {
        if (isClosed || renderer.deviceLost) return // the context says which
        if (!renderer.isRecording(command)) {
            throw InvalidState(
                "command: expected a command buffer of this renderer that is recording, got another; " +
                    "call evaluate from a target's render(command, index)",
            )
        }
        if (renderer.isInsideRenderPass(command)) {
            throw InvalidState("command: expected one outside a render pass, got one inside; call evaluate before or after the pass")
        }
    }

    private fun record(
        command: VkCommandBuffer,
        inputs: ReconstructionInputs,
        frame: ReconstructionFrame,
        guides: RayReconstructionGuides?,
    ): ReconstructionResult {
        // The frame being recorded cannot have finished; between frames, where the two meet, it counts as unfinished.
        val hostFrame = maxOf(renderer.frameNumber, 1)
        val finished = if (renderer.deviceLost) VulkanHost.LOST else minOf(renderer.lastFinishedFrame, hostFrame - 1)
        return if (guides == null) context.evaluate(command, inputs, frame, hostFrame, finished)
        else context.evaluate(command, inputs, frame, guides, hostFrame, finished)
    }

    /** GPU milliseconds per pass of the last finished frame, or null before one has been measured. */
    fun timings(): Timings? = noting { context.timings() }

    /** What the inputs of the last counted frame held, or null before one has finished. See [isCounting]. */
    fun statistics(): Statistics? = noting { context.statistics() }

    private fun external(image: reconstruction.ImageView) =
        RenderToTexture.external(renderer, image.toField(renderer.device))

    private inline fun <T> noting(block: () -> T): T = try {
        block()
    } catch (error: ReconstructionException) {
        lastError = error
        throw error
    }

    /**
     * Ends the context: its images are dead to others from now on, and their memory goes through `renderer.cleanup`
     * once the frames that use them have finished. Take passes that evaluate out of the render list first. Closing
     * again does nothing.
     */
    override fun close() {
        if (isRetired) return
        isRetired = true
        context.close()
        output.close()
        debugOutput?.close()
        connection.retire(this)
    }

    /** A status line: feature, model, backend, sizes, mode, frame, last reset, last decline, last error. */
    override fun toString(): String {
        val own = lastError?.message?.takeIf { it != context.lastError?.message }
        return if (own == null) context.toString() else "$context, last error $own"
    }

    companion object {
        /** What this renderer's device can do, feature by feature. What is missing is a value with its reason. */
        fun support(renderer: Renderer): SupportReport = RendererConnection.of(renderer).ask(Context::support)

        /**
         * What to render at for [outputSize] and [mode]. Where unsupported, `optimal` is the output size and `reason`
         * the line that the constructor would throw.
         *
         * @throws InvalidInput when the output size is outside 64..8192
         */
        fun recommend(
            renderer: Renderer,
            outputSize: ReconstructionSize,
            mode: ReconstructionMode,
            rayReconstruction: Boolean = false,
            model: ReconstructionModel = ReconstructionModel.NETWORK,
        ): Recommendation = RendererConnection.of(renderer).ask {
            Context.recommend(it, outputSize, mode, rayReconstruction, model)
        }
    }
}
