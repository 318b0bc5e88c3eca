package field.host

import org.lwjgl.vulkan.VkDevice

/** Size in pixels. */
data class Extent(val width: Int, val height: Int) {
    override fun toString(): String = "${width}x$height"
}

/**
 * A view together with what Vulkan does not tell about a bare handle.
 *
 * [layout] is the layout the image rests in between passes; [usage] and [format] are Vulkan's numbers.
 * The handles belong to whoever made the image; [alive] turns false when the owner closes it, before the handles die.
 */
class ImageView(
    val view: Long,
    val image: Long,
    val format: Int,
    val extent: Extent,
    val usage: Int,
    val samples: Int,
    val mips: Int,
    val layers: Int,
    val layout: Int,
    val device: VkDevice,
    private val liveness: () -> Boolean,
) {
    val alive: Boolean get() = liveness()

    override fun toString(): String = "ImageView(${Formats.name(format)} $extent${if (alive) "" else ", closed"})"
}
