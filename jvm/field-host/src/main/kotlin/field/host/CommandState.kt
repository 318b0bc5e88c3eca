package field.host

import org.lwjgl.vulkan.VkCommandBuffer

/** Which of the host's command buffers are recording, and which of those are inside a render pass. */
internal class CommandState {
    private val insideByAddress = HashMap<Long, Boolean>()

    fun began(command: VkCommandBuffer) {
        insideByAddress[command.address()] = false
    }

    fun ended(command: VkCommandBuffer) {
        insideByAddress.remove(command.address())
    }

    fun setInside(command: VkCommandBuffer, inside: Boolean) {
        insideByAddress[command.address()] = inside
    }

    fun isRecording(command: VkCommandBuffer): Boolean = command.address() in insideByAddress

    fun isInsideRenderPass(command: VkCommandBuffer): Boolean = insideByAddress[command.address()] == true
}
