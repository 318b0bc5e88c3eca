package field.host

import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import org.lwjgl.glfw.GLFWNativeX11.glfwGetX11Display
import org.lwjgl.glfw.GLFWNativeX11.glfwGetX11Window
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.linux.X11
import org.lwjgl.system.linux.XEvent
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files
import java.nio.file.Path

class WindowTest {
    @TempDir
    lateinit var folder: Path
    private lateinit var xvfb: Process

    @BeforeEach
    fun startDisplay() {
        xvfb = ProcessBuilder("Xvfb", "-displayfd", "1", "-screen", "0", "320x240x24", "-fbdir", "$folder", "-nolisten", "tcp")
            .redirectError(ProcessBuilder.Redirect.DISCARD).start()
        ProcessEnvironment.set("DISPLAY", ":" + xvfb.inputStream.bufferedReader().readLine())
    }

    @AfterEach
    fun stopDisplay() {
        xvfb.destroy()
        xvfb.waitFor()
    }

    // Xvfb keeps its picture in a file of xwd's format: a big-endian header, a palette, rows of B G R x.
    private fun pixelsOf(rgb: Int): Int {
        val file = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("Xvfb_screen0"))).order(ByteOrder.BIG_ENDIAN)
        val start = file.getInt(0) + file.getInt(19 * 4) * 12
        file.order(ByteOrder.LITTLE_ENDIAN)
        return (0 until 320 * 240).count { file.getInt(start + it * 4) and 0xffffff == rgb }
    }

    private fun press(window: Window, keycode: Int) = stackPush().use { stack ->
        for (type in listOf(X11.KeyPress, X11.KeyRelease)) {
            val event = XEvent.calloc(stack)
            event.xkey().type(type).display(glfwGetX11Display()).window(glfwGetX11Window(window.handle)).keycode(keycode)
            X11.XSendEvent(glfwGetX11Display(), glfwGetX11Window(window.handle), true, X11.KeyPressMask.toLong(), event)
        }
    }

    private fun until(renderer: Renderer, condition: () -> Boolean) {
        repeat(200) {
            if (condition()) return
            renderer.frame()
            Thread.sleep(10)
        }
    }

    @Test
    fun `the window shows the screen, reports keys and ends when closed`() {
        val renderer = Renderer(SoftwareDrivers.LAVAPIPE, validation = true, window = true, screenWidth = 64, screenHeight = 48)
        renderer.use {
            val keys = ArrayList<Char>()
            renderer.onKey = { keys += it }
            val pixel = Texture(renderer, 1, 1, floatArrayOf(1f, 0f, 4f, 1f))
            RenderToTexture.external(renderer, pixel.view).blitToScreen("colour")
            repeat(4) { assertTrue(renderer.frame()) }
            until(renderer) { pixelsOf(0xbc00e7) == 64 * 48 }
            assertEquals(64 * 48, pixelsOf(0xbc00e7))
            // Keycodes of b and c on the keyboard that Xvfb has.
            press(renderer.window!!, 56)
            press(renderer.window, 54)
            until(renderer) { keys.size == 2 }
            assertEquals(listOf('b', 'c'), keys)
            assertTrue(renderer.isOpen)
            renderer.closeWindow()
            assertFalse(renderer.isOpen)
            val frames = renderer.frameNumber
            assertFalse(renderer.frame())
            assertEquals(frames, renderer.frameNumber)
        }
        assertEquals(emptyList<String>(), renderer.validationMessages)
    }

    @Test
    fun `the swapchain follows the window's size`() {
        val renderer = Renderer(SoftwareDrivers.LAVAPIPE, validation = true, window = true, screenWidth = 64, screenHeight = 48)
        renderer.use {
            val pixel = Texture(renderer, 1, 1, floatArrayOf(1f, 0f, 4f, 1f))
            RenderToTexture.external(renderer, pixel.view).blitToScreen("colour")
            for ((width, height) in listOf(100 to 60, 40 to 90)) {
                org.lwjgl.glfw.GLFW.glfwSetWindowSize(renderer.window!!.handle, width, height)
                until(renderer) { pixelsOf(0xbc00e7) == width * height }
                assertEquals(width * height, pixelsOf(0xbc00e7))
            }
        }
        assertEquals(emptyList<String>(), renderer.validationMessages)
    }

    @Test
    fun `without a display there is one line`() {
        ProcessEnvironment.set("DISPLAY", "")
        val refused = assertThrows(HostException::class.java) { Renderer(window = true) }
        assertEquals("window: GLFW finds no display; set DISPLAY or leave the window out", refused.message)
    }
}
