package reconstruction.internal

import java.nio.ByteBuffer
import java.nio.ByteOrder

/** A direct buffer as the native side reads it. */
internal fun blockBuffer(bytes: Int): ByteBuffer = ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN)

/** Reads ASCII text that ends at a zero byte or after [size] bytes. */
internal fun readLine(bytes: ByteBuffer, at: Int, size: Int): String {
    var length = 0
    while (length < size && bytes.get(at + length) != 0.toByte()) length++
    val chars = CharArray(length) { (bytes.get(at + it).toInt() and 0x7f).toChar() }
    return String(chars)
}

/** Writes [text] as printable ASCII, cut at [size] bytes and padded with zeros. */
internal fun writeLine(bytes: ByteBuffer, at: Int, size: Int, text: String) {
    for (i in 0 until size) {
        val c = if (i < text.length) text[i] else 0.toChar()
        bytes.put(at + i, if (c == 0.toChar() || c in ' '..'~') c.code.toByte() else '?'.code.toByte())
    }
}
