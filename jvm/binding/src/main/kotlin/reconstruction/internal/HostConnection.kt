package reconstruction.internal

import reconstruction.DeviceLost
import reconstruction.InvalidState
import reconstruction.ReconstructionException

/** Raw handles of a host, as [HostBlock] carries them. */
internal class HostHandles(
    val instance: Long,
    val physicalDevice: Long,
    val device: Long,
    val getInstanceProcAddr: Long,
    val apiVersion: Int,
    val queueFamily: Int,
    val framesInFlight: Int,
    val enabledFeatures: Int,
)

/**
 * The native host behind a VulkanHost, made on first use. Every native call of a host and its contexts runs under
 * [lock], so a host may be used from any thread, one call at a time.
 */
internal class HostConnection(val handles: HostHandles, private val library: () -> Natives) {
    val lock = Any()
    private var natives: Natives? = null
    private var handle = 0L
    private var lost: DeviceLost? = null
    var isClosed = false
        private set

    /** Runs [block] with the native host. A lost device stays lost: the same error is thrown again. */
    fun <T> call(block: (Natives, Long) -> T): T = synchronized(lock) {
        requireOpen()
        lost?.let { throw it }
        try {
            val natives = natives ?: library().also { natives = it }
            if (handle == 0L) handle = natives.hostCreate(block())
            block(natives, handle)
        } catch (error: DeviceLost) {
            lost = error
            throw error
        }
    }

    /** Runs [block] if there is anything native to close; a lost device does not stop it. */
    fun release(block: (Natives) -> Unit): Unit = synchronized(lock) {
        val natives = natives
        if (!isClosed && natives != null && handle != 0L) block(natives)
    }

    /** Frees the closed contexts of finished frames; nothing to do before the first context. */
    fun collect(lastFinished: Long): Unit = synchronized(lock) {
        requireOpen()
        try {
            if (handle != 0L) natives?.hostCollect(handle, lastFinished)
        } catch (error: DeviceLost) {
            lost = error
            throw error
        }
    }

    private fun requireOpen() {
        if (isClosed) throw InvalidState("host: expected an open VulkanHost, got a closed one; create a new one")
    }

    fun close(): Unit = synchronized(lock) {
        try {
            release { it.hostClose(handle) }
        } finally {
            isClosed = true
        }
    }

    /** The error of a lost device, or null. */
    val lostError: ReconstructionException? get() = lost

    private fun block() = blockBuffer(HostBlock.SIZE).also { bytes ->
        HostBlock(bytes).apply {
            instance = handles.instance
            physicalDevice = handles.physicalDevice
            device = handles.device
            getInstanceProcAddr = handles.getInstanceProcAddr
            queueFamily = handles.queueFamily
            framesInFlight = handles.framesInFlight
            apiVersion = handles.apiVersion
            enabledFeatures = handles.enabledFeatures
        }
    }
}
