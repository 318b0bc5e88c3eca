// The smallest program without Field: a plain LWJGL device, three images, the reconstruction, ten lines of use.
import org.lwjgl.vulkan.VK10.VK_FORMAT_R16G16B16A16_SFLOAT
import org.lwjgl.vulkan.VK10.VK_FORMAT_R32G32_SFLOAT
import org.lwjgl.vulkan.VK10.VK_FORMAT_R32_SFLOAT
import reconstruction.DlssReconstruction
import reconstruction.ReconstructionFrame
import reconstruction.ReconstructionInputs
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionSize
import reconstruction.VulkanHost

fun main() {
    SmallestDevice().use { vulkan ->
        val host = VulkanHost(vulkan.instance, vulkan.physicalDevice, vulkan.device, vulkan.queueFamily)
        val outputSize = ReconstructionSize(640, 360)
        val inputSize = DlssReconstruction.recommend(host, outputSize, ReconstructionMode.PERFORMANCE).optimal
        val neural = DlssReconstruction(host, inputSize, outputSize, ReconstructionMode.PERFORMANCE)
        val (color, depth, motion) = listOf(VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT)
            .map { vulkan.image(it, inputSize) }
        for (frameIndex in 0L until 8L) vulkan.submit { command ->
            val jitter = neural.jitter(frameIndex) // a real program rasterises with it
            vulkan.fill(command, color, 0.2f, 0.4f, 0.8f, 1f)
            vulkan.fill(command, depth, 1f)
            vulkan.fill(command, motion, 0f, 0f)
            val frame = ReconstructionFrame(frameIndex, jitter)
            neural.evaluate(command, ReconstructionInputs(color, depth, motion), frame, hostFrame = frameIndex + 1, lastFinished = frameIndex)
        }
        println(neural)
        println("middle of the output: " + vulkan.readMiddle(neural.output).joinToString(" "))
        neural.close()
        host.close()
    }
}
