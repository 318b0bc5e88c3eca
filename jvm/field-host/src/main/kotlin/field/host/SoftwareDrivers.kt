package field.host

import java.nio.file.Files
import java.nio.file.Path

/** The two software Vulkan drivers that Debian packages, found by their ICD files. */
object SoftwareDrivers {
    private val icdFolder = Path.of("/usr/share/vulkan/icd.d")

    /** Mesa's lavapipe (package mesa-vulkan-drivers), or null. */
    val lavapipe: Path?
        get() = if (!Files.isDirectory(icdFolder)) null
        else Files.newDirectoryStream(icdFolder, "lvp_icd*.json").use { it.sorted().firstOrNull() }

    /** SwiftShader as it lies beside Debian's chromium, or null. */
    val swiftShader: Path?
        get() = Path.of("/usr/lib/chromium/vk_swiftshader_icd.json").takeIf { Files.exists(it) }
}
