package reconstruction.vulkan

import org.lwjgl.system.JNI
import org.lwjgl.system.Library
import org.lwjgl.system.MemoryUtil.memASCII
import org.lwjgl.system.MemoryUtil.memAddress
import org.lwjgl.system.MemoryUtil.memFree
import java.nio.file.Files
import java.nio.file.Path

/** The two Vulkan drivers that need no GPU. A test that finds neither fails: it must never pass by not running. */
enum class SoftwareDriver(private val folder: String, private val pattern: String) {
    LAVAPIPE("/usr/share/vulkan/icd.d", "lvp_icd*.json"),
    SWIFTSHADER("/usr/lib/chromium", "vk_swiftshader_icd.json");

    private val icd: Path
        get() = Files.newDirectoryStream(Path.of(folder), pattern).use { it.sorted().firstOrNull() }
            ?: error("no $pattern in $folder: install mesa-vulkan-drivers and chromium")

    /** Lets the loader see this driver alone. It reads the C environment whenever an instance is made. */
    fun select() {
        val setenv = Library.loadNative(SoftwareDriver::class.java, "reconstruction", "libc.so.6").getFunctionAddress("setenv")
        val value = memASCII(icd.toString())
        for (variable in listOf("VK_DRIVER_FILES", "VK_ICD_FILENAMES")) {
            val name = memASCII(variable)
            JNI.invokePPI(memAddress(name), memAddress(value), 1, setenv)
            memFree(name)
        }
        memFree(value)
    }
}
