package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.MemoryUtil.memAllocPointer
import org.lwjgl.system.MemoryUtil.memFree
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VK11.VK_API_VERSION_1_1
import org.lwjgl.vulkan.VkInstance
import org.lwjgl.vulkan.VkPhysicalDevice
import org.lwjgl.vulkan.VkPhysicalDeviceProperties
import org.lwjgl.vulkan.VkQueueFamilyProperties

/** What is known of a device before it is opened. */
class DeviceInfo internal constructor(
    val name: String,
    /** "discrete", "integrated", "virtual", "CPU" or "other". */
    val type: String,
    /** As VK_MAKE_API_VERSION packs it. */
    val apiVersion: Int,
    internal val rank: Int,
    internal val vk: VkPhysicalDevice,
    /** A family with graphics, compute and, with a window, presentation; -1 when there is none. */
    internal val queueFamily: Int,
    internal val timestamps: Timestamps,
) {
    internal val isUsable get() = apiVersion >= VK_API_VERSION_1_1 && queueFamily >= 0

    override fun toString(): String =
        "$name ($type, Vulkan ${VK_VERSION_MAJOR(apiVersion)}.${VK_VERSION_MINOR(apiVersion)})"
}

/** [bits] of a timestamp count, 0 when the queue has none; a tick takes [nanoseconds]. */
internal class Timestamps(val bits: Int, val nanoseconds: Float) {
    companion object {
        val NONE = Timestamps(0, 0f)
    }
}

/** Chooses a device: by a part of its name, else discrete before integrated before virtual before CPU. */
internal object DevicePick {
    fun pick(instance: VkInstance, namePart: String?, canPresent: (VkPhysicalDevice, Int) -> Boolean): DeviceInfo {
        val all = list(instance, canPresent)
        val usable = all.filter { it.isUsable }
        if (usable.isEmpty()) {
            throw HostException(
                "no Vulkan device: expected one with Vulkan 1.1 and a graphics queue, got " +
                    "${all.ifEmpty { "none" }}; install mesa-vulkan-drivers for a software driver",
            )
        }
        if (namePart == null) return usable.minByOrNull { it.rank }!!
        return usable.filter { it.name.contains(namePart, ignoreCase = true) }.minByOrNull { it.rank }
            ?: throw HostException(
                "device: expected a part of the name of one of ${usable.map { it.name }}, got '$namePart'; give one of these, or none",
            )
    }

    private fun list(instance: VkInstance, canPresent: (VkPhysicalDevice, Int) -> Boolean): List<DeviceInfo> =
        stackPush().use { stack ->
            val count = stack.mallocInt(1)
            vkEnumeratePhysicalDevices(instance, count, null)
            if (count[0] == 0) return emptyList()
            val handles = memAllocPointer(count[0])
            try {
                vkEnumeratePhysicalDevices(instance, count, handles)
                (0 until count[0]).map { describe(VkPhysicalDevice(handles[it], instance), canPresent) }
            } finally {
                memFree(handles)
            }
        }

    private fun describe(device: VkPhysicalDevice, canPresent: (VkPhysicalDevice, Int) -> Boolean): DeviceInfo =
        VkPhysicalDeviceProperties.calloc().use { properties ->
            vkGetPhysicalDeviceProperties(device, properties)
            val name = properties.deviceNameString()
            val (rank, type) = when (properties.deviceType()) {
                VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU -> 0 to "discrete"
                VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU -> 1 to "integrated"
                VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU -> 2 to "virtual"
                // SwiftShader is there only because the host offers it; an installed driver goes first.
                VK_PHYSICAL_DEVICE_TYPE_CPU -> (if (SoftwareDrivers.SWIFTSHADER in name) 4 else 3) to "CPU"
                else -> 5 to "other"
            }
            val family = families(device).withIndex().firstOrNull { (index, family) ->
                family.flags and GRAPHICS_COMPUTE == GRAPHICS_COMPUTE && canPresent(device, index)
            }
            val timestamps = Timestamps(family?.value?.timestampBits ?: 0, properties.limits().timestampPeriod())
            DeviceInfo(name, type, properties.apiVersion(), rank, device, family?.index ?: -1, timestamps)
        }

    private class Family(val flags: Int, val timestampBits: Int)

    private fun families(device: VkPhysicalDevice): List<Family> = stackPush().use { stack ->
        val count = stack.mallocInt(1)
        vkGetPhysicalDeviceQueueFamilyProperties(device, count, null)
        VkQueueFamilyProperties.calloc(count[0]).use { all ->
            vkGetPhysicalDeviceQueueFamilyProperties(device, count, all)
            all.map { Family(it.queueFlags(), it.timestampValidBits()) }
        }
    }

    private const val GRAPHICS_COMPUTE = VK_QUEUE_GRAPHICS_BIT or VK_QUEUE_COMPUTE_BIT
}
