// What stands in the scene: meshes with their material and their place in `now` and `old`.
import field.host.*

// A material: albedo rgb and gloss 0..1; pattern as the fragment shader numbers it.
val place = { mesh: Mesh, name: String, pattern: Int, r: Double, g: Double, b: Double, gloss: Double ->
    mesh.uniform("model") { now.getValue(name) }
    mesh.uniform("oldModel") { old.getValue(name) }
    mesh.uniform("pattern") { pattern }
    mesh.uniform("material") { floatArrayOf(r.toFloat(), g.toFloat(), b.toFloat(), gloss.toFloat()) }
}

val festoons = listOf(cable(-9.0, 4.6, -3.5, 0.0, 3.45, 0.0, 0.9), cable(0.0, 3.45, 0.0, 9.0, 4.2, -3.0, 0.9))
val bulbs = festoons.flatMap { line -> (2..22 step 4).map { line.copyOfRange(3 * it, 3 * it + 3) } }

bx += "addObjects" to { module: Module ->
    addUniforms(module)
    module.mesh("sky") { sphere(this, 1.0); place(this, "floor", 0, 0.0, 0.0, 0.0, 0.0) }
    module.mesh("floor") {
        grid(this, 40, 40) { u, v -> doubleArrayOf(120 * u - 60, 0.0, 120 * v - 60, 0.0, 1.0, 0.0, u, v) }
        place(this, "floor", 1, 0.5, 0.5, 0.5, 0.9)
    }
    module.mesh("arch") { ring(this, 3.45, 0.045, 0.5); place(this, "floor", 2, 0.10, 0.09, 0.085, 0.3) }
    for (name in listOf("upper", "lower")) module.mesh(name) { ring(this, 1.0, 0.028, 1.0); place(this, name, 2, 0.80, 0.52, 0.22, 0.9) }
    module.mesh("inner") { ring(this, 1.22, 0.022, 1.0); place(this, "inner", 2, 0.75, 0.20, 0.10, 0.5) }
    module.mesh("outer") { ring(this, 1.42, 0.026, 1.0); place(this, "outer", 2, 0.12, 0.30, 0.34, 0.5) }
    module.mesh("striped") { sphere(this, 0.34); place(this, "striped", 3, 0.85, 0.25, 0.10, 0.4) }
    module.mesh("chrome") { sphere(this, 0.5); place(this, "chrome", 4, 0.92, 0.90, 0.86, 1.0) }
    module.mesh("clay") { sphere(this, 0.42); place(this, "clay", 2, 0.50, 0.22, 0.12, 0.15) }
    module.mesh("panel") {
        grid(this, 1, 1) { u, v -> doubleArrayOf(2.2 * u - 1.1, 0.9 - 1.8 * v, 0.0, 0.0, 0.0, 1.0, 2.2 * u, 1.8 * v) }
        place(this, "panel", 5, 0.9, 0.87, 0.8, 0.1)
    }
    module.mesh("strings") { wires(this, strings, 0.009); place(this, "strings", 6, 0.95, 0.85, 0.65, 0.5) }
    module.mesh("cables") { wires(this, festoons, 0.011); place(this, "floor", 6, 0.05, 0.05, 0.05, 0.1) }
    module.mesh("lamp") { sphere(this, 0.2); place(this, "lamp", 7, 22.0, 12.0, 5.0, 0.0) }
    bulbs.forEachIndexed { i, at ->
        val here = move(at[0], at[1] - 0.06, at[2])
        module.mesh("bulb $i") { sphere(this, 0.05); place(this, "lamp", 7, 14.0, 8.0, 3.2, 0.0); uniform("model") { here }; uniform("oldModel") { here } }
    }
}
