package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotSame
import org.junit.jupiter.api.Test
import reconstruction.vulkan.SoftwareDriver
import reconstruction.vulkan.TestScene
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

    @Test
    fun `a loader that was dropped does not stand in the way of the next`() {
        repeat(4) {
            assertEquals("Reconstructed []", OwnLoader(javaClass.classLoader).run())
            System.gc()
        }
    }
}
