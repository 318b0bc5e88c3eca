package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.util.vma.Vma.*
import org.lwjgl.util.vma.VmaAllocatorCreateInfo
import org.lwjgl.util.vma.VmaBudget
import org.lwjgl.util.vma.VmaVulkanFunctions
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkDevice
import org.lwjgl.vulkan.VkInstance
import org.lwjgl.vulkan.VkPhysicalDevice
import org.lwjgl.vulkan.VkPhysicalDeviceProperties
import org.lwjgl.vulkan.VkQueue
import java.util.TreeSet

/**
 * A Vulkan device with one graphics queue, a list of what to draw, and a screen. Use it from one thread.
 *
 * @param deviceName part of a device's name; null takes the best (discrete, integrated, virtual, CPU).
 * @param validation turns the validation layer on (core and synchronisation); see [validationMessages].
 * @param window shows the screen in a window as well.
 * @param screenWidth size of [screen] in pixels.
 * @param optionalFeatures enables those features that only make other passes faster; see [enabledFeatures].
 */
class Renderer(
    deviceName: String? = null, val validation: Boolean = false, window: Boolean = false,
    screenWidth: Int = 640, screenHeight: Int = 360, optionalFeatures: Boolean = true,
) : AutoCloseable {
    private val teardown = ArrayDeque<() -> Unit>()
    private val vulkan: Instance
    private val opened: LogicalDevice
    private val slots: List<Submission>
    private val immediate: ArrayDeque<Submission> = ArrayDeque()
    private val allImmediate = ArrayList<Submission>()
    private val cleanups = CleanupQueue { failed("cleanup", it) }
    private val openSerials = TreeSet<Long>()

    /** What was made on this renderer and is not closed yet; closed with it. */
    internal val resources: MutableSet<AutoCloseable> = LinkedHashSet()
    private var lastSerial = 0L
    private var closed = false
    internal val commands = CommandState()
    internal val allocator: Long
    internal val uniformAlignment: Int
    internal val maxImageSize: Int
    internal val samplers: Samplers
    internal val shaderCompiler: ShaderCompiler
    internal val screenExtent = Extent(screenWidth, screenHeight)
    internal val window: Window?

    val deviceInfo: DeviceInfo
    val instance: VkInstance get() = vulkan.vk
    val physicalDevice: VkPhysicalDevice get() = deviceInfo.vk
    val device: VkDevice get() = opened.vk
    val queue: VkQueue get() = opened.queue
    val queueFamily: Int get() = deviceInfo.queueFamily

    /** Vulkan version in use, as VK_MAKE_API_VERSION packs it. */
    val apiVersion: Int get() = opened.apiVersion

    /** Vulkan's names of the enabled device features, such as `shaderIntegerDotProduct`. */
    val enabledFeatures: Set<String> get() = opened.enabledFeatures
    val enabledExtensions: List<String> get() = opened.enabledExtensions
    val renderList: RenderList = RenderList()
    val screen: Screen

    /** Frame slots, and with them frames that the CPU may be ahead. */
    val framesInFlight: Int get() = FRAMES_IN_FLIGHT

    /** Number of the frame being recorded, or of the last one recorded; 0 before the first. */
    var frameNumber: Long = 0
        private set

    /** The newest frame that the GPU has finished, with all before it; 0 before the first. */
    val lastFinishedFrame: Long
        get() {
            poll()
            return finishedFrame
        }
    private var finishedFrame = 0L

    /** True once a call has reported the loss; then only [close] is left. */
    var deviceLost: Boolean = false
        private set

    /** GPU milliseconds of the newest finished frame: `frame`, `screen`, and the names given to [timed]. */
    var timings: Map<String, Double> = emptyMap()
        private set

    /** What the validation layer has said, oldest first; stays empty without [validation]. */
    val validationMessages: List<String> get() = synchronized(vulkan.messages) { vulkan.messages.toList() }

    /** Takes each line the host has to say; prints to standard error unless set. */
    var log: (String) -> Unit = { System.err.println(it) }

    /** The last exception thrown out of a target or a cleanup; the frame goes on without that target. */
    var lastError: Throwable? = null
        private set
    private val loggedErrors = HashSet<String>()

    /** Called with a lower-case letter for each key pressed in the window. */
    var onKey: (Char) -> Unit = {}

    init {
        try {
            this.window = if (window) own(Window("field-host", screenExtent) { onKey(it) }) else null
            vulkan = own(Instance(validation, this.window?.instanceExtensions ?: emptyList()))
            this.window?.let { shown ->
                shown.createSurface(vulkan.vk)
                teardown.addFirst { shown.destroySurface(vulkan.vk) }
            }
            deviceInfo = DevicePick.pick(vulkan.vk, deviceName) { candidate, family ->
                this.window?.canPresent(candidate, family) ?: true
            }
            opened = own(LogicalDevice(deviceInfo, vulkan.apiVersion, window, optionalFeatures))
            VkPhysicalDeviceProperties.calloc().use { properties ->
                vkGetPhysicalDeviceProperties(physicalDevice, properties)
                uniformAlignment = maxOf(16, properties.limits().minUniformBufferOffsetAlignment().toInt())
                maxImageSize = properties.limits().maxImageDimension2D()
            }
            allocator = createAllocator()
            teardown.addFirst { vmaDestroyAllocator(allocator) }
            shaderCompiler = own(ShaderCompiler())
            samplers = own(Samplers(this))
            slots = List(framesInFlight) { own(Submission(this, deviceInfo.timestamps)) }
            teardown.addFirst { allImmediate.forEach { it.close() } }
            teardown.addFirst { cleanups.run(Long.MAX_VALUE) }
            teardown.addFirst { resources.toList().asReversed().forEach { it.close() } }
            screen = own(Screen(this, screenExtent))
            this.window?.let { own(it.present(this)) }
        } catch (error: Throwable) {
            teardown.forEach { it() }
            throw error
        }
    }

    private fun <T : AutoCloseable> own(thing: T): T = thing.also { teardown.addFirst { it.close() } }

    private fun createAllocator(): Long = stackPush().use { stack ->
        val functions = VmaVulkanFunctions.calloc(stack).set(instance, device)
        val info = VmaAllocatorCreateInfo.calloc(stack)
            .instance(instance).physicalDevice(physicalDevice).device(device)
            .pVulkanFunctions(functions).vulkanApiVersion(apiVersion)
        val handle = stack.mallocPointer(1)
        expectSuccess(vmaCreateAllocator(info, handle), "vmaCreateAllocator")
        handle[0]
    }

    /**
     * Records and submits one frame: every pre-target in order, then the screen. Returns false, with nothing recorded,
     * while the window is minimised or once it was closed. An exception out of a target is logged and kept as
     * [lastError]; the other targets are drawn all the same.
     */
    fun frame(): Boolean = guarded("frame") {
        window?.poll()
        if (window != null && !window.isDrawable) return@guarded false
        val index = (frameNumber % framesInFlight).toInt()
        val slot = slots[index]
        slot.await()
        poll()
        cleanups.run(finishedSubmission)
        val presentation = window?.presentation
        if (presentation != null && !presentation.acquire(index)) return@guarded false
        frameNumber++
        slot.frame = frameNumber
        open(slot)
        slot.timer.span(slot.command, "frame") {
            for (target in renderList.preTargets.toList()) attempt(target.toString()) { target.render(slot.command, index) }
            timed(slot.command, "screen") { attempt("screen") { screen.render(slot.command, index) } }
        }
        presentation?.record(slot.command, screen.view)
        slot.submit(presentation?.acquired(index) ?: 0L, presentation?.rendered() ?: 0L)
        presentation?.present(queue)
        if (deviceLost) throw DeviceLostException("frame")
        true
    }

    /** Records [work] by itself, outside of any frame, and waits until the GPU has done it; frame numbers do not move. */
    fun immediately(work: (command: VkCommandBuffer, index: Int) -> Unit) {
        guarded("immediately") {
            val submission = immediate.removeFirstOrNull()
                ?: Submission(this, Timestamps.NONE).also { allImmediate += it }
            open(submission)
            try {
                work(submission.command, 0)
            } finally {
                submission.submit(0L, 0L)
                submission.await()
                openSerials.remove(submission.serial)
                immediate.addLast(submission)
            }
        }
    }

    /** Runs [work] once every frame recorded so far, the present one included, has finished; in the order of asking. */
    fun cleanup(work: () -> Unit) {
        cleanups.add(lastSerial, work)
    }

    /** Waits for the GPU and runs the cleanups that were waiting for it. */
    fun waitIdle() {
        guarded("waitIdle") {
            slots.forEach { it.await() }
            poll()
            cleanups.run(finishedSubmission)
        }
    }

    /** The values of [view]'s image, after all that was submitted; waits for the GPU. Not for use inside a frame's recording. */
    fun readback(view: ImageView): Pixels = readPixels(this, view)

    /** True while [command] is one of this renderer's and is being recorded. */
    fun isRecording(command: VkCommandBuffer): Boolean = commands.isRecording(command)

    /** True while [command] is between the begin and the end of a RenderToTexture's render pass. */
    fun isInsideRenderPass(command: VkCommandBuffer): Boolean = commands.isInsideRenderPass(command)

    /** Measures what [work] records on the GPU under [name]; the result appears in [timings] frames later. */
    fun timed(command: VkCommandBuffer, name: String, work: () -> Unit) =
        submissionOf(command).timer.span(command, name, work)

    /** Buffers and images that exist on the device at the moment, whoever made them on this renderer. */
    val allocations: Int
        get() = VmaBudget.calloc(VK_MAX_MEMORY_HEAPS).use { budgets ->
            vmaGetHeapBudgets(allocator, budgets)
            budgets.sumOf { it.statistics().allocationCount() }
        }

    /** False once the person has closed the window; true without one. */
    val isOpen: Boolean get() = window?.isOpen ?: true

    /** Does what the person does who closes the window. */
    fun closeWindow() {
        window?.requestClose()
    }

    /** Lets a test see what happens to others when the device is lost. */
    fun simulateDeviceLoss() {
        deviceLost = true
    }

    internal val finishedSubmission: Long
        get() = if (openSerials.isEmpty()) lastSerial else openSerials.first() - 1

    internal fun submissionOf(command: VkCommandBuffer): Submission =
        (slots + allImmediate).firstOrNull { it.command.address() == command.address() && commands.isRecording(command) }
            ?: throw HostException("command is not one of this renderer's that is recording; use the one given to render(command, index)")

    private fun open(submission: Submission) {
        submission.serial = ++lastSerial
        openSerials += submission.serial
        submission.begin()
    }

    private fun poll() {
        if (deviceLost || closed) return
        for (slot in slots.sortedBy { it.serial }) {
            if (slot.serial !in openSerials || commands.isRecording(slot.command) || !slot.isFinished()) continue
            openSerials.remove(slot.serial)
            finishedFrame = maxOf(finishedFrame, slot.frame)
            slot.timer.read().let { if (it.isNotEmpty()) timings = it }
        }
    }

    private fun attempt(what: String, work: () -> Unit) {
        try {
            work()
        } catch (lost: DeviceLostException) {
            throw lost
        } catch (error: Throwable) {
            failed(what, error)
        }
    }

    private fun failed(what: String, error: Throwable) {
        lastError = error
        val line = if (error is HostException) error.message!! else "$what: ${error.message ?: error::class.simpleName}"
        if (loggedErrors.add(line)) log(line)
    }

    private fun <T> guarded(what: String, work: () -> T): T {
        if (closed) throw HostException("Renderer.$what: the renderer is closed; make a new one")
        if (deviceLost) throw DeviceLostException("Renderer.$what")
        try {
            return work()
        } catch (lost: DeviceLostException) {
            deviceLost = true
            throw lost
        }
    }

    /** Waits for the GPU, closes what was made on this renderer, runs every cleanup, and frees the device. Closing twice is safe. */
    override fun close() {
        if (closed) return
        vkDeviceWaitIdle(device)
        closed = true
        teardown.forEach { it() }
    }

    override fun toString(): String = "Renderer($deviceInfo, frame $frameNumber)"

    private companion object {
        const val FRAMES_IN_FLIGHT = 2
    }
}
