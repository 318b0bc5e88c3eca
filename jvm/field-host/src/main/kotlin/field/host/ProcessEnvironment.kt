package field.host

import org.lwjgl.system.JNI
import org.lwjgl.system.Library
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.MemoryUtil.memAddress

/** The C environment of this process, which native libraries read; System.getenv keeps showing the one at start. */
internal object ProcessEnvironment {
    private val setenv by lazy {
        Library.loadNative(ProcessEnvironment::class.java, "field.host", "libc.so.6").getFunctionAddress("setenv")
    }

    fun set(name: String, value: String) = stackPush().use { stack ->
        JNI.invokePPI(memAddress(stack.UTF8(name)), memAddress(stack.UTF8(value)), 1, setenv)
        Unit
    }
}
