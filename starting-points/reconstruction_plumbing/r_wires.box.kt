// Thin wires as ribbons of two triangles a piece; the vertex shader turns them towards the eye.
import field.host.Mesh
import kotlin.math.*

// Recipe for lines that are widened on screen: the mesh holds the centre line (position), its direction (normal) and
// how far a corner lies beside it in metres (uv.x). The vertex shader widens twice, with the present transforms and
// with the old ones, so that the motion is that of the corner. Taken from the centre line it would be wrong.
val wires = { mesh: Mesh, lines: List<DoubleArray>, halfWidth: Double ->
    val pieces = lines.flatMap { line -> (0 until line.size / 3 - 1).map { line.copyOfRange(3 * it, 3 * it + 6) } }
    val corners = intArrayOf(0, 0, 1, 1)
    fun along(piece: DoubleArray, axis: Int): Double {
        val d = DoubleArray(3) { piece[3 + it] - piece[it] }
        return d[axis] / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    }
    fun each(count: Int, value: (DoubleArray, Int, Int) -> Double) = FloatArray(pieces.size * 4 * count) {
        value(pieces[it / count / 4], it / count % 4, it % count).toFloat()
    }
    mesh.positions = each(3) { piece, corner, axis -> piece[3 * corners[corner] + axis] }
    mesh.attribute("normal", 3, each(3) { piece, _, axis -> along(piece, axis) })
    mesh.attribute("uv", 2, each(2) { _, corner, axis -> if (axis == 1) 0.0 else if (corner % 2 == 0) -halfWidth else halfWidth })
    mesh.indices = pieces.indices.flatMap { piece -> listOf(0, 1, 2, 1, 3, 2).map { 4 * piece + it } }.toIntArray()
}

// Straight strings between two rings, the upper one turned: a hyperboloid.
val strings = List(60) {
    val (low, high) = Pair(2 * PI * it / 60, 2 * PI * it / 60 + 2.1)
    doubleArrayOf(cos(low), -1.15, sin(low), cos(high), 1.15, sin(high))
}

// A hanging cable from one point to the other, `sag` metres lower in the middle.
val cable = { x0: Double, y0: Double, z0: Double, x1: Double, y1: Double, z1: Double, sag: Double ->
    DoubleArray(3 * 25) {
        val t = it / 3 / 24.0
        doubleArrayOf(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t - sag * 4 * t * (1 - t), z0 + (z1 - z0) * t)[it % 3]
    }
}

bx += "wires" to wires
bx += "strings" to strings
bx += "cable" to cable
