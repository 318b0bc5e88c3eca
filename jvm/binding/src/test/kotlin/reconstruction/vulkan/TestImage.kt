package reconstruction.vulkan

import org.lwjgl.system.MemoryStack
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.MemoryUtil.memByteBuffer
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkBufferCreateInfo
import org.lwjgl.vulkan.VkBufferImageCopy
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkImageCreateInfo
import org.lwjgl.vulkan.VkImageMemoryBarrier
import org.lwjgl.vulkan.VkImageViewCreateInfo
import org.lwjgl.vulkan.VkMemoryAllocateInfo
import org.lwjgl.vulkan.VkMemoryBarrier
import org.lwjgl.vulkan.VkMemoryRequirements
import org.lwjgl.vulkan.VkPhysicalDeviceMemoryProperties
import reconstruction.ImageView
import reconstruction.ReconstructionSize
import reconstruction.vulkan.TestDevice.Companion.ok

/** An image that rests in SHADER_READ_ONLY_OPTIMAL, filled from floats. */
class TestImage(
    private val host: TestDevice,
    val size: ReconstructionSize,
    private val format: Int,
    usage: Int = VK_IMAGE_USAGE_SAMPLED_BIT,
    private val samples: Int = 1,
    private val mips: Int = 1,
    private val layers: Int = 1,
    texels: ByteArray? = null,
) : AutoCloseable {
    private val device = host.device
    private val usage = usage or if (samples == 1) VK_IMAGE_USAGE_TRANSFER_DST_BIT else VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
    private val aspect = if (format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D16_UNORM) VK_IMAGE_ASPECT_DEPTH_BIT else VK_IMAGE_ASPECT_COLOR_BIT
    private val image: Long
    private val memory: Long
    private val viewHandle: Long
    private var isAlive = true

    init {
        stackPush().use { stack ->
            val handle = stack.mallocLong(1)
            ok(vkCreateImage(device, imageInfo(stack), null, handle))
            image = handle[0]
            val needs = VkMemoryRequirements.malloc(stack)
            vkGetImageMemoryRequirements(device, image, needs)
            memory = host.allocate(needs, 0)
            ok(vkBindImageMemory(device, image, memory, 0))
            val viewType = if (layers == 1) VK_IMAGE_VIEW_TYPE_2D else VK_IMAGE_VIEW_TYPE_2D_ARRAY
            val info = VkImageViewCreateInfo.calloc(stack).`sType$Default`().image(image).viewType(viewType).format(format)
            info.subresourceRange().aspectMask(aspect).levelCount(mips).layerCount(layers)
            ok(vkCreateImageView(device, info, null, handle))
            viewHandle = handle[0]
        }
        // Pictures that cannot be sampled here are only ever refused: they need no contents.
        if (samples == 1 && usage and VK_IMAGE_USAGE_SAMPLED_BIT != 0) fill(texels)
    }

    private fun imageInfo(stack: MemoryStack) = VkImageCreateInfo.calloc(stack).`sType$Default`()
        .imageType(VK_IMAGE_TYPE_2D).format(format).extent { it.set(size.width, size.height, 1) }
        .mipLevels(mips).arrayLayers(layers).samples(samples).usage(usage)

    private fun fill(texels: ByteArray?) {
        val staging = texels?.let { TestBuffer(host, it.size).also { buffer -> buffer.bytes.put(it).rewind() } }
        host.submit { command ->
            transition(command, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL)
            if (staging != null) stackPush().use { stack ->
                vkCmdCopyBufferToImage(command, staging.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, region(stack, size, aspect))
            }
            transition(command, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL)
        }
        staging?.close()
    }

    private fun transition(command: VkCommandBuffer, from: Int, to: Int) = stackPush().use { stack ->
        val barrier = VkImageMemoryBarrier.calloc(1, stack)
        barrier[0].`sType$Default`().image(image).oldLayout(from).newLayout(to)
            .srcAccessMask(VK_ACCESS_MEMORY_WRITE_BIT).dstAccessMask(VK_ACCESS_MEMORY_READ_BIT or VK_ACCESS_MEMORY_WRITE_BIT)
            .srcQueueFamilyIndex(VK_QUEUE_FAMILY_IGNORED).dstQueueFamilyIndex(VK_QUEUE_FAMILY_IGNORED)
        barrier[0].subresourceRange().aspectMask(aspect).levelCount(mips).layerCount(layers)
        val stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
        vkCmdPipelineBarrier(command, stage, stage, 0, null, null, barrier)
    }

    /** The view with its true facts. */
    fun view(layout: Int = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL): ImageView =
        ImageView(viewHandle, image, format, size, usage, samples, mips, layers, layout, device) { isAlive }

    override fun close() {
        isAlive = false
        vkDestroyImageView(device, viewHandle, null)
        vkDestroyImage(device, image, null)
        vkFreeMemory(device, memory, null)
    }

    companion object {
        fun region(stack: MemoryStack, size: ReconstructionSize, aspect: Int): VkBufferImageCopy.Buffer {
            val region = VkBufferImageCopy.calloc(1, stack)
            region[0].imageSubresource().aspectMask(aspect).layerCount(1)
            region[0].imageExtent().set(size.width, size.height, 1)
            return region
        }
    }
}

/** Host-visible memory with a mapped view. */
class TestBuffer(private val host: TestDevice, size: Int) : AutoCloseable {
    val buffer: Long
    private val memory: Long
    val bytes: java.nio.ByteBuffer

    init {
        stackPush().use { stack ->
            val handle = stack.mallocLong(1)
            val info = VkBufferCreateInfo.calloc(stack).`sType$Default`().size(size.toLong())
                .usage(VK_BUFFER_USAGE_TRANSFER_SRC_BIT or VK_BUFFER_USAGE_TRANSFER_DST_BIT)
            ok(vkCreateBuffer(host.device, info, null, handle))
            buffer = handle[0]
            val needs = VkMemoryRequirements.malloc(stack)
            vkGetBufferMemoryRequirements(host.device, buffer, needs)
            memory = host.allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT or VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
            ok(vkBindBufferMemory(host.device, buffer, memory, 0))
            val pointer = stack.mallocPointer(1)
            ok(vkMapMemory(host.device, memory, 0, size.toLong(), 0, pointer))
            bytes = memByteBuffer(pointer[0], size)
        }
    }

    override fun close() {
        vkDestroyBuffer(host.device, buffer, null)
        vkFreeMemory(host.device, memory, null)
    }
}

/** Memory of the first type that fits. */
fun TestDevice.allocate(needs: VkMemoryRequirements, flags: Int): Long = stackPush().use { stack ->
    val properties = VkPhysicalDeviceMemoryProperties.malloc(stack)
    vkGetPhysicalDeviceMemoryProperties(physicalDevice, properties)
    val type = (0 until properties.memoryTypeCount()).first {
        needs.memoryTypeBits() shr it and 1 == 1 && properties.memoryTypes(it).propertyFlags() and flags == flags
    }
    val handle = stack.mallocLong(1)
    val info = VkMemoryAllocateInfo.calloc(stack).`sType$Default`().allocationSize(needs.size()).memoryTypeIndex(type)
    ok(vkAllocateMemory(device, info, null, handle))
    handle[0]
}

/** The bytes of an RGBA16F image in SHADER_READ_ONLY_OPTIMAL, whose last writes are visible to transfers. */
fun TestDevice.read(view: ImageView): ShortArray {
    val size = view.extent
    val buffer = TestBuffer(this, size.width * size.height * 8)
    submit { command ->
        stackPush().use { stack ->
            val barrier = VkImageMemoryBarrier.calloc(2, stack)
            val layouts = listOf(view.layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)
            for (i in 0..1) {
                barrier[i].`sType$Default`().image(view.image).oldLayout(layouts[i]).newLayout(layouts[1 - i])
                    .srcAccessMask(VK_ACCESS_MEMORY_WRITE_BIT).dstAccessMask(VK_ACCESS_MEMORY_READ_BIT)
                    .srcQueueFamilyIndex(VK_QUEUE_FAMILY_IGNORED).dstQueueFamilyIndex(VK_QUEUE_FAMILY_IGNORED)
                barrier[i].subresourceRange().aspectMask(VK_IMAGE_ASPECT_COLOR_BIT).levelCount(1).layerCount(1)
            }
            val all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
            vkCmdPipelineBarrier(command, all, all, 0, null, null, barrier.slice(0, 1))
            vkCmdCopyImageToBuffer(
                command, view.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.buffer,
                TestImage.region(stack, size, VK_IMAGE_ASPECT_COLOR_BIT),
            )
            vkCmdPipelineBarrier(command, all, all, 0, null, null, barrier.slice(1, 1))
            val toHost = VkMemoryBarrier.calloc(1, stack)
            toHost[0].`sType$Default`().srcAccessMask(VK_ACCESS_TRANSFER_WRITE_BIT).dstAccessMask(VK_ACCESS_HOST_READ_BIT)
            vkCmdPipelineBarrier(command, all, VK_PIPELINE_STAGE_HOST_BIT, 0, toHost, null, null)
        }
    }
    val halves = ShortArray(size.width * size.height * 4)
    buffer.bytes.order(java.nio.ByteOrder.LITTLE_ENDIAN).asShortBuffer().get(halves)
    buffer.close()
    return halves
}
