import org.lwjgl.system.MemoryStack
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VK11.VK_API_VERSION_1_1
import org.lwjgl.vulkan.VkApplicationInfo
import org.lwjgl.vulkan.VkBufferCreateInfo
import org.lwjgl.vulkan.VkBufferImageCopy
import org.lwjgl.vulkan.VkClearColorValue
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkCommandBufferAllocateInfo
import org.lwjgl.vulkan.VkCommandBufferBeginInfo
import org.lwjgl.vulkan.VkCommandPoolCreateInfo
import org.lwjgl.vulkan.VkDevice
import org.lwjgl.vulkan.VkDeviceCreateInfo
import org.lwjgl.vulkan.VkDeviceQueueCreateInfo
import org.lwjgl.vulkan.VkImageCreateInfo
import org.lwjgl.vulkan.VkImageMemoryBarrier
import org.lwjgl.vulkan.VkImageSubresourceRange
import org.lwjgl.vulkan.VkImageViewCreateInfo
import org.lwjgl.vulkan.VkInstance
import org.lwjgl.vulkan.VkInstanceCreateInfo
import org.lwjgl.vulkan.VkMemoryAllocateInfo
import org.lwjgl.vulkan.VkMemoryRequirements
import org.lwjgl.vulkan.VkPhysicalDevice
import org.lwjgl.vulkan.VkPhysicalDeviceMemoryProperties
import org.lwjgl.vulkan.VkQueue
import org.lwjgl.vulkan.VkQueueFamilyProperties
import org.lwjgl.vulkan.VkSubmitInfo
import reconstruction.ImageView
import reconstruction.ReconstructionSize

/** What every Vulkan program has already: the first device, a queue, a command buffer that is waited for, images. */
class SmallestDevice : AutoCloseable {
    val instance: VkInstance
    val physicalDevice: VkPhysicalDevice
    val device: VkDevice
    val queueFamily: Int
    private val queue: VkQueue
    private val pool: Long
    private val closers = ArrayList<() -> Unit>()

    init {
        stackPush().use { stack ->
            val pointer = stack.mallocPointer(1)
            val application = VkApplicationInfo.calloc(stack).`sType$Default`().apiVersion(VK_API_VERSION_1_1)
            val instanceInfo = VkInstanceCreateInfo.calloc(stack).`sType$Default`().pApplicationInfo(application)
            check(vkCreateInstance(instanceInfo, null, pointer) == VK_SUCCESS) { "no Vulkan driver: install one, for example mesa-vulkan-drivers" }
            instance = VkInstance(pointer[0], instanceInfo)
            val one = stack.ints(1)
            vkEnumeratePhysicalDevices(instance, one, pointer)
            check(one[0] == 1) { "no Vulkan device" }
            physicalDevice = VkPhysicalDevice(pointer[0], instance)
            queueFamily = graphicsFamily(stack)
            val queues = VkDeviceQueueCreateInfo.calloc(1, stack)
            queues[0].`sType$Default`().queueFamilyIndex(queueFamily).pQueuePriorities(stack.floats(1f))
            val deviceInfo = VkDeviceCreateInfo.calloc(stack).`sType$Default`().pQueueCreateInfos(queues)
            ok(vkCreateDevice(physicalDevice, deviceInfo, null, pointer))
            device = VkDevice(pointer[0], physicalDevice, deviceInfo, VK_API_VERSION_1_1)
            vkGetDeviceQueue(device, queueFamily, 0, pointer)
            queue = VkQueue(pointer[0], device)
            val handle = stack.mallocLong(1)
            val poolInfo = VkCommandPoolCreateInfo.calloc(stack).`sType$Default`().queueFamilyIndex(queueFamily)
            ok(vkCreateCommandPool(device, poolInfo, null, handle))
            pool = handle[0]
        }
    }

    private fun graphicsFamily(stack: MemoryStack): Int {
        val count = stack.mallocInt(1)
        vkGetPhysicalDeviceQueueFamilyProperties(physicalDevice, count, null)
        val families = VkQueueFamilyProperties.calloc(count[0], stack)
        vkGetPhysicalDeviceQueueFamilyProperties(physicalDevice, count, families)
        return families.indexOfFirst { it.queueFlags() and VK_QUEUE_GRAPHICS_BIT != 0 }
    }

    /** Records [work], submits it, and waits. */
    fun submit(work: (VkCommandBuffer) -> Unit) = stackPush().use { stack ->
        val pointer = stack.mallocPointer(1)
        val info = VkCommandBufferAllocateInfo.calloc(stack).`sType$Default`()
            .commandPool(pool).level(VK_COMMAND_BUFFER_LEVEL_PRIMARY).commandBufferCount(1)
        ok(vkAllocateCommandBuffers(device, info, pointer))
        val command = VkCommandBuffer(pointer[0], device)
        val once = VkCommandBufferBeginInfo.calloc(stack).`sType$Default`().flags(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)
        ok(vkBeginCommandBuffer(command, once))
        work(command)
        ok(vkEndCommandBuffer(command))
        ok(vkQueueSubmit(queue, VkSubmitInfo.calloc(stack).`sType$Default`().pCommandBuffers(pointer), VK_NULL_HANDLE))
        ok(vkQueueWaitIdle(queue))
        vkFreeCommandBuffers(device, pool, pointer)
    }

    /** An image to fill and to sample, in the layout GENERAL. */
    fun image(format: Int, size: ReconstructionSize): ImageView = stackPush().use { stack ->
        val usage = VK_IMAGE_USAGE_SAMPLED_BIT or VK_IMAGE_USAGE_TRANSFER_DST_BIT
        val info = VkImageCreateInfo.calloc(stack).`sType$Default`().imageType(VK_IMAGE_TYPE_2D).format(format)
            .mipLevels(1).arrayLayers(1).samples(VK_SAMPLE_COUNT_1_BIT).tiling(VK_IMAGE_TILING_OPTIMAL).usage(usage)
        info.extent().set(size.width, size.height, 1)
        val handle = stack.mallocLong(1)
        ok(vkCreateImage(device, info, null, handle))
        val image = handle[0]
        closers += { vkDestroyImage(device, image, null) }
        val needs = VkMemoryRequirements.calloc(stack)
        vkGetImageMemoryRequirements(device, image, needs)
        ok(vkBindImageMemory(device, image, memory(needs, 0), 0))
        val viewInfo = VkImageViewCreateInfo.calloc(stack).`sType$Default`().image(image).viewType(VK_IMAGE_VIEW_TYPE_2D).format(format)
        viewInfo.subresourceRange().set(VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1)
        ok(vkCreateImageView(device, viewInfo, null, handle))
        val view = handle[0]
        closers += { vkDestroyImageView(device, view, null) }
        submit { barrier(it, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL) }
        ImageView(view, image, format, size, usage, layout = VK_IMAGE_LAYOUT_GENERAL, device = device)
    }

    /** Stands for the passes of a real program. */
    fun fill(command: VkCommandBuffer, target: ImageView, vararg value: Float) = stackPush().use { stack ->
        barrier(command, target.image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL)
        val color = VkClearColorValue.calloc(stack)
        value.forEachIndexed { at, channel -> color.float32(at, channel) }
        val whole = VkImageSubresourceRange.calloc(stack).set(VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1)
        vkCmdClearColorImage(command, target.image, VK_IMAGE_LAYOUT_GENERAL, color, whole)
    }

    /** Red, green, blue, alpha of the middle pixel of a half-float image that was made to be read. */
    fun readMiddle(source: ImageView): List<Float> = stackPush().use { stack ->
        val handle = stack.mallocLong(1)
        val info = VkBufferCreateInfo.calloc(stack).`sType$Default`().size(8).usage(VK_BUFFER_USAGE_TRANSFER_DST_BIT)
        ok(vkCreateBuffer(device, info, null, handle))
        val buffer = handle[0]
        closers += { vkDestroyBuffer(device, buffer, null) }
        val needs = VkMemoryRequirements.calloc(stack)
        vkGetBufferMemoryRequirements(device, buffer, needs)
        val memory = memory(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT or VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
        ok(vkBindBufferMemory(device, buffer, memory, 0))
        submit { command ->
            barrier(command, source.image, source.layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)
            val region = VkBufferImageCopy.calloc(1, stack)
            region[0].imageSubresource().set(VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1)
            region[0].imageOffset().set(source.extent.width / 2, source.extent.height / 2, 0)
            region[0].imageExtent().set(1, 1, 1)
            vkCmdCopyImageToBuffer(command, source.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, region)
            barrier(command, source.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, source.layout)
        }
        val address = stack.mallocPointer(1)
        ok(vkMapMemory(device, memory, 0, 8, 0, address))
        val halves = address.getShortBuffer(0, 4)
        List(4) { floatOfHalf(halves[it].toInt() and 0xffff) }.also { vkUnmapMemory(device, memory) }
    }

    private fun floatOfHalf(bits: Int): Float {
        val exponent = bits shr 10 and 31
        val fraction = (bits and 1023) / 1024f
        val size = if (exponent == 0) fraction * Math.scalb(1f, -14) else (1 + fraction) * Math.scalb(1f, exponent - 15)
        return if (bits and 0x8000 != 0) -size else size
    }

    private fun memory(needs: VkMemoryRequirements, properties: Int): Long = stackPush().use { stack ->
        val kinds = VkPhysicalDeviceMemoryProperties.calloc(stack)
        vkGetPhysicalDeviceMemoryProperties(physicalDevice, kinds)
        val kind = (0 until kinds.memoryTypeCount()).first {
            needs.memoryTypeBits() shr it and 1 == 1 && kinds.memoryTypes(it).propertyFlags() and properties == properties
        }
        val info = VkMemoryAllocateInfo.calloc(stack).`sType$Default`().allocationSize(needs.size()).memoryTypeIndex(kind)
        val handle = stack.mallocLong(1)
        ok(vkAllocateMemory(device, info, null, handle))
        val memory = handle[0]
        closers += { vkFreeMemory(device, memory, null) }
        memory
    }

    private fun barrier(command: VkCommandBuffer, image: Long, from: Int, to: Int) = stackPush().use { stack ->
        val barriers = VkImageMemoryBarrier.calloc(1, stack)
        barriers[0].`sType$Default`().image(image).oldLayout(from).newLayout(to)
            .srcQueueFamilyIndex(VK_QUEUE_FAMILY_IGNORED).dstQueueFamilyIndex(VK_QUEUE_FAMILY_IGNORED)
            .srcAccessMask(VK_ACCESS_MEMORY_WRITE_BIT).dstAccessMask(VK_ACCESS_MEMORY_READ_BIT or VK_ACCESS_MEMORY_WRITE_BIT)
        barriers[0].subresourceRange().set(VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1)
        val all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
        vkCmdPipelineBarrier(command, all, all, 0, null, null, barriers)
    }

    private fun ok(result: Int) = check(result == VK_SUCCESS) { "Vulkan answered $result" }

    override fun close() {
        vkDeviceWaitIdle(device)
        closers.reversed().forEach { it() }
        vkDestroyCommandPool(device, pool, null)
        vkDestroyDevice(device, null)
        vkDestroyInstance(instance, null)
    }
}
