package field.host.box

/** A coroutine to be resumed once a frame; made by [frames]. */
class Frames internal constructor(internal val body: suspend SequenceScope<Any>.() -> Unit)

/**
 * What a box assigns to `_r` to animate: `_r = frames { while (!bx.ended) { draw(); yield() }; close() }`.
 * The body runs up to its first `yield()` in the first frame, on to the next in the second, and so on.
 */
fun frames(body: suspend SequenceScope<Any>.() -> Unit) = Frames(body)

/** Ends this frame's part of a coroutine made by [frames]; goes on here in the next frame. */
suspend fun SequenceScope<Any>.yield() = yield(true)
