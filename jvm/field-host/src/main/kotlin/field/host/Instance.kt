package field.host

import org.lwjgl.PointerBuffer
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.MemoryUtil.memUTF8
import org.lwjgl.vulkan.EXTDebugUtils.*
import org.lwjgl.vulkan.EXTValidationFeatures.*
import org.lwjgl.vulkan.VK
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VK11.VK_API_VERSION_1_1
import org.lwjgl.vulkan.VK13.VK_API_VERSION_1_3
import org.lwjgl.vulkan.VkApplicationInfo
import org.lwjgl.vulkan.VkDebugUtilsMessengerCallbackDataEXT
import org.lwjgl.vulkan.VkDebugUtilsMessengerCallbackEXT
import org.lwjgl.vulkan.VkDebugUtilsMessengerCreateInfoEXT
import org.lwjgl.vulkan.VkInstance
import org.lwjgl.vulkan.VkInstanceCreateInfo
import org.lwjgl.vulkan.VkLayerProperties
import org.lwjgl.vulkan.VkValidationFeaturesEXT
import java.util.Collections

/** A VkInstance, with the validation layer (core and synchronisation) when asked for. */
internal class Instance(validation: Boolean, windowExtensions: List<String>) : AutoCloseable {
    val vk: VkInstance

    /** Highest Vulkan version that both loader and host use, as VK_MAKE_API_VERSION packs it. */
    val apiVersion: Int

    /** One line per message; drivers may report from their own threads. */
    val messages: MutableList<String> = Collections.synchronizedList(ArrayList())
    private val callback: VkDebugUtilsMessengerCallbackEXT?
    private var messenger = 0L

    init {
        SoftwareDrivers.offer()
        apiVersion = minOf(loaderVersion(), VK_API_VERSION_1_3)
        if (apiVersion < VK_API_VERSION_1_1) {
            throw HostException("Vulkan loader: expected version 1.1 or newer, got 1.0; update libvulkan1")
        }
        if (validation && LAYER !in layers()) {
            throw HostException("validation = true: layer $LAYER is not installed; install vulkan-validationlayers")
        }
        callback = if (validation) VkDebugUtilsMessengerCallbackEXT.create(::onMessage) else null
        vk = create(windowExtensions + if (validation) listOf(VK_EXT_DEBUG_UTILS_EXTENSION_NAME) else emptyList())
        callback?.let { watch(it) }
    }

    private fun create(extensions: List<String>): VkInstance = stackPush().use { stack ->
        val application = VkApplicationInfo.calloc(stack).`sType$Default`()
            .pApplicationName(stack.UTF8("field-host"))
            .apiVersion(apiVersion)
        val info = VkInstanceCreateInfo.calloc(stack).`sType$Default`()
            .pApplicationInfo(application)
            .ppEnabledExtensionNames(stack.names(extensions))
        if (callback != null) {
            info.ppEnabledLayerNames(stack.names(listOf(LAYER)))
            info.pNext(
                VkValidationFeaturesEXT.calloc(stack).`sType$Default`()
                    .pEnabledValidationFeatures(
                        stack.ints(VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT),
                    ),
            )
        }
        val handle = stack.mallocPointer(1)
        val result = vkCreateInstance(info, null, handle)
        if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
            throw HostException("no Vulkan device: the loader finds no driver; install mesa-vulkan-drivers or correct VK_DRIVER_FILES")
        }
        expectSuccess(result, "vkCreateInstance")
        VkInstance(handle[0], info)
    }

    private fun watch(callback: VkDebugUtilsMessengerCallbackEXT) = stackPush().use { stack ->
        val info = VkDebugUtilsMessengerCreateInfoEXT.calloc(stack).`sType$Default`()
            .messageSeverity(
                VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT or VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
            )
            .messageType(VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)
            .pfnUserCallback(callback)
        val handle = stack.mallocLong(1)
        expectSuccess(vkCreateDebugUtilsMessengerEXT(vk, info, null, handle), "vkCreateDebugUtilsMessengerEXT")
        messenger = handle[0]
    }

    @Suppress("UNUSED_PARAMETER")
    private fun onMessage(severity: Int, types: Int, data: Long, userData: Long): Int {
        messages.add(memUTF8(VkDebugUtilsMessengerCallbackDataEXT.create(data).pMessage()!!))
        return VK_FALSE
    }

    override fun close() {
        if (messenger != 0L) vkDestroyDebugUtilsMessengerEXT(vk, messenger, null)
        vkDestroyInstance(vk, null)
        callback?.free()
    }

    private companion object {
        const val LAYER = "VK_LAYER_KHRONOS_validation"

        fun loaderVersion(): Int = try {
            VK.getInstanceVersionSupported()
        } catch (error: LinkageError) {
            throw HostException("no Vulkan loader: ${error.message}; install libvulkan1")
        }

        fun layers(): Set<String> = stackPush().use { stack ->
            val count = stack.mallocInt(1)
            vkEnumerateInstanceLayerProperties(count, null)
            VkLayerProperties.calloc(count[0]).use { all ->
                vkEnumerateInstanceLayerProperties(count, all)
                all.map { it.layerNameString() }.toSet()
            }
        }
    }
}

/** A pointer array of a few names; lists of unknown length do not belong on the stack. */
internal fun org.lwjgl.system.MemoryStack.names(names: List<String>): PointerBuffer? {
    if (names.isEmpty()) return null
    val pointers = mallocPointer(names.size)
    names.forEach { pointers.put(UTF8(it)) }
    return pointers.flip()
}
