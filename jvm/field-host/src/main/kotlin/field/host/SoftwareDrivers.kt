package field.host

import java.nio.file.Files
import java.nio.file.Path

/** The two software Vulkan drivers that Debian packages, found by their ICD files. */
object SoftwareDrivers {
    /** Names under which [Renderer] finds the drivers' devices. */
    const val LAVAPIPE: String = "llvmpipe"
    const val SWIFTSHADER: String = "SwiftShader"

    private val icdFolder = Path.of("/usr/share/vulkan/icd.d")
    private val userChoices = listOf("VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES")

    /** Mesa's lavapipe (package mesa-vulkan-drivers), or null. */
    val lavapipe: Path?
        get() = if (!Files.isDirectory(icdFolder)) null
        else Files.newDirectoryStream(icdFolder, "lvp_icd*.json").use { it.sorted().firstOrNull() }

    /** SwiftShader as it lies beside Debian's chromium, or null. */
    val swiftShader: Path?
        get() = Path.of("/usr/lib/chromium/vk_swiftshader_icd.json").takeIf { Files.exists(it) }

    /**
     * Lets the Vulkan loader see SwiftShader beside the installed drivers, unless the environment names drivers already.
     * The loader reads the variable whenever an instance is made.
     */
    internal fun offer() {
        val icd = swiftShader ?: return
        if (userChoices.none { !System.getenv(it).isNullOrEmpty() }) ProcessEnvironment.set("VK_ADD_DRIVER_FILES", icd.toString())
    }
}
