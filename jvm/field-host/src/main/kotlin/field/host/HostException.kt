package field.host

import org.lwjgl.vulkan.VK10.VK_ERROR_DEVICE_LOST
import org.lwjgl.vulkan.VK10.VK_ERROR_OUT_OF_DEVICE_MEMORY
import org.lwjgl.vulkan.VK10.VK_SUCCESS

/** A fault of the host: one line that says what, where, expected, got and the remedy. */
open class HostException(message: String) : RuntimeException(message)

/** The Vulkan device is gone; the renderer can only be closed. */
class DeviceLostException(where: String) :
    HostException("$where: the Vulkan device was lost; close this renderer and make a new one")

internal fun expectSuccess(result: Int, call: String) {
    when (result) {
        VK_SUCCESS -> return
        VK_ERROR_DEVICE_LOST -> throw DeviceLostException(call)
        VK_ERROR_OUT_OF_DEVICE_MEMORY ->
            throw HostException("$call: out of device memory; use smaller targets or close unused ones")
        else -> throw HostException("$call: expected VK_SUCCESS, got error $result")
    }
}
