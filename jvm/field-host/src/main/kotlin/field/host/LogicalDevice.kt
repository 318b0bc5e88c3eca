package field.host

import org.lwjgl.system.MemoryStack
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.KHRCooperativeMatrix.VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VK11.vkGetPhysicalDeviceFeatures2
import org.lwjgl.vulkan.VK12.VK_API_VERSION_1_2
import org.lwjgl.vulkan.VK13.VK_API_VERSION_1_3
import org.lwjgl.vulkan.VkDevice
import org.lwjgl.vulkan.VkDeviceCreateInfo
import org.lwjgl.vulkan.VkDeviceQueueCreateInfo
import org.lwjgl.vulkan.VkExtensionProperties
import org.lwjgl.vulkan.VkPhysicalDevice
import org.lwjgl.vulkan.VkPhysicalDeviceCooperativeMatrixFeaturesKHR
import org.lwjgl.vulkan.VkPhysicalDeviceFeatures
import org.lwjgl.vulkan.VkPhysicalDeviceFeatures2
import org.lwjgl.vulkan.VkPhysicalDeviceVulkan11Features
import org.lwjgl.vulkan.VkPhysicalDeviceVulkan12Features
import org.lwjgl.vulkan.VkPhysicalDeviceVulkan13Features
import org.lwjgl.vulkan.VkQueue

/**
 * The opened device with one queue. Of the features below it enables those that the device has; [enabledFeatures]
 * lists them by Vulkan's own names, so that others never use what was not enabled.
 */
internal class LogicalDevice(
    info: DeviceInfo, instanceVersion: Int, window: Boolean, optionalFeatures: Boolean,
) : AutoCloseable {
    private class Feature<T>(val name: String, val has: (T) -> Boolean, val enable: (T) -> Unit)

    val vk: VkDevice
    val queue: VkQueue
    val apiVersion: Int = minOf(info.apiVersion, instanceVersion)
    val enabledFeatures: Set<String>
    val enabledExtensions: List<String>

    init {
        val present = extensions(info.vk)
        val cooperativeMatrix = optionalFeatures && apiVersion >= VK_API_VERSION_1_3 &&
            VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME in present
        enabledExtensions = listOfNotNull(
            SWAPCHAIN.takeIf { window },
            VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME.takeIf { cooperativeMatrix },
        )
        val enabled = LinkedHashSet<String>()
        vk = stackPush().use { stack ->
            val has = Chain(stack, cooperativeMatrix)
            vkGetPhysicalDeviceFeatures2(info.vk, has.root)
            val wanted = Chain(stack, cooperativeMatrix)
            enabled += copy(always, has.root.features(), wanted.root.features())
            if (optionalFeatures) {
                enabled += copy(optional10, has.root.features(), wanted.root.features())
                has.v11?.let { enabled += copy(optional11, it, wanted.v11!!) }
                has.v12?.let { enabled += copy(optional12, it, wanted.v12!!) }
                has.v13?.let { enabled += copy(optional13, it, wanted.v13!!) }
                has.matrix?.let { enabled += copy(optionalMatrix, it, wanted.matrix!!) }
            }
            create(stack, info, wanted)
        }
        enabledFeatures = enabled
        queue = stackPush().use { stack ->
            val handle = stack.mallocPointer(1)
            vkGetDeviceQueue(vk, info.queueFamily, 0, handle)
            VkQueue(handle[0], vk)
        }
    }

    private inner class Chain(stack: MemoryStack, cooperativeMatrix: Boolean) {
        val root: VkPhysicalDeviceFeatures2 = VkPhysicalDeviceFeatures2.calloc(stack).`sType$Default`()
        val v11 = if (apiVersion < VK_API_VERSION_1_2) null
        else VkPhysicalDeviceVulkan11Features.calloc(stack).`sType$Default`().also { root.pNext(it) }
        val v12 = if (apiVersion < VK_API_VERSION_1_2) null
        else VkPhysicalDeviceVulkan12Features.calloc(stack).`sType$Default`().also { root.pNext(it) }
        val v13 = if (apiVersion < VK_API_VERSION_1_3) null
        else VkPhysicalDeviceVulkan13Features.calloc(stack).`sType$Default`().also { root.pNext(it) }
        val matrix = if (!cooperativeMatrix) null
        else VkPhysicalDeviceCooperativeMatrixFeaturesKHR.calloc(stack).`sType$Default`().also { root.pNext(it) }
    }

    private fun <T> copy(features: List<Feature<T>>, has: T, wanted: T): List<String> =
        features.filter { it.has(has) }.onEach { it.enable(wanted) }.map { it.name }

    private fun create(stack: MemoryStack, info: DeviceInfo, wanted: Chain): VkDevice {
        val queues = VkDeviceQueueCreateInfo.calloc(1, stack)
        queues[0].`sType$Default`().queueFamilyIndex(info.queueFamily).pQueuePriorities(stack.floats(1f))
        val create = VkDeviceCreateInfo.calloc(stack).`sType$Default`()
            .pNext(wanted.root)
            .pQueueCreateInfos(queues)
            .ppEnabledExtensionNames(stack.names(enabledExtensions))
        val handle = stack.mallocPointer(1)
        expectSuccess(vkCreateDevice(info.vk, create, null, handle), "vkCreateDevice on ${info.name}")
        return VkDevice(handle[0], info.vk, create, apiVersion)
    }

    override fun close() {
        vkDestroyDevice(vk, null)
    }

    private companion object {
        const val SWAPCHAIN = "VK_KHR_swapchain"

        // Enabled without optionalFeatures too: a target with attachments of different kinds masks and blends each by itself.
        val always = listOf<Feature<VkPhysicalDeviceFeatures>>(
            Feature("independentBlend", { it.independentBlend() }, { it.independentBlend(true) }),
        )
        val optional10 = listOf<Feature<VkPhysicalDeviceFeatures>>(
            Feature("samplerAnisotropy", { it.samplerAnisotropy() }, { it.samplerAnisotropy(true) }),
            Feature("shaderInt16", { it.shaderInt16() }, { it.shaderInt16(true) }),
            Feature("shaderInt64", { it.shaderInt64() }, { it.shaderInt64(true) }),
            Feature(
                "shaderStorageImageExtendedFormats",
                { it.shaderStorageImageExtendedFormats() }, { it.shaderStorageImageExtendedFormats(true) },
            ),
        )
        val optional11 = listOf<Feature<VkPhysicalDeviceVulkan11Features>>(
            Feature("storageBuffer16BitAccess", { it.storageBuffer16BitAccess() }, { it.storageBuffer16BitAccess(true) }),
        )
        val optional12 = listOf<Feature<VkPhysicalDeviceVulkan12Features>>(
            Feature("storageBuffer8BitAccess", { it.storageBuffer8BitAccess() }, { it.storageBuffer8BitAccess(true) }),
            Feature("shaderInt8", { it.shaderInt8() }, { it.shaderInt8(true) }),
            Feature("shaderFloat16", { it.shaderFloat16() }, { it.shaderFloat16(true) }),
            Feature("vulkanMemoryModel", { it.vulkanMemoryModel() }, { it.vulkanMemoryModel(true) }),
            Feature("timelineSemaphore", { it.timelineSemaphore() }, { it.timelineSemaphore(true) }),
        )
        val optional13 = listOf<Feature<VkPhysicalDeviceVulkan13Features>>(
            Feature("shaderIntegerDotProduct", { it.shaderIntegerDotProduct() }, { it.shaderIntegerDotProduct(true) }),
            Feature("subgroupSizeControl", { it.subgroupSizeControl() }, { it.subgroupSizeControl(true) }),
            Feature("computeFullSubgroups", { it.computeFullSubgroups() }, { it.computeFullSubgroups(true) }),
            Feature("synchronization2", { it.synchronization2() }, { it.synchronization2(true) }),
            Feature("maintenance4", { it.maintenance4() }, { it.maintenance4(true) }),
        )
        val optionalMatrix = listOf<Feature<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>>(
            Feature("cooperativeMatrix", { it.cooperativeMatrix() }, { it.cooperativeMatrix(true) }),
        )

        fun extensions(device: VkPhysicalDevice): Set<String> = stackPush().use { stack ->
            val count = stack.mallocInt(1)
            vkEnumerateDeviceExtensionProperties(device, null as String?, count, null)
            VkExtensionProperties.calloc(count[0]).use { all ->
                vkEnumerateDeviceExtensionProperties(device, null as String?, count, all)
                all.map { it.extensionNameString() }.toSet()
            }
        }
    }
}
