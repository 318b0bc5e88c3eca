package field.host

import java.awt.image.BufferedImage
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import javax.imageio.IIOImage
import javax.imageio.ImageIO
import javax.imageio.ImageTypeSpecifier
import javax.imageio.metadata.IIOMetadata
import javax.imageio.metadata.IIOMetadataNode

/** PNG files with text chunks. */
object Png {
    private const val FORMAT = "javax_imageio_png_1.0"
    const val TONE_MAPPING_KEY: String = "Tone mapping"

    /** Writes linear colour ([pixels] with one channel shows grey, two show red and green), tone mapped and saying so. */
    fun saveToneMapped(path: Path, pixels: Pixels, texts: Map<String, String> = emptyMap()) =
        save(path, toneMapped(pixels), mapOf(TONE_MAPPING_KEY to ToneMap.NAME) + texts)

    /** Linear colour for eyes. */
    fun toneMapped(pixels: Pixels): BufferedImage = toImage(pixels, ToneMap::byteOf)

    /** Writes values that are display-ready already: 0..1 becomes 0..255. */
    fun saveDisplayReady(path: Path, pixels: Pixels, texts: Map<String, String> = emptyMap()) =
        save(path, toImage(pixels) { (it.coerceIn(0f, 1f) * 255f + 0.5f).toInt() }, texts)

    /**
     * Writes [image] with Latin-1 [texts], by way of a neighbour file of this process, so that a reader never sees half a
     * picture and two programs may write the same one.
     */
    fun save(path: Path, image: BufferedImage, texts: Map<String, String>) {
        path.toAbsolutePath().parent?.let(::makeFolder)
        val partial = path.resolveSibling("${path.fileName}.${ProcessHandle.current().pid()}.part")
        val writer = ImageIO.getImageWritersByFormatName("png").next()
        try {
            val metadata = writer.getDefaultImageMetadata(ImageTypeSpecifier(image), null)
            addTexts(metadata, texts)
            Files.deleteIfExists(partial)
            ImageIO.createImageOutputStream(partial.toFile()).use { stream ->
                writer.output = stream
                writer.write(null, IIOImage(image, null, metadata), null)
            }
        } finally {
            writer.dispose()
        }
        Files.move(partial, path, StandardCopyOption.REPLACE_EXISTING)
    }

    /** The text chunks of a PNG file. */
    fun texts(path: Path): Map<String, String> {
        val reader = ImageIO.getImageReadersByFormatName("png").next()
        try {
            ImageIO.createImageInputStream(path.toFile()).use { stream ->
                reader.input = stream
                val root = reader.getImageMetadata(0).getAsTree(FORMAT) as IIOMetadataNode
                val entries = root.getElementsByTagName("tEXtEntry")
                return (0 until entries.length).map { entries.item(it) as IIOMetadataNode }
                    .associate { it.getAttribute("keyword") to it.getAttribute("value") }
            }
        } finally {
            reader.dispose()
        }
    }

    private fun addTexts(metadata: IIOMetadata, texts: Map<String, String>) {
        if (texts.isEmpty()) return
        val list = IIOMetadataNode("tEXt")
        texts.forEach { (keyword, value) ->
            list.appendChild(
                IIOMetadataNode("tEXtEntry").apply {
                    setAttribute("keyword", keyword)
                    setAttribute("value", value)
                },
            )
        }
        metadata.mergeTree(FORMAT, IIOMetadataNode(FORMAT).apply { appendChild(list) })
    }

    private fun toImage(pixels: Pixels, byteOf: (Float) -> Int): BufferedImage {
        val image = BufferedImage(pixels.width, pixels.height, BufferedImage.TYPE_INT_RGB)
        for (y in 0 until pixels.height) for (x in 0 until pixels.width) {
            val rgb = (0..2).fold(0) { packed, c ->
                packed shl 8 or byteOf(if (c < pixels.channels) pixels[x, y, c] else if (pixels.channels == 1) pixels[x, y] else 0f)
            }
            image.setRGB(x, y, rgb)
        }
        return image
    }
}
