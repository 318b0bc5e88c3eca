package reconstruction.launcher

import field.host.Letters
import field.host.Pixels
import field.host.Png
import field.host.ToneMap
import java.awt.Color
import java.awt.Graphics2D
import java.awt.geom.AffineTransform
import java.awt.geom.Rectangle2D
import java.awt.image.BufferedImage

/** A picture of a sheet and the ASCII words above it. */
class Labelled(val label: String, val picture: Pixels)

/** Pictures of one size side by side, each with its label; below them the part around [detail], enlarged. */
fun sheet(pictures: List<Labelled>, detail: Detail): BufferedImage {
    val (width, height) = pictures[0].picture.run { width to height }
    val scale = maxOf(1, width / 320)
    val band = BAND * scale
    val pitch = width + GAP
    val image = BufferedImage(pitch * pictures.size - GAP, band + height + GAP + height, BufferedImage.TYPE_INT_RGB)
    val graphics = image.createGraphics()
    try {
        pictures.forEachIndexed { at, labelled ->
            val left = at * pitch
            letters(graphics, fit(labelled.label, width / scale - 8), left + 4f * scale, 3f * scale, scale.toFloat())
            val whole = Png.toneMapped(labelled.picture)
            graphics.drawImage(whole, left, band, null)
            detail.run {
                val top = band + height + GAP
                graphics.drawImage(whole, left, top, left + width, top + height, x, y, x + this.width, y + this.height, null)
            }
        }
    } finally {
        graphics.dispose()
    }
    return image
}

/** A part of a picture, in pixels. */
class Detail(val x: Int, val y: Int, val width: Int, val height: Int) {
    companion object {
        /** The quarter of each axis where [picture] differs most from [reference]. */
        fun ofGreatestError(picture: Pixels, reference: Pixels): Detail {
            val (width, height) = maxOf(1, picture.width / 4) to maxOf(1, picture.height / 4)
            val places = (0..picture.width - width step maxOf(1, width / 2)).flatMap { x ->
                (0..picture.height - height step maxOf(1, height / 2)).map { y -> Detail(x, y, width, height) }
            }
            return places.maxByOrNull { it.error(picture, reference) }!!
        }
    }

    private fun error(picture: Pixels, reference: Pixels): Double {
        var sum = 0.0
        for (row in y until y + height) for (column in x until x + width) for (c in 0..2) {
            val difference = ToneMap.byteOf(picture[column, row, c]) - ToneMap.byteOf(reference[column, row, c])
            sum += difference * difference
        }
        return sum
    }
}

private const val BAND = 14
private const val GAP = 4

private fun fit(text: String, width: Int): String =
    (text.length downTo 1).map(text::take).firstOrNull { Letters.width(it) <= width } ?: ""

private fun letters(graphics: Graphics2D, text: String, left: Float, top: Float, scale: Float) {
    val before = graphics.transform
    graphics.color = Color.WHITE
    graphics.transform(AffineTransform(scale, 0f, 0f, scale, left, top))
    Letters.rectangles(text).forEach {
        graphics.fill(Rectangle2D.Float(it.left, it.top, it.right - it.left, it.bottom - it.top))
    }
    graphics.transform = before
}
