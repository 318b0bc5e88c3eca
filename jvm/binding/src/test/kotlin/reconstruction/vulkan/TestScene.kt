package reconstruction.vulkan

import org.lwjgl.vulkan.VK10.VK_FORMAT_R16G16B16A16_SFLOAT
import org.lwjgl.vulkan.VK10.VK_FORMAT_R32G32_SFLOAT
import org.lwjgl.vulkan.VK10.VK_FORMAT_R32_SFLOAT
import reconstruction.DlssReconstruction
import reconstruction.ReconstructionFrame
import reconstruction.ReconstructionInputs
import reconstruction.ReconstructionMode
import reconstruction.ReconstructionModel
import reconstruction.ReconstructionResult
import reconstruction.ReconstructionSize
import reconstruction.VulkanHost
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** A still picture of stripes, its inputs, and a host that counts frames. */
class TestScene(driver: SoftwareDriver, isValidated: Boolean = true) : AutoCloseable {
    val device = TestDevice(driver, isValidated)
    val host = VulkanHost(device.instance, device.physicalDevice, device.device, device.queueFamily)
    val inputSize = ReconstructionSize(64, 36)
    val outputSize = ReconstructionSize(128, 72)
    private val images = ArrayList<TestImage>()

    /** The host's frame number; every submit waits, so the frame before has finished. */
    var hostFrame = 0L
        private set

    fun image(format: Int, texels: ByteArray? = null, size: ReconstructionSize = inputSize): TestImage =
        TestImage(device, size, format, texels = texels).also { images += it }

    val color = image(VK_FORMAT_R16G16B16A16_SFLOAT, halves(inputSize) { x, y -> if ((x / 8 + y / 8) % 2 == 0) 1.0f else 0.25f })
    val depth = image(VK_FORMAT_R32_SFLOAT, floats(inputSize, 1) { _, _ -> 0.5f })
    val motion = image(VK_FORMAT_R32G32_SFLOAT, floats(inputSize, 2) { _, _ -> 0f })
    val inputs = ReconstructionInputs(color.view(), depth.view(), motion.view())

    fun context(
        name: String? = null,
        mode: ReconstructionMode = ReconstructionMode.PERFORMANCE,
        model: ReconstructionModel = ReconstructionModel.NETWORK,
    ) = DlssReconstruction(host, inputSize, outputSize, mode, model = model, name = name)

    /** Records one frame in a command buffer of its own and waits for it. */
    fun evaluate(
        neural: DlssReconstruction,
        frame: ReconstructionFrame,
        inputs: ReconstructionInputs = this.inputs,
        skippedHostFrames: Long = 0,
    ): ReconstructionResult {
        hostFrame += 1 + skippedHostFrames
        return device.submit { command -> neural.evaluate(command, inputs, frame, hostFrame, hostFrame - 1) }
    }

    /** The usual frame of an index. */
    fun frame(neural: DlssReconstruction, index: Number, revision: Number = 0) =
        ReconstructionFrame(index, neural.jitter(index), revision)

    /** Everything has run: frees what closed contexts used. */
    fun collect() = host.collect(hostFrame)

    override fun close() {
        host.close()
        images.forEach { it.close() }
        device.close()
    }

    companion object {
        fun halves(size: ReconstructionSize, value: (Int, Int) -> Float): ByteArray {
            val bytes = ByteBuffer.allocate(size.width * size.height * 8).order(ByteOrder.LITTLE_ENDIAN)
            for (y in 0 until size.height) for (x in 0 until size.width) {
                val half = half(value(x, y))
                bytes.putShort(half).putShort(half).putShort(half).putShort(half(1f))
            }
            return bytes.array()
        }

        fun floats(size: ReconstructionSize, channels: Int, value: (Int, Int) -> Float): ByteArray {
            val bytes = ByteBuffer.allocate(size.width * size.height * channels * 4).order(ByteOrder.LITTLE_ENDIAN)
            for (y in 0 until size.height) for (x in 0 until size.width) repeat(channels) { bytes.putFloat(value(x, y)) }
            return bytes.array()
        }

        /** Half bits of a positive normal number without excess digits. */
        private fun half(value: Float): Short {
            if (value == 0f) return 0
            val bits = value.toRawBits()
            return (((bits ushr 23) - 112 shl 10) or (bits ushr 13 and 0x3ff)).toShort()
        }

        /** The number of positive half bits. */
        fun float(half: Short): Float {
            val bits = half.toInt() and 0xffff
            val exponent = bits ushr 10 and 0x1f
            val mantissa = bits and 0x3ff
            return if (exponent == 0) mantissa / 16777216f
            else Float.fromBits((exponent + 112 shl 23) or (mantissa shl 13) or (bits and 0x8000 shl 16))
        }
    }
}
