// View and projection matrices, without jitter: the raster position alone is jittered, in the vertex shader.
import kotlin.math.sqrt
import kotlin.math.tan

// World to view, y up, looking along -z.
val lookAt = { eye: DoubleArray, at: DoubleArray ->
    fun unit(v: DoubleArray) = sqrt(v.sumOf { it * it }).let { length -> v.map { it / length }.toDoubleArray() }
    fun cross(a: DoubleArray, b: DoubleArray) =
        DoubleArray(3) { a[(it + 1) % 3] * b[(it + 2) % 3] - a[(it + 2) % 3] * b[(it + 1) % 3] }
    val back = unit(DoubleArray(3) { eye[it] - at[it] })
    val right = unit(cross(doubleArrayOf(0.0, 1.0, 0.0), back))
    val axes = listOf(right, cross(back, right), back)
    val turned = FloatArray(16) { if (it / 4 < 3 && it % 4 < 3) axes[it % 4][it / 4].toFloat() else if (it == 15) 1f else 0f }
    times(turned, move(-eye[0], -eye[1], -eye[2]))
}

// View to clip: clip y up, clip z 0 at `near` and 1 at `far`. `fov` is the vertical angle in radians.
val perspective = { fov: Double, aspect: Double, near: Double, far: Double ->
    val (f, depth) = Pair((1 / tan(fov / 2)).toFloat(), (far / (near - far)).toFloat())
    floatArrayOf((f / aspect).toFloat(), 0f, 0f, 0f, 0f, f, 0f, 0f, 0f, 0f, depth, -1f, 0f, 0f, depth * near.toFloat(), 0f)
}

bx += "lookAt" to lookAt
bx += "perspective" to perspective
