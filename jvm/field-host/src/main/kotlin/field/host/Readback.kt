package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkBufferImageCopy
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkMemoryBarrier
import java.nio.ByteBuffer

/** An image on the CPU: rows from the top, [channels] floats a pixel, stored values unchanged (UNORM as 0..1). */
class Pixels(val width: Int, val height: Int, val channels: Int, val values: FloatArray) {
    /** The value of [channel] in column [x], row [y]. */
    operator fun get(x: Int, y: Int, channel: Int = 0): Float = values[(y * width + x) * channels + channel]

    /** [channels] values of one pixel. */
    fun pixel(x: Int, y: Int): FloatArray = ((y * width + x) * channels).let { values.copyOfRange(it, it + channels) }
}

/** Copies mip 0 of [view] to the CPU; waits for the GPU. The image keeps its layout. */
internal fun readPixels(renderer: Renderer, view: ImageView): Pixels {
    if (!view.alive) throw HostException("readback: $view is closed; read a living one")
    if (view.usage and VK_IMAGE_USAGE_TRANSFER_SRC_BIT == 0) {
        throw HostException("readback: $view was made without TRANSFER_SRC usage; add it where the image is made")
    }
    val (width, height) = view.extent
    val size = width * height * Formats.bytesPerPixel(view.format)
    GpuBuffer(renderer.allocator, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, readBack = true).use { buffer ->
        renderer.immediately { command, _ ->
            layoutBarrier(
                command, view, view.layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, Access.ALL_BEFORE, Access.TRANSFER_READ,
            )
            stackPush().use { stack ->
                val region = VkBufferImageCopy.calloc(1, stack)
                region[0].imageSubresource().aspectMask(Formats.aspect(view.format)).layerCount(1)
                region[0].imageExtent().set(width, height, 1)
                vkCmdCopyImageToBuffer(command, view.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer.vk, region)
            }
            layoutBarrier(
                command, view, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, view.layout, Access.TRANSFER_READ, Access.ALL_AFTER,
            )
            hostReadBarrier(command)
        }
        return Pixels(width, height, Formats.channels(view.format), decode(buffer.bytes, view.format, width * height))
    }
}

private fun hostReadBarrier(command: VkCommandBuffer) = stackPush().use { stack ->
    val barrier = VkMemoryBarrier.calloc(1, stack)
    barrier[0].`sType$Default`().srcAccessMask(VK_ACCESS_TRANSFER_WRITE_BIT).dstAccessMask(VK_ACCESS_HOST_READ_BIT)
    vkCmdPipelineBarrier(
        command, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, barrier, null, null,
    )
}

private fun decode(bytes: ByteBuffer, format: Int, pixels: Int): FloatArray {
    val values = FloatArray(pixels * Formats.channels(format))
    when (format) {
        VK_FORMAT_R8G8B8A8_UNORM -> for (at in values.indices) values[at] = (bytes.get(at).toInt() and 0xff) / 255f
        VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT -> {
            val halves = bytes.asShortBuffer()
            for (at in values.indices) values[at] = Half.toFloat(halves.get(at).toInt() and 0xffff)
        }
        VK_FORMAT_B10G11R11_UFLOAT_PACK32 -> {
            val words = bytes.asIntBuffer()
            // Unsigned floats of 6 and 5 mantissa bits: shifted left they are half floats.
            for (at in 0 until pixels) {
                val word = words.get(at)
                values[3 * at] = Half.toFloat((word and 0x7ff) shl 4)
                values[3 * at + 1] = Half.toFloat((word ushr 11 and 0x7ff) shl 4)
                values[3 * at + 2] = Half.toFloat((word ushr 22) shl 5)
            }
        }
        else -> bytes.asFloatBuffer().get(values)
    }
    return values
}
