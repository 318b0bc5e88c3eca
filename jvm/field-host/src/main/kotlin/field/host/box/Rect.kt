package field.host.box

/** Place of a box on the canvas, in canvas units: `x`, `y` is the top left corner, y grows downwards. */
data class Rect(val x: Double, val y: Double, val w: Double, val h: Double)
