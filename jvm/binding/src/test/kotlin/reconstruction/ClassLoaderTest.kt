package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotSame
import org.junit.jupiter.api.Test
import reconstruction.vulkan.SoftwareDriver
import reconstruction.vulkan.TestScene
import java.lang.ref.WeakReference
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Callable

/** What a loader of its own runs: one frame, and the class it ran through. */
class OneFrame : Callable<String> {
    override fun call(): String = TestScene(SoftwareDriver.LAVAPIPE).use { scene ->
        val neural = scene.context()
        val result = scene.evaluate(neural, scene.frame(neural, 0))
        neural.close()
        "$result ${scene.device.messages}"
    }
}

/** Defines the classes of this library anew, shares every other: what rerunning a box can do in a live environment. */
private class OwnLoader(parent: ClassLoader) : ClassLoader(parent) {
    override fun loadClass(name: String, resolve: Boolean): Class<*> {
        if (!name.startsWith("reconstruction.")) return super.loadClass(name, resolve)
        return findLoadedClass(name) ?: run {
            val bytes = parent.getResourceAsStream(name.replace('.', '/') + ".class")!!.use { it.readBytes() }
            defineClass(name, bytes, 0, bytes.size)
        }
    }

    @Suppress("UNCHECKED_CAST")
    fun run(): String = (loadClass(OneFrame::class.java.name).getDeclaredConstructor().newInstance() as Callable<String>).call()
}

class ClassLoaderTest {
    @Test
    fun `every class loader has its own library`() {
        val parent = javaClass.classLoader
        val first = OwnLoader(parent)
        val second = OwnLoader(parent)
        assertNotSame(first.loadClass("reconstruction.internal.Native"), second.loadClass("reconstruction.internal.Native"))
        val expected = "Reconstructed []"
        assertEquals(expected, OneFrame().call())
        assertEquals(expected, first.run())
        assertEquals(expected, second.run())
        assertEquals(expected, first.run())
    }

    /** Inodes of the copies of the native library that the process has mapped. */
    private fun libraries() = Files.readAllLines(Path.of("/proc/self/maps"))
        .filter { "reconstruction_jni" in it }.map { it.split(Regex(" +"))[4] }.toSet()

    @Test
    fun `a loader that was dropped is unloaded with its library`() {
        OneFrame().call()
        val before = libraries()
        val dropped = List(3) {
            val loader = OwnLoader(javaClass.classLoader)
            assertEquals("Reconstructed []", loader.run())
            WeakReference<ClassLoader>(loader)
        }
        val loaded = libraries() - before
        assertEquals(3, loaded.size)
        // A collection may leave what the one before it still named.
        var collections = 0
        while ((dropped.any { it.get() != null } || libraries().any { it in loaded }) && collections++ < 50) {
            System.gc()
            Thread.sleep(50)
        }
        assertEquals(List(3) { null }, dropped.map { it.get() }, "class loaders still held after $collections collections")
        assertEquals(emptySet<String>(), libraries() intersect loaded, "still mapped after $collections collections")
    }
}
