package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.KHRSurface.*
import org.lwjgl.vulkan.KHRSwapchain.*
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkImageBlit
import org.lwjgl.vulkan.VkPresentInfoKHR
import org.lwjgl.vulkan.VkQueue
import org.lwjgl.vulkan.VkSemaphoreCreateInfo
import org.lwjgl.vulkan.VkSurfaceCapabilitiesKHR
import org.lwjgl.vulkan.VkSurfaceFormatKHR
import org.lwjgl.vulkan.VkSwapchainCreateInfoKHR

/** Copies the screen to a swapchain that follows the window's size. */
internal class Presentation(
    private val renderer: Renderer, private val surface: Long, private val windowSize: () -> Extent,
) : AutoCloseable {
    private val device = renderer.device
    private val acquired = List(renderer.framesInFlight) { semaphore() }
    private var swapchain = 0L
    private var extent = Extent(0, 0)
    private var images: List<ImageView> = emptyList()

    // One for each image: an image comes back only after its last presentation has waited for it.
    private var rendered: List<Long> = emptyList()
    private var image = 0
    private var stale = true

    fun acquired(index: Int): Long = acquired[index]

    fun rendered(): Long = rendered[image]

    /** Takes the next image for frame slot [index]; false when there is none to draw to at the moment. */
    fun acquire(index: Int): Boolean = stackPush().use { stack ->
        if (stale || windowSize() != extent) recreate()
        if (swapchain == 0L) return false
        val number = stack.mallocInt(1)
        when (val result = vkAcquireNextImageKHR(device, swapchain, Long.MAX_VALUE, acquired[index], 0L, number)) {
            VK_ERROR_OUT_OF_DATE_KHR -> {
                stale = true
                return false
            }
            VK_SUBOPTIMAL_KHR -> stale = true
            else -> expectSuccess(result, "vkAcquireNextImageKHR")
        }
        image = number[0]
        true
    }

    /** Appends the copy of [screen], scaled to the window. */
    fun record(command: VkCommandBuffer, screen: ImageView) {
        val shown = images[image]
        // The submission waits for the acquired image at the transfer stage.
        layoutBarrier(
            command, shown, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
            Access.TRANSFER_READ, Access.TRANSFER_WRITE,
        )
        layoutBarrier(
            command, screen, screen.layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, Access.ALL_BEFORE, Access.TRANSFER_READ,
        )
        stackPush().use { stack ->
            val blit = VkImageBlit.calloc(1, stack)
            blit[0].srcSubresource().aspectMask(VK_IMAGE_ASPECT_COLOR_BIT).layerCount(1)
            blit[0].dstSubresource().aspectMask(VK_IMAGE_ASPECT_COLOR_BIT).layerCount(1)
            blit[0].srcOffsets(1).set(screen.extent.width, screen.extent.height, 1)
            blit[0].dstOffsets(1).set(extent.width, extent.height, 1)
            vkCmdBlitImage(
                command, screen.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                shown.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, blit, VK_FILTER_LINEAR,
            )
        }
        layoutBarrier(
            command, screen, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, screen.layout, Access.TRANSFER_READ, Access.ALL_AFTER,
        )
        layoutBarrier(
            command, shown, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
            Access.TRANSFER_WRITE, Access.ALL_AFTER,
        )
    }

    fun present(queue: VkQueue) = stackPush().use { stack ->
        val info = VkPresentInfoKHR.calloc(stack).`sType$Default`()
            .pWaitSemaphores(stack.longs(rendered())).swapchainCount(1)
            .pSwapchains(stack.longs(swapchain)).pImageIndices(stack.ints(image))
        when (val result = vkQueuePresentKHR(queue, info)) {
            VK_ERROR_OUT_OF_DATE_KHR, VK_SUBOPTIMAL_KHR -> stale = true
            else -> expectSuccess(result, "vkQueuePresentKHR")
        }
    }

    private fun recreate() = stackPush().use { stack ->
        vkDeviceWaitIdle(device)
        val limits = VkSurfaceCapabilitiesKHR.calloc(stack)
        expectSuccess(
            vkGetPhysicalDeviceSurfaceCapabilitiesKHR(renderer.physicalDevice, surface, limits), "surface capabilities",
        )
        val size = windowSize()
        val old = swapchain
        val width = size.width.coerceIn(limits.minImageExtent().width(), limits.maxImageExtent().width())
        val height = size.height.coerceIn(limits.minImageExtent().height(), limits.maxImageExtent().height())
        swapchain = 0L
        if (width > 0 && height > 0) {
            val format = chooseFormat()
            val most = if (limits.maxImageCount() == 0) Int.MAX_VALUE else limits.maxImageCount()
            val info = VkSwapchainCreateInfoKHR.calloc(stack).`sType$Default`()
                .surface(surface).minImageCount(minOf(maxOf(limits.minImageCount(), 3), most))
                .imageFormat(format.first).imageColorSpace(format.second).imageArrayLayers(1)
                .imageUsage(VK_IMAGE_USAGE_TRANSFER_DST_BIT).imageSharingMode(VK_SHARING_MODE_EXCLUSIVE)
                .preTransform(limits.currentTransform()).compositeAlpha(VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR)
                .presentMode(VK_PRESENT_MODE_FIFO_KHR).clipped(true).oldSwapchain(old)
            info.imageExtent().set(width, height)
            val handle = stack.mallocLong(1)
            expectSuccess(vkCreateSwapchainKHR(device, info, null, handle), "vkCreateSwapchainKHR")
            swapchain = handle[0]
            images = swapchainImages(format.first, Extent(width, height))
        }
        if (old != 0L) vkDestroySwapchainKHR(device, old, null)
        rendered.forEach { vkDestroySemaphore(device, it, null) }
        rendered = List(images.size) { semaphore() }
        extent = size
        stale = false
    }

    private fun swapchainImages(format: Int, size: Extent): List<ImageView> = stackPush().use { stack ->
        val count = stack.mallocInt(1)
        vkGetSwapchainImagesKHR(device, swapchain, count, null)
        val handles = LongArray(count[0])
        vkGetSwapchainImagesKHR(device, swapchain, intArrayOf(handles.size), handles)
        handles.map {
            ImageView(
                0L, it, format, size, VK_IMAGE_USAGE_TRANSFER_DST_BIT, 1, 1, 1, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, device,
            ) { true }
        }
    }

    // The screen is sRGB encoded already, so a format that encodes once more would brighten it.
    private fun chooseFormat(): Pair<Int, Int> = stackPush().use { stack ->
        val count = stack.mallocInt(1)
        vkGetPhysicalDeviceSurfaceFormatsKHR(renderer.physicalDevice, surface, count, null)
        VkSurfaceFormatKHR.calloc(count[0]).use { all ->
            vkGetPhysicalDeviceSurfaceFormatsKHR(renderer.physicalDevice, surface, count, all)
            val plain = setOf(VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM)
            val chosen = all.firstOrNull { it.format() in plain } ?: all.first()
            chosen.format() to chosen.colorSpace()
        }
    }

    private fun semaphore(): Long = stackPush().use { stack ->
        val handle = stack.mallocLong(1)
        expectSuccess(
            vkCreateSemaphore(device, VkSemaphoreCreateInfo.calloc(stack).`sType$Default`(), null, handle), "vkCreateSemaphore",
        )
        handle[0]
    }

    override fun close() {
        if (swapchain != 0L) vkDestroySwapchainKHR(device, swapchain, null)
        (rendered + acquired).forEach { vkDestroySemaphore(device, it, null) }
    }
}
