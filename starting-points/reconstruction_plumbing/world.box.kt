// Where everything is: camera and objects at a time, in metres and seconds. Edit the motion here.
import kotlin.math.PI
import kotlin.math.cos
import kotlin.math.sin

val at = { time: Double, shot: Int ->
    val swing = 0.30 * sin(0.30 * time - 0.6) + if (shot % 2 == 0) 0.12 else -0.65
    val (far, high) = if (shot % 2 == 0) Pair(7.4, 1.75) else Pair(6.3, 2.6)
    val eye = doubleArrayOf(far * sin(swing), high + 0.15 * sin(0.5 * time), far * cos(swing))
    val middle = move(0.0, 1.55, 0.0)
    val roll = 1.1 * sin(0.55 * time)
    mapOf(
        "eye" to FloatArray(3) { eye[it].toFloat() },
        "view" to lookAt(eye, doubleArrayOf(0.15, 1.32, 0.0)),
        "floor" to move(0.0, 0.0, 0.0),
        "strings" to times(middle, turn(1, 0.25 * time)),
        "upper" to times(move(0.0, 2.70, 0.0), turn(0, PI / 2)),
        "lower" to times(move(0.0, 0.40, 0.0), turn(0, PI / 2)),
        "inner" to times(middle, times(turn(1, 0.4 * time), turn(0, 0.5 + 0.9 * time))),
        "outer" to times(middle, times(turn(1, 0.9 - 0.3 * time), turn(0, 1.2 + 0.5 * time))),
        "lamp" to middle,
        "striped" to times(move(1.9 + roll, 0.34, 1.35), times(turn(0, 0.3), turn(2, -roll / 0.34))),
        "chrome" to move(-1.75, 0.5, 1.1),
        "clay" to move(2.6, 0.62 + 0.12 * sin(1.3 * time), -1.2),
        "panel" to times(move(-3.4, 1.25, -1.9), turn(1, 0.55)),
    )
}

bx += "at" to at
