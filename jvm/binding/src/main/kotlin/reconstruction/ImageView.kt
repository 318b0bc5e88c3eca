package reconstruction

import org.lwjgl.vulkan.VkDevice

/**
 * An image view with what Vulkan does not tell about a bare handle. The handles stay the caller's: keep them alive
 * until the submitted work that uses them has finished.
 *
 * @property view VkImageView of one aspect
 * @property image VkImage
 * @property format VkFormat of the view
 * @property extent pixels of mip 0
 * @property usage VkImageUsageFlags the image was made with; inputs need VK_IMAGE_USAGE_SAMPLED_BIT
 * @property samples samples per pixel; inputs have 1
 * @property mips mip levels of the view; inputs have 1
 * @property layers array layers of the view; inputs have 1
 * @property layout VkImageLayout before and after `evaluate`
 * @property device the device that made the image
 * @property alive false once the owner has closed the image
 */
class ImageView internal constructor(
    val view: Long,
    val image: Long,
    val format: Int,
    val extent: ReconstructionSize,
    val usage: Int,
    val samples: Int,
    val mips: Int,
    val layers: Int,
    val layout: Int,
    internal val deviceAddress: Long,
    private val liveness: () -> Boolean,
) {
    constructor(
        view: Long,
        image: Long,
        format: Int,
        extent: ReconstructionSize,
        usage: Int,
        samples: Int = 1,
        mips: Int = 1,
        layers: Int = 1,
        layout: Int,
        device: VkDevice,
        alive: () -> Boolean = { true },
    ) : this(view, image, format, extent, usage, samples, mips, layers, layout, device.address(), alive)

    val alive: Boolean get() = liveness()

    override fun toString(): String =
        "ImageView(format $format, $extent, layout $layout${if (alive) "" else ", closed"})"
}
