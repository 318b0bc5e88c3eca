package reconstruction.launcher

import field.host.Renderer
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.VK_VERSION_MAJOR
import org.lwjgl.vulkan.VK10.VK_VERSION_MINOR
import org.lwjgl.vulkan.VK11.vkGetPhysicalDeviceProperties2
import org.lwjgl.vulkan.VK12.VK_API_VERSION_1_2
import org.lwjgl.vulkan.VkPhysicalDeviceDriverProperties
import org.lwjgl.vulkan.VkPhysicalDeviceProperties2

/** Name and version of the driver that [renderer] runs on. */
fun driverOf(renderer: Renderer): String = stackPush().use { stack ->
    val hasName = renderer.apiVersion >= VK_API_VERSION_1_2
    val driver = VkPhysicalDeviceDriverProperties.calloc(stack).`sType$Default`()
    val properties = VkPhysicalDeviceProperties2.calloc(stack).`sType$Default`()
    if (hasName) properties.pNext(driver)
    vkGetPhysicalDeviceProperties2(renderer.physicalDevice, properties)
    if (hasName) "${driver.driverNameString()} ${driver.driverInfoString()}".trim()
    else "version 0x%x".format(properties.properties().driverVersion())
}

/** The Vulkan version in use, such as "1.3". */
fun vulkanVersionOf(renderer: Renderer): String =
    "${VK_VERSION_MAJOR(renderer.apiVersion)}.${VK_VERSION_MINOR(renderer.apiVersion)}"
