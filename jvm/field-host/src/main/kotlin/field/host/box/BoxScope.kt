package field.host.box

/**
 * What every Kotlin box sees without importing: itself, the root, and the variable that animates.
 * A box may also declare `var _r` of its own, which then counts, as in Field.
 */
class BoxScope(val bx: Box, val root: Box, inherited: Map<String, Any?>) {
    /** Last value assigned when the code has run: a function or [frames] animates, anything else does nothing. */
    @Suppress("PropertyName")
    var _r: Any? = null

    /** Values of the names that the box's ancestors exported, as they were when this run began. */
    val inheritedByName: Map<String, Any?> = inherited
}
