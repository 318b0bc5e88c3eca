package reconstruction.vulkan

import org.lwjgl.PointerBuffer
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.MemoryUtil.memUTF8
import org.lwjgl.vulkan.EXTDebugUtils.*
import org.lwjgl.vulkan.EXTValidationFeatures.VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VK11.VK_API_VERSION_1_1
import org.lwjgl.vulkan.VkApplicationInfo
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkCommandBufferAllocateInfo
import org.lwjgl.vulkan.VkCommandBufferBeginInfo
import org.lwjgl.vulkan.VkCommandPoolCreateInfo
import org.lwjgl.vulkan.VkDebugUtilsMessengerCallbackDataEXT
import org.lwjgl.vulkan.VkDebugUtilsMessengerCallbackEXT
import org.lwjgl.vulkan.VkDebugUtilsMessengerCreateInfoEXT
import org.lwjgl.vulkan.VkDevice
import org.lwjgl.vulkan.VkDeviceCreateInfo
import org.lwjgl.vulkan.VkDeviceQueueCreateInfo
import org.lwjgl.vulkan.VkInstance
import org.lwjgl.vulkan.VkInstanceCreateInfo
import org.lwjgl.vulkan.VkPhysicalDevice
import org.lwjgl.vulkan.VkQueue
import org.lwjgl.vulkan.VkSubmitInfo
import org.lwjgl.vulkan.VkValidationFeaturesEXT
import java.util.Collections

/** The smallest plain LWJGL program: one device of one software driver, one queue, validation with synchronisation. */
class TestDevice(driver: SoftwareDriver, private val isValidated: Boolean = true) : AutoCloseable {
    val messages: MutableList<String> = Collections.synchronizedList(ArrayList())
    private val callback = VkDebugUtilsMessengerCallbackEXT.create { _, _, data, _ ->
        messages += memUTF8(VkDebugUtilsMessengerCallbackDataEXT.create(data).pMessage()!!)
        VK_FALSE
    }
    val instance: VkInstance
    val physicalDevice: VkPhysicalDevice
    val device: VkDevice
    val queueFamily = 0
    private val messenger: Long
    private val queue: VkQueue
    private val pool: Long

    init {
        driver.select()
        instance = createInstance()
        messenger = watch()
        physicalDevice = firstPhysicalDevice()
        device = createDevice()
        stackPush().use { stack ->
            val pointer = stack.mallocPointer(1)
            vkGetDeviceQueue(device, queueFamily, 0, pointer)
            queue = VkQueue(pointer[0], device)
            val handle = stack.mallocLong(1)
            ok(vkCreateCommandPool(device, VkCommandPoolCreateInfo.calloc(stack).`sType$Default`(), null, handle))
            pool = handle[0]
        }
    }

    private fun createInstance(): VkInstance = stackPush().use { stack ->
        val synchronisation = VkValidationFeaturesEXT.calloc(stack).`sType$Default`()
            .pEnabledValidationFeatures(stack.ints(VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT))
        val info = VkInstanceCreateInfo.calloc(stack).`sType$Default`()
            .pApplicationInfo(VkApplicationInfo.calloc(stack).`sType$Default`().apiVersion(VK_API_VERSION_1_1))
        if (isValidated) {
            info.pNext(synchronisation)
                .ppEnabledLayerNames(stack.pointers(stack.UTF8("VK_LAYER_KHRONOS_validation")))
                .ppEnabledExtensionNames(stack.pointers(stack.UTF8(VK_EXT_DEBUG_UTILS_EXTENSION_NAME)))
        }
        val pointer = stack.mallocPointer(1)
        ok(vkCreateInstance(info, null, pointer))
        VkInstance(pointer[0], info)
    }

    private fun watch(): Long = if (!isValidated) 0L else stackPush().use { stack ->
        val info = VkDebugUtilsMessengerCreateInfoEXT.calloc(stack).`sType$Default`()
            .messageSeverity(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT or VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
            .messageType(VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)
            .pfnUserCallback(callback)
        val handle = stack.mallocLong(1)
        ok(vkCreateDebugUtilsMessengerEXT(instance, info, null, handle))
        handle[0]
    }

    private fun firstPhysicalDevice(): VkPhysicalDevice = stackPush().use { stack ->
        val count = stack.ints(1)
        val pointer = stack.mallocPointer(1)
        ok(vkEnumeratePhysicalDevices(instance, count, pointer))
        VkPhysicalDevice(pointer[0], instance)
    }

    private fun createDevice(): VkDevice = stackPush().use { stack ->
        val queues = VkDeviceQueueCreateInfo.calloc(1, stack)
        queues[0].`sType$Default`().queueFamilyIndex(queueFamily).pQueuePriorities(stack.floats(1f))
        val info = VkDeviceCreateInfo.calloc(stack).`sType$Default`().pQueueCreateInfos(queues)
        val pointer = stack.mallocPointer(1)
        ok(vkCreateDevice(physicalDevice, info, null, pointer))
        VkDevice(pointer[0], physicalDevice, info)
    }

    /** Records commands, runs them and waits until they have finished. When [block] throws, nothing runs. */
    fun <T> submit(block: (VkCommandBuffer) -> T): T = stackPush().use { stack ->
        val allocation = VkCommandBufferAllocateInfo.calloc(stack).`sType$Default`()
            .commandPool(pool).level(VK_COMMAND_BUFFER_LEVEL_PRIMARY).commandBufferCount(1)
        val pointer: PointerBuffer = stack.mallocPointer(1)
        ok(vkAllocateCommandBuffers(device, allocation, pointer))
        val command = VkCommandBuffer(pointer[0], device)
        try {
            ok(vkBeginCommandBuffer(command, VkCommandBufferBeginInfo.calloc(stack).`sType$Default`()))
            block(command).also { finish(command) }
        } finally {
            vkFreeCommandBuffers(device, pool, command)
        }
    }

    /** Ends a recorded command buffer, runs it and waits. From any thread: the queue belongs to one at a time. */
    fun finish(command: VkCommandBuffer): Unit = stackPush().use { stack ->
        ok(vkEndCommandBuffer(command))
        val info = VkSubmitInfo.calloc(stack).`sType$Default`().pCommandBuffers(stack.pointers(command))
        synchronized(queue) {
            ok(vkQueueSubmit(queue, info, VK_NULL_HANDLE))
            ok(vkQueueWaitIdle(queue))
        }
    }

    override fun close() {
        vkDeviceWaitIdle(device)
        vkDestroyCommandPool(device, pool, null)
        vkDestroyDevice(device, null)
        if (isValidated) vkDestroyDebugUtilsMessengerEXT(instance, messenger, null)
        vkDestroyInstance(instance, null)
        callback.free()
    }

    companion object {
        fun ok(result: Int) = check(result == VK_SUCCESS) { "Vulkan answered $result" }
    }
}
