package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkBufferImageCopy

/**
 * A picture for samplers, stored as RGBA16F with all mips (box filtered). [pixels] holds four linear floats a pixel,
 * rows from the top.
 */
class Texture(private val renderer: Renderer, val width: Int, val height: Int, pixels: FloatArray) : AutoCloseable {
    private val image: GpuImage

    /** For [Module.fromViews]. */
    val view: ImageView get() = image.view

    init {
        if (width < 1 || height < 1 || pixels.size != width * height * 4) {
            throw HostException("Texture ${width}x$height: expected ${width.toLong() * height * 4} floats (four a pixel), got ${pixels.size}")
        }
        val levels = generateSequence(Level(width, height, pixels)) { it.half() }.toList()
        image = GpuImage(
            renderer, VK_FORMAT_R16G16B16A16_SFLOAT, Extent(width, height),
            VK_IMAGE_USAGE_SAMPLED_BIT or VK_IMAGE_USAGE_TRANSFER_DST_BIT or VK_IMAGE_USAGE_TRANSFER_SRC_BIT, levels.size,
        )
        upload(levels)
        renderer.resources += this
    }

    private class Level(val width: Int, val height: Int, val pixels: FloatArray) {
        fun half(): Level? {
            if (width == 1 && height == 1) return null
            val (w, h) = maxOf(width / 2, 1) to maxOf(height / 2, 1)
            val result = FloatArray(w * h * 4)
            for (y in 0 until h) for (x in 0 until w) for (c in 0..3) {
                val (x0, y0) = minOf(2 * x, width - 1) to minOf(2 * y, height - 1)
                val (x1, y1) = minOf(2 * x + 1, width - 1) to minOf(2 * y + 1, height - 1)
                result[(y * w + x) * 4 + c] = (at(x0, y0, c) + at(x1, y0, c) + at(x0, y1, c) + at(x1, y1, c)) / 4
            }
            return Level(w, h, result)
        }

        private fun at(x: Int, y: Int, c: Int) = pixels[(y * width + x) * 4 + c]
    }

    private fun upload(levels: List<Level>) {
        val size = levels.sumOf { it.pixels.size * 2 }
        GpuBuffer(renderer.allocator, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT).use { staging ->
            val halves = staging.bytes.asShortBuffer()
            levels.forEach { level -> level.pixels.forEach { halves.put(Half.fromFloat(it)) } }
            renderer.immediately { command, _ ->
                layoutBarrier(
                    command, view, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                    Access.NONE, Access.TRANSFER_WRITE,
                )
                stackPush().use { stack ->
                    val regions = VkBufferImageCopy.calloc(levels.size, stack)
                    var offset = 0L
                    levels.forEachIndexed { mip, level ->
                        regions[mip].bufferOffset(offset)
                        regions[mip].imageSubresource().aspectMask(VK_IMAGE_ASPECT_COLOR_BIT).mipLevel(mip).layerCount(1)
                        regions[mip].imageExtent().set(level.width, level.height, 1)
                        offset += level.pixels.size * 2
                    }
                    vkCmdCopyBufferToImage(command, staging.vk, view.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, regions)
                }
                layoutBarrier(
                    command, view, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                    Access.TRANSFER_WRITE, Access.ALL_AFTER,
                )
            }
        }
    }

    /** Closing twice is safe; the image goes once the frames that could use it have finished. */
    override fun close() {
        renderer.resources -= this
        image.retire()
    }
}
