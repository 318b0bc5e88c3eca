package field.host

import org.lwjgl.vulkan.VK10.*

/** The image formats that the host makes and reads back. */
internal object Formats {
    private class Entry(val name: String, val channels: Int, val bytes: Int)

    private val known = mapOf(
        VK_FORMAT_R8G8B8A8_UNORM to Entry("R8G8B8A8_UNORM", 4, 4),
        VK_FORMAT_R16_SFLOAT to Entry("R16_SFLOAT", 1, 2),
        VK_FORMAT_R16G16_SFLOAT to Entry("R16G16_SFLOAT", 2, 4),
        VK_FORMAT_R16G16B16A16_SFLOAT to Entry("R16G16B16A16_SFLOAT", 4, 8),
        VK_FORMAT_R32_SFLOAT to Entry("R32_SFLOAT", 1, 4),
        VK_FORMAT_R32G32_SFLOAT to Entry("R32G32_SFLOAT", 2, 8),
        VK_FORMAT_R32G32B32A32_SFLOAT to Entry("R32G32B32A32_SFLOAT", 4, 16),
        VK_FORMAT_B10G11R11_UFLOAT_PACK32 to Entry("B10G11R11_UFLOAT_PACK32", 3, 4),
        VK_FORMAT_D32_SFLOAT to Entry("D32_SFLOAT", 1, 4),
    )

    fun name(format: Int): String = known[format]?.name ?: "VkFormat $format"

    fun channels(format: Int): Int = entry(format).channels

    fun bytesPerPixel(format: Int): Int = entry(format).bytes

    fun isDepth(format: Int): Boolean = format == VK_FORMAT_D32_SFLOAT

    fun aspect(format: Int): Int = if (isDepth(format)) VK_IMAGE_ASPECT_DEPTH_BIT else VK_IMAGE_ASPECT_COLOR_BIT

    fun isColor(format: Int): Boolean = format in known && !isDepth(format)

    private fun entry(format: Int): Entry = known[format] ?: throw HostException(
        "image format: expected one of ${known.values.joinToString { it.name }}, got VkFormat $format",
    )
}
