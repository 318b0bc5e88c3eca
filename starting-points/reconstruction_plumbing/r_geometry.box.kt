// Shapes as functions that fill a mesh: position, normal and uv for each vertex.
import field.host.Mesh
import kotlin.math.PI
import kotlin.math.cos
import kotlin.math.sin

// A grid of points bent by `at`: (u, v) in 0..1 to position xyz, normal xyz, uv.
val grid = { mesh: Mesh, columns: Int, rows: Int, at: (Double, Double) -> DoubleArray ->
    val points = (0..rows).flatMap { r -> (0..columns).map { c -> at(c.toDouble() / columns, r.toDouble() / rows) } }
    fun part(from: Int, count: Int) = FloatArray(points.size * count) { points[it / count][from + it % count].toFloat() }
    mesh.positions = part(0, 3)
    mesh.attribute("normal", 3, part(3, 3))
    mesh.attribute("uv", 2, part(6, 2))
    mesh.indices = (0 until rows * columns).flatMap {
        val corner = it / columns * (columns + 1) + it % columns
        listOf(corner, corner + 1, corner + columns + 1, corner + 1, corner + columns + 2, corner + columns + 1)
    }.toIntArray()
}

val sphere = { mesh: Mesh, radius: Double ->
    grid(mesh, 64, 32) { u, v ->
        val (around, down) = Pair(2 * PI * u, PI * v)
        val (x, y, z) = Triple(sin(down) * cos(around), cos(down), sin(down) * sin(around))
        doubleArrayOf(x * radius, y * radius, z * radius, x, y, z, u, v)
    }
}

// A ring about the z axis; `turn` 1.0 is the whole circle, 0.5 an arch that stands on its ends.
val ring = { mesh: Mesh, radius: Double, thickness: Double, turn: Double ->
    grid(mesh, 128, 16) { u, v ->
        val (along, around) = Pair(2 * PI * turn * u, 2 * PI * v)
        val (x, y, z) = Triple(cos(around) * cos(along), cos(around) * sin(along), sin(around))
        doubleArrayOf(cos(along) * radius + x * thickness, sin(along) * radius + y * thickness, z * thickness, x, y, z, u, v)
    }
}

bx += "grid" to grid
bx += "sphere" to sphere
bx += "ring" to ring
