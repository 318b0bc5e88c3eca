package reconstruction

import org.lwjgl.vulkan.VK
import org.lwjgl.vulkan.VkDevice
import org.lwjgl.vulkan.VkInstance
import org.lwjgl.vulkan.VkPhysicalDevice
import reconstruction.internal.HostConnection
import reconstruction.internal.HostHandles
import reconstruction.internal.NativeLibrary
import reconstruction.internal.Natives

/**
 * What a plain LWJGL program gives the reconstruction: its device, and what only it knows about its frames.
 *
 * Making one loads nothing and never fails; the native library is loaded by the first `support`, `recommend` or
 * context. The library never creates a device, never submits and never waits. Close the host before the device, when
 * the device is idle. Any thread may call, one at a time.
 */
class VulkanHost internal constructor(handles: HostHandles, library: () -> Natives) : AutoCloseable {
    /**
     * @param queueFamily family of the queue that runs the recorded commands; it must have compute
     * @param framesInFlight frames that may run on the device while the next is recorded, 1..8
     * @param enabledFeatures optional features enabled on [device]
     */
    constructor(
        instance: VkInstance,
        physicalDevice: VkPhysicalDevice,
        device: VkDevice,
        queueFamily: Int,
        framesInFlight: Int = 2,
        enabledFeatures: Set<DeviceFeature> = emptySet(),
    ) : this(
        HostHandles(
            instance = instance.address(),
            physicalDevice = physicalDevice.address(),
            device = device.address(),
            getInstanceProcAddr = VK.getFunctionProvider().getFunctionAddress("vkGetInstanceProcAddr"),
            apiVersion = minOf(instance.capabilities.apiVersion, device.capabilities.apiVersion),
            queueFamily = queueFamily,
            framesInFlight = framesInFlight,
            enabledFeatures = enabledFeatures.fold(0) { bits, feature -> bits or (1 shl feature.code) },
        ),
        { NativeLibrary.shared },
    )

    internal val connection = HostConnection(handles, library)

    /** Contexts that were given a name, by name. */
    internal val named = HashMap<String, DlssReconstruction>()

    /**
     * Frees the memory of closed contexts whose frames have finished.
     *
     * @param lastFinishedFrame the host's number of the last frame whose commands the device has finished, 0 before
     *   the first, or [LOST]
     */
    fun collect(lastFinishedFrame: Number) {
        connection.collect(frameNumber("lastFinishedFrame", lastFinishedFrame))
    }

    /** Closes every context of this host and frees their memory at once: the device must be idle, or lost. Idempotent. */
    override fun close() {
        synchronized(connection.lock) {
            named.clear()
            connection.close()
        }
    }

    override fun toString(): String =
        "VulkanHost(device 0x${java.lang.Long.toHexString(connection.handles.device)}" +
            "${if (connection.isClosed) ", closed" else ""})"

    companion object {
        /** Given instead of a last finished frame: the device is lost. Only the host can say so, since it submits. */
        const val LOST: Long = -1L

        internal fun frameNumber(name: String, value: Number): Long {
            if (value.toLong() == LOST && wholeOrNull(value) == LOST) return LOST
            return whole(name, value, 0..Long.MAX_VALUE)
        }
    }
}
