package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.util.vma.Vma.*
import org.lwjgl.util.vma.VmaAllocationCreateInfo
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkImageCreateInfo
import org.lwjgl.vulkan.VkImageMemoryBarrier
import org.lwjgl.vulkan.VkImageViewCreateInfo

/** A 2D image with one view, resting in SHADER_READ_ONLY_OPTIMAL. */
internal class GpuImage(
    private val renderer: Renderer, format: Int, extent: Extent, usage: Int, private val mips: Int = 1,
) {
    private val image: Long
    private val allocation: Long
    val view: ImageView
    private var alive = true

    init {
        stackPush().use { stack ->
            val info = VkImageCreateInfo.calloc(stack).`sType$Default`()
                .imageType(VK_IMAGE_TYPE_2D).format(format).mipLevels(mips).arrayLayers(1)
                .samples(VK_SAMPLE_COUNT_1_BIT).tiling(VK_IMAGE_TILING_OPTIMAL).usage(usage)
                .sharingMode(VK_SHARING_MODE_EXCLUSIVE).initialLayout(VK_IMAGE_LAYOUT_UNDEFINED)
            info.extent().set(extent.width, extent.height, 1)
            val memory = VmaAllocationCreateInfo.calloc(stack).usage(VMA_MEMORY_USAGE_AUTO)
            val handle = stack.mallocLong(1)
            val allocated = stack.mallocPointer(1)
            expectSuccess(
                vmaCreateImage(renderer.allocator, info, memory, handle, allocated, null),
                "image $extent ${Formats.name(format)}",
            )
            image = handle[0]
            allocation = allocated[0]
            val viewInfo = VkImageViewCreateInfo.calloc(stack).`sType$Default`()
                .image(image).viewType(VK_IMAGE_VIEW_TYPE_2D).format(format)
            viewInfo.subresourceRange().aspectMask(Formats.aspect(format)).levelCount(mips).layerCount(1)
            expectSuccess(vkCreateImageView(renderer.device, viewInfo, null, handle), "vkCreateImageView")
            view = ImageView(
                handle[0], image, format, extent, usage, 1, mips, 1,
                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, renderer.device,
            ) { alive }
        }
    }

    /** The view stops being alive now; the image goes when no submission can use it any more. */
    fun retire() {
        if (!alive) return
        alive = false
        val (device, allocator) = renderer.device to renderer.allocator
        renderer.cleanup {
            vkDestroyImageView(device, view.view, null)
            vmaDestroyImage(allocator, image, allocation)
        }
    }
}

/** Changes the layout of all of an image; everything before [from]'s stages is visible to [to]'s. */
internal fun layoutBarrier(command: VkCommandBuffer, view: ImageView, oldLayout: Int, newLayout: Int, from: Access, to: Access) =
    stackPush().use { stack ->
        val barrier = VkImageMemoryBarrier.calloc(1, stack)
        barrier[0].`sType$Default`()
            .srcAccessMask(from.access).dstAccessMask(to.access)
            .oldLayout(oldLayout).newLayout(newLayout)
            .srcQueueFamilyIndex(VK_QUEUE_FAMILY_IGNORED).dstQueueFamilyIndex(VK_QUEUE_FAMILY_IGNORED)
            .image(view.image)
        barrier[0].subresourceRange()
            .aspectMask(Formats.aspect(view.format)).levelCount(view.mips).layerCount(view.layers)
        vkCmdPipelineBarrier(command, from.stages, to.stages, 0, null, null, barrier)
    }

/** Pipeline stages with the accesses they make. */
internal enum class Access(val stages: Int, val access: Int) {
    NONE(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0),
    ALL_BEFORE(
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_ACCESS_MEMORY_WRITE_BIT,
    ),
    TRANSFER_READ(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT),
    TRANSFER_WRITE(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT),
    ALL_AFTER(
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        VK_ACCESS_MEMORY_READ_BIT or VK_ACCESS_MEMORY_WRITE_BIT,
    ),
}
