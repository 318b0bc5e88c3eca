package reconstruction.launcher

import org.lwjgl.system.APIUtil.apiClosureRetP
import org.lwjgl.system.APIUtil.apiCreateCIF
import org.lwjgl.system.CallbackI
import org.lwjgl.system.Configuration
import org.lwjgl.system.FunctionProvider
import org.lwjgl.system.JNI
import org.lwjgl.system.Library
import org.lwjgl.system.MemoryUtil.memASCII
import org.lwjgl.system.MemoryUtil.memAddress
import org.lwjgl.system.MemoryUtil.memGetAddress
import org.lwjgl.system.MemoryUtil.memPutInt
import org.lwjgl.system.Pointer.POINTER_SIZE
import org.lwjgl.system.libffi.FFICIF
import org.lwjgl.system.libffi.LibFFI.FFI_DEFAULT_ABI
import org.lwjgl.system.libffi.LibFFI.ffi_type_pointer
import org.lwjgl.vulkan.VK
import org.lwjgl.vulkan.VkFreeFunction
import org.lwjgl.vulkan.VkPhysicalDeviceLimits
import org.lwjgl.vulkan.VkPhysicalDeviceProperties
import java.nio.ByteBuffer

/**
 * The launcher on a device that seems to have too little shared memory: a tap in Vulkan's entry point lowers that one
 * limit for everybody who asks, the host and the engine alike. All else is the machine's own device.
 */
internal object SmallDevice {
    /** Bytes; the reconstruction needs 32768. */
    const val SHARED_MEMORY = 16384

    private const val ENTRY = "vkGetInstanceProcAddr"
    private const val TAPPED = "vkGetPhysicalDeviceProperties"

    @JvmStatic
    fun main(arguments: Array<String>) {
        Configuration.VULKAN_EXPLICIT_INIT.set(true)
        val loader = Library.loadNative(SmallDevice::class.java, "reconstruction", "libvulkan.so.1")
        val entry = loader.getFunctionAddress(ENTRY)
        var properties = 0L
        // LWJGL's name for any native function of two pointers that answers nothing.
        val lowered = VkFreeFunction.create { device, out ->
            JNI.callPPV(device, out, properties)
            val limits = VkPhysicalDeviceProperties.create(out).limits()
            memPutInt(limits.address() + VkPhysicalDeviceLimits.MAXCOMPUTESHAREDMEMORYSIZE, SHARED_MEMORY)
        }.address()
        val tap = NativeLookup { instance, name ->
            val found = JNI.callPPP(instance, name, entry)
            if (found != 0L && memASCII(name) == TAPPED) lowered.also { properties = found } else found
        }.address()
        VK.create(object : FunctionProvider {
            override fun getFunctionAddress(name: ByteBuffer): Long =
                if (memASCII(memAddress(name)) == ENTRY) tap else loader.getFunctionAddress(name)
        })
        reconstruction.launcher.main(arguments)
    }

    /** A native function of an object and a name that answers an address. */
    private class NativeLookup(private val find: (owner: Long, name: Long) -> Long) : CallbackI {
        override fun getCallInterface(): FFICIF = SIGNATURE

        override fun callback(result: Long, arguments: Long) {
            fun argument(index: Int) = memGetAddress(memGetAddress(arguments + index * POINTER_SIZE))
            apiClosureRetP(result, find(argument(0), argument(1)))
        }

        private companion object {
            val SIGNATURE: FFICIF = apiCreateCIF(FFI_DEFAULT_ABI, ffi_type_pointer, ffi_type_pointer, ffi_type_pointer)
        }
    }
}
