package reconstruction.field

import field.host.Renderer
import reconstruction.DeviceFeature
import reconstruction.DeviceLost
import reconstruction.VulkanHost
import java.lang.ref.WeakReference
import java.util.WeakHashMap

/**
 * The connection of one renderer: made by the first question or context, closed when the last context is gone and the
 * frames that used it have finished.
 */
internal class RendererConnection private constructor(renderer: Renderer) {
    private val renderer = WeakReference(renderer)
    private val host = VulkanHost(
        renderer.instance,
        renderer.physicalDevice,
        renderer.device,
        renderer.queueFamily,
        renderer.framesInFlight,
        FEATURES.filterKeys { it in renderer.enabledFeatures }.values.toSet(),
    )
    private val named = HashMap<String, WeakReference<DlssReconstruction>>()

    /** Contexts and answers whose frames may still run. */
    private var users = 0

    /** Asks something that makes no context. */
    fun <T> ask(question: (VulkanHost) -> T): T {
        users++
        try {
            return question(host)
        } finally {
            leave()
        }
    }

    /** Makes a context; [retire] follows when it is closed. */
    fun <T> open(make: (VulkanHost) -> T): T {
        users++
        try {
            return make(host)
        } catch (error: Throwable) {
            leave()
            throw error
        }
    }

    /** Closes the older one of the same name, whose images [newer] has taken over already where they fit. */
    fun adopt(newer: DlssReconstruction) {
        val name = newer.name ?: return
        named.put(name, WeakReference(newer))?.get()?.close()
    }

    fun retire(closed: DlssReconstruction) {
        if (named[closed.name]?.get() === closed) named.remove(closed.name)
        leave()
    }

    private fun leave() {
        val renderer = renderer.get() ?: return
        renderer.cleanup {
            users--
            if (users == 0) {
                byRenderer.remove(renderer, this)
                try {
                    host.close()
                } catch (_: DeviceLost) {
                    // Nothing of the device is left to free, and every context has said so.
                }
            } else if (!renderer.deviceLost) {
                host.collect(renderer.lastFinishedFrame)
            }
        }
    }

    companion object {
        private val byRenderer = WeakHashMap<Renderer, RendererConnection>()

        private val FEATURES = mapOf(
            "shaderInt8" to DeviceFeature.SHADER_INT8,
            "storageBuffer8BitAccess" to DeviceFeature.STORAGE_BUFFER_8BIT,
            // Not dot products: Debian 12's validation layer misses that feature in VkPhysicalDeviceVulkan13Features.
            "cooperativeMatrix" to DeviceFeature.COOPERATIVE_MATRIX,
            "subgroupSizeControl" to DeviceFeature.SUBGROUP_SIZE_CONTROL,
        )

        fun of(renderer: Renderer): RendererConnection = byRenderer.getOrPut(renderer) { RendererConnection(renderer) }
    }
}
