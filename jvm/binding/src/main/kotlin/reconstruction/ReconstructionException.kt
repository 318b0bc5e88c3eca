package reconstruction

/**
 * Every fault this library throws. The message is one ASCII line: what, where, expected, got, remedy.
 * Nothing has been recorded when it is thrown, and the context stays usable unless the subclass says otherwise.
 */
sealed class ReconstructionException(message: String) : RuntimeException(message)

/** The device, the native library or the model cannot do what is asked. `support` and `recommend` give the same line. */
class UnsupportedDevice(message: String) : ReconstructionException(message)

/** An argument is wrong: a handle, a size, a format, a number. */
class InvalidInput(message: String) : ReconstructionException(message)

/** The object is not in a state for this call: closed, replaced, broken, or its command buffer is not recording. */
class InvalidState(message: String) : ReconstructionException(message)

/** Device memory is exhausted; what the failed call had made is freed again. */
class OutOfDeviceMemory(message: String) : ReconstructionException(message)

/** The device was lost. Every later call on this host throws it again; `close` still works. */
class DeviceLost(message: String) : ReconstructionException(message)

/** A fault of this library. The object it happened in is broken and can only be closed; others go on. */
class InternalFault(message: String) : ReconstructionException(message)

/** Printable ASCII, for texts of callers inside our lines. */
internal fun ascii(text: String): String = buildString(text.length) {
    for (c in text) append(if (c in ' '..'~') c else '?')
}
