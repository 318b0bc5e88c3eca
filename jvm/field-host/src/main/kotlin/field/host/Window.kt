package field.host

import org.lwjgl.glfw.GLFW.*
import org.lwjgl.glfw.GLFWKeyCallback
import org.lwjgl.glfw.GLFWVulkan.glfwCreateWindowSurface
import org.lwjgl.glfw.GLFWVulkan.glfwGetPhysicalDevicePresentationSupport
import org.lwjgl.glfw.GLFWVulkan.glfwGetRequiredInstanceExtensions
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.KHRSurface.vkDestroySurfaceKHR
import org.lwjgl.vulkan.VkInstance
import org.lwjgl.vulkan.VkPhysicalDevice

/** The preview window. GLFW wants its calls from the thread that made it. */
internal class Window(title: String, extent: Extent, private val onKey: (Char) -> Unit) : AutoCloseable {
    internal val handle: Long
    private val keys: GLFWKeyCallback
    private var instance: VkInstance? = null
    private var surface = 0L
    val instanceExtensions: List<String>

    var presentation: Presentation? = null
        private set

    init {
        // Without a Wayland session GLFW would try it first, and libwayland complains on standard error.
        if (System.getenv("WAYLAND_DISPLAY").isNullOrEmpty()) glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11)
        if (!glfwInit()) throw HostException("window: GLFW finds no display; set DISPLAY or leave the window out")
        val required = glfwGetRequiredInstanceExtensions()
        glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API)
        handle = if (required == null) 0L else glfwCreateWindow(extent.width, extent.height, title, 0L, 0L)
        if (required == null || handle == 0L) {
            glfwTerminate()
            throw HostException("window: this display cannot show Vulkan; leave the window out")
        }
        instanceExtensions = (0 until required.capacity()).map { required.getStringASCII(it) }
        keys = GLFWKeyCallback.create { _, key, _, action, _ ->
            if (action == GLFW_PRESS && key in GLFW_KEY_A..GLFW_KEY_Z) onKey('a' + (key - GLFW_KEY_A))
        }
        glfwSetKeyCallback(handle, keys)
    }

    fun createSurface(instance: VkInstance) = stackPush().use { stack ->
        val created = stack.mallocLong(1)
        expectSuccess(glfwCreateWindowSurface(instance, handle, null, created), "glfwCreateWindowSurface")
        surface = created[0]
        this.instance = instance
    }

    fun destroySurface(instance: VkInstance) = vkDestroySurfaceKHR(instance, surface, null)

    fun canPresent(device: VkPhysicalDevice, family: Int): Boolean =
        glfwGetPhysicalDevicePresentationSupport(instance!!, device, family)

    fun present(renderer: Renderer): Presentation =
        Presentation(renderer, surface, ::size).also { presentation = it }

    fun poll() = glfwPollEvents()

    fun requestClose() = glfwSetWindowShouldClose(handle, true)

    val isOpen: Boolean get() = !glfwWindowShouldClose(handle)

    /** False while closed or minimised. */
    val isDrawable: Boolean get() = isOpen && size().let { it.width > 0 && it.height > 0 }

    private fun size(): Extent = stackPush().use { stack ->
        val (width, height) = stack.mallocInt(1) to stack.mallocInt(1)
        glfwGetFramebufferSize(handle, width, height)
        Extent(width[0], height[0])
    }

    override fun close() {
        glfwSetKeyCallback(handle, null)
        keys.free()
        glfwDestroyWindow(handle)
        glfwTerminate()
    }
}
