package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkClearColorValue
import org.lwjgl.vulkan.VkClearDepthStencilValue
import org.lwjgl.vulkan.VkClearValue
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkFramebufferCreateInfo
import org.lwjgl.vulkan.VkImageSubresourceRange
import org.lwjgl.vulkan.VkRect2D
import org.lwjgl.vulkan.VkRenderPassBeginInfo
import org.lwjgl.vulkan.VkViewport

/** What `RenderToTexture(renderer) { ... }` sets. */
class RenderTargetSettings internal constructor(defaultSize: Extent) {
    /** Pixels, at least 1; the screen's size unless set. */
    var width: Int = defaultSize.width
    var height: Int = defaultSize.height

    /** Adds a D32F depth attachment, readable afterwards as [RenderToTexture.depthView]. */
    var useDepth: Boolean = false
    var colorAttachments: Int = 1

    /** One Vulkan format per colour attachment; RGBA16F for all when empty. */
    var colorFormats: List<Int> = emptyList()

    /** Clear values by attachment, each of four floats; black and transparent where missing. */
    var clearColors: Map<Int, FloatArray> = emptyMap()
    var clearDepth: Float = 1f
}

/**
 * Images that modules draw into: colour attachments and, with useDepth, a depth attachment, one mip and one layer each.
 *
 * It never schedules itself: call [render] from a target, or add it to `renderer.renderList.preTargets`. Each render
 * clears first. Rows run from the top: clip space y points up and row 0 is the top of the picture. Depth is 0..1.
 * Between renders every attachment rests in SHADER_READ_ONLY_OPTIMAL (black and far before the first).
 */
class RenderToTexture private constructor(
    val renderer: Renderer, val width: Int, val height: Int,
    /** The colour attachments in order. */
    val imageViewArray: List<ImageView>,
    /** The depth attachment as a sampled D32F image, or null without useDepth. */
    val depthView: ImageView?,
    private val drawing: Drawing?,
) : Target, AutoCloseable {
    private class Drawing(
        val images: List<GpuImage>, val formats: AttachmentFormats, val renderPass: Long, val framebuffer: Long,
        val clearColors: List<FloatArray>, val clearDepth: Float,
    )

    private constructor(renderer: Renderer, width: Int, height: Int, colors: Int, drawing: Drawing) : this(
        renderer, width, height, drawing.images.take(colors).map { it.view },
        drawing.images.getOrNull(colors)?.view, drawing,
    )

    private constructor(renderer: Renderer, settings: RenderTargetSettings) : this(
        renderer, settings.width, settings.height, settings.colorAttachments, makeDrawing(renderer, settings),
    )

    constructor(renderer: Renderer, settings: RenderTargetSettings.() -> Unit) : this(
        renderer, RenderTargetSettings(renderer.screenExtent).apply(settings),
    )

    private val modules = LinkedHashMap<String, Module>()
    private val byHand = LinkedHashMap<String, (VkCommandBuffer) -> Unit>()
    private var closed = false

    init {
        renderer.resources += this
    }

    internal val formats: AttachmentFormats
        get() = drawing?.formats ?: throw HostException(
            "RenderToTexture ${width}x$height: its image belongs to another owner and only that owner writes it; " +
                "draw modules into a RenderToTexture of your own",
        )

    /** Draws [named]'s module in every render, replacing the module of the same name. */
    operator fun plusAssign(named: Pair<String, Module>) {
        formats
        modules[named.first] = named.second
    }

    /** Stops drawing what has this name, if there is anything. */
    operator fun minusAssign(name: String) {
        modules.remove(name)
        byHand.remove(name)
    }

    /** Lets [draw] record Vulkan draws of its own inside the render pass, after the modules. */
    fun drawWith(name: String, draw: (VkCommandBuffer) -> Unit) {
        formats
        byHand[name] = draw
    }

    /** Clears, then draws the modules in the order of their adding. */
    override fun render(command: VkCommandBuffer, index: Int) {
        formats
        val drawing = drawing!!
        if (closed) throw HostException("RenderToTexture ${width}x$height: rendered after close; make a new one")
        if (!renderer.isRecording(command)) {
            throw HostException("RenderToTexture.render: command is not recording; call it from a target's render(command, index)")
        }
        if (renderer.isInsideRenderPass(command)) {
            throw HostException("RenderToTexture.render: command is inside another render pass; render targets one after the other")
        }
        val ready = modules.values.mapNotNull { it.prepare(this, command) }
        begin(command, drawing)
        try {
            ready.forEach { it.draw() }
            byHand.values.forEach { it(command) }
        } finally {
            vkCmdEndRenderPass(command)
            renderer.commands.setInside(command, false)
        }
    }

    private fun begin(command: VkCommandBuffer, drawing: Drawing) = stackPush().use { stack ->
        val clears = VkClearValue.calloc(drawing.images.size, stack)
        drawing.clearColors.forEachIndexed { at, color -> color.forEachIndexed { c, v -> clears[at].color().float32(c, v) } }
        if (drawing.formats.depth) clears[drawing.clearColors.size].depthStencil().depth(drawing.clearDepth)
        val info = VkRenderPassBeginInfo.calloc(stack).`sType$Default`()
            .renderPass(drawing.renderPass).framebuffer(drawing.framebuffer).pClearValues(clears)
        info.renderArea().extent().set(width, height)
        renderer.commands.setInside(command, true)
        vkCmdBeginRenderPass(command, info, VK_SUBPASS_CONTENTS_INLINE)
        // Origin at the bottom and a negative height: clip space y points up.
        val viewport = VkViewport.calloc(1, stack)
        viewport[0].set(0f, height.toFloat(), width.toFloat(), -height.toFloat(), 0f, 1f)
        vkCmdSetViewport(command, 0, viewport)
        val scissor = VkRect2D.calloc(1, stack)
        scissor[0].extent().set(width, height)
        vkCmdSetScissor(command, 0, scissor)
    }

    /**
     * Shows [attachment] on the screen under [name], tone mapped and enlarged or reduced to [region]; calling it again
     * with the same name replaces what was shown.
     */
    fun blitToScreen(name: String, attachment: Int = 0, region: ScreenRegion = ScreenRegion.ALL, filter: Filter = Filter.LINEAR) {
        val view = imageViewArray.getOrNull(attachment)
            ?: throw HostException("blitToScreen '$name': expected attachment 0..${imageViewArray.size - 1}, got $attachment")
        renderer.screen.show(name, view, region, filter)
    }

    /** Closing twice is safe. The images go once the frames that could use them have finished; an external image stays. */
    override fun close() {
        if (closed) return
        closed = true
        renderer.resources -= this
        modules.clear()
        byHand.clear()
        drawing ?: return
        drawing.images.forEach { it.retire() }
        val device = renderer.device
        val (renderPass, framebuffer) = drawing.renderPass to drawing.framebuffer
        renderer.cleanup {
            vkDestroyFramebuffer(device, framebuffer, null)
            vkDestroyRenderPass(device, renderPass, null)
        }
    }

    override fun toString(): String =
        "RenderToTexture(${width}x$height ${imageViewArray.joinToString { Formats.name(it.format) }}" +
            (if (depthView != null) " + D32F" else "") + (if (closed) ", closed)" else ")")

    companion object {
        private const val COMMON_USAGE =
            VK_IMAGE_USAGE_SAMPLED_BIT or VK_IMAGE_USAGE_TRANSFER_SRC_BIT or VK_IMAGE_USAGE_TRANSFER_DST_BIT

        /**
         * An ordinary RenderToTexture to its users, whose one image belongs to somebody else: it can be shown, bound and
         * read back, but not drawn into; closing it leaves the image alone.
         */
        fun external(renderer: Renderer, imageView: ImageView): RenderToTexture =
            if (imageView.device.address() == renderer.device.address() && imageView.alive) {
                RenderToTexture(renderer, imageView.extent.width, imageView.extent.height, listOf(imageView), null, null)
            } else {
                throw HostException("RenderToTexture.external: expected a living image of this renderer's device, got $imageView of another or closed")
            }

        private fun makeDrawing(renderer: Renderer, settings: RenderTargetSettings): Drawing {
            val extent = Extent(settings.width, settings.height)
            val where = "RenderToTexture $extent"
            val limit = renderer.maxImageSize
            if (extent.width !in 1..limit || extent.height !in 1..limit) {
                throw HostException("$where: expected width and height in 1..$limit")
            }
            val colors = settings.colorFormats.ifEmpty {
                List(settings.colorAttachments) { VK_FORMAT_R16G16B16A16_SFLOAT }
            }
            if (colors.size != settings.colorAttachments) {
                throw HostException(
                    "$where: expected ${settings.colorAttachments} colorFormats (colorAttachments), got ${colors.size}; give one per attachment",
                )
            }
            colors.forEachIndexed { at, format ->
                if (!Formats.isColor(format)) {
                    throw HostException("$where: colorFormats[$at] is ${Formats.name(format)}; expected a float colour format or R8G8B8A8_UNORM")
                }
            }
            val formats = AttachmentFormats(colors, settings.useDepth)
            val clearColors = colors.indices.map { settings.clearColors[it] ?: FloatArray(4) }
            clearColors.forEachIndexed { at, color ->
                if (color.size != 4) throw HostException("$where: clearColors[$at] needs 4 floats, got ${color.size}")
            }
            val images = makeImages(renderer, extent, formats)
            firstClear(renderer, images.map { it.view }, clearColors, settings.clearDepth)
            val renderPass = createRenderPass(renderer.device, formats)
            val framebuffer = stackPush().use { stack ->
                val info = VkFramebufferCreateInfo.calloc(stack).`sType$Default`()
                    .renderPass(renderPass).width(extent.width).height(extent.height).layers(1)
                    .pAttachments(stack.longs(*images.map { it.view.view }.toLongArray()))
                val handle = stack.mallocLong(1)
                expectSuccess(vkCreateFramebuffer(renderer.device, info, null, handle), "$where: vkCreateFramebuffer")
                handle[0]
            }
            return Drawing(images, formats, renderPass, framebuffer, clearColors, settings.clearDepth)
        }

        private fun makeImages(renderer: Renderer, extent: Extent, formats: AttachmentFormats): List<GpuImage> {
            val made = ArrayList<GpuImage>()
            try {
                formats.colors.mapTo(made) {
                    GpuImage(renderer, it, extent, COMMON_USAGE or VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)
                }
                if (formats.depth) {
                    made += GpuImage(
                        renderer, VK_FORMAT_D32_SFLOAT, extent, COMMON_USAGE or VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                    )
                }
                return made
            } catch (error: HostException) {
                made.forEach { it.retire() }
                throw error
            }
        }

        // A target may be sampled before it is first rendered.
        private fun firstClear(renderer: Renderer, views: List<ImageView>, colors: List<FloatArray>, depth: Float) =
            renderer.immediately { command, _ ->
                views.forEachIndexed { at, view ->
                    layoutBarrier(
                        command, view, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        Access.NONE, Access.TRANSFER_WRITE,
                    )
                    stackPush().use { stack ->
                        val range = VkImageSubresourceRange.calloc(1, stack)
                        range[0].aspectMask(Formats.aspect(view.format)).levelCount(1).layerCount(1)
                        if (at < colors.size) {
                            val clear = VkClearColorValue.calloc(stack).float32(stack.floats(*colors[at]))
                            vkCmdClearColorImage(command, view.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, clear, range)
                        } else {
                            val clear = VkClearDepthStencilValue.calloc(stack).depth(depth)
                            vkCmdClearDepthStencilImage(
                                command, view.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, clear, range,
                            )
                        }
                    }
                    layoutBarrier(
                        command, view, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                        Access.TRANSFER_WRITE, Access.ALL_AFTER,
                    )
                }
            }
    }
}
