// 4x4 matrices as FloatArrays, column-major as shaders and Field have them.
import kotlin.math.cos
import kotlin.math.sin

val times = { a: FloatArray, b: FloatArray ->
    FloatArray(16) { (0..3).sumOf { k -> a[4 * k + it % 4].toDouble() * b[it / 4 * 4 + k] }.toFloat() }
}
val move = { x: Double, y: Double, z: Double ->
    floatArrayOf(1f, 0f, 0f, 0f, 0f, 1f, 0f, 0f, 0f, 0f, 1f, 0f, x.toFloat(), y.toFloat(), z.toFloat(), 1f)
}

// A turn of `angle` radians about the axis 0 x, 1 y or 2 z.
val turn = { axis: Int, angle: Double ->
    val (i, j) = Pair((axis + 1) % 3, (axis + 2) % 3)
    FloatArray(16) { if (it % 5 == 0) 1f else 0f }.also {
        it[5 * i] = cos(angle).toFloat()
        it[5 * j] = cos(angle).toFloat()
        it[4 * i + j] = sin(angle).toFloat()
        it[4 * j + i] = -sin(angle).toFloat()
    }
}

bx += "times" to times
bx += "move" to move
bx += "turn" to turn
