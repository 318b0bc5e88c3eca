package field.host

import org.lwjgl.vulkan.VkCommandBuffer

/** Something that records GPU work once per frame. */
fun interface Target {
    /**
     * Appends this target's work to [command], which is recording and outside any render pass.
     * [index] is the frame slot, 0 until [Renderer.framesInFlight]: what was recorded into this slot before has finished.
     */
    fun render(command: VkCommandBuffer, index: Int)
}

/** What a renderer draws each frame, in order: every one of [preTargets], then the screen. */
class RenderList internal constructor() {
    /** Rendered in the order of adding; adding twice has no effect. */
    val preTargets: MutableSet<Target> = LinkedHashSet()
}
