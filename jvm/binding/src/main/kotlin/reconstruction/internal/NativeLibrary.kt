package reconstruction.internal

import reconstruction.UnsupportedDevice
import reconstruction.ascii
import java.io.IOException
import java.io.InputStream
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.util.Locale

/**
 * Loads the native library once per class loader, out of a copy of its own: the JVM lets no two loaders share a file.
 *
 * The library comes from the file named by the system property `reconstruction.library`, else from
 * natives/<os>-<arch>/ on the class path.
 */
internal class NativeLibrary(
    private val os: String = System.getProperty("os.name"),
    private val arch: String = System.getProperty("os.arch"),
    private val override: String? = System.getProperty(PROPERTY),
    private val resource: (String) -> InputStream? = { NativeLibrary::class.java.classLoader.getResourceAsStream(it) },
    private val expected: Long = Abi.FINGERPRINT,
) {
    /** Folder of this platform below natives/. */
    val platform: String = "${osName(os)}-${archName(arch)}"

    /** Loads the library and proves that it is of the same build as this jar. */
    fun load(): Natives {
        val copy = copy()
        try {
            @Suppress("UnsafeDynamicallyLoadedCode")
            System.load(copy.toString())
        } catch (error: UnsatisfiedLinkError) {
            throw UnsupportedDevice(
                "native library: expected one that this system can load for $platform, got " +
                    "${ascii(error.message ?: "no reason")}; ${held()}; set -D$PROPERTY to a file built here",
            )
        } finally {
            // A loaded library keeps its file open on Unix; Windows deletes it at exit.
            if (!copy.toFile().delete()) copy.toFile().deleteOnExit()
            if (!copy.parent.toFile().delete()) copy.parent.toFile().deleteOnExit()
        }
        check(Native)
        return Native
    }

    /** Throws when the library is of another build. */
    fun check(natives: Natives) {
        val got = try {
            natives.fingerprint()
        } catch (_: UnsatisfiedLinkError) {
            throw mismatch("none")
        }
        if (got != expected) throw mismatch(hex(got))
    }

    private fun mismatch(got: String) = UnsupportedDevice(
        "native library: expected the build of this jar (version ${Abi.VERSION}, fingerprint ${hex(expected)}), got " +
            "fingerprint $got; ${held()}; use jar and library of one build" +
            if (override == null) "" else ", or unset -D$PROPERTY",
    )

    private fun copy(): Path {
        val name = System.mapLibraryName("reconstruction_jni")
        try {
            val source = if (override != null) Files.newInputStream(Path.of(override)) else resource("natives/$platform/$name")
            source ?: throw UnsupportedDevice(
                "native library: expected natives/$platform/$name on the class path, got none; ${held()}; " +
                    "use a jar built for this platform or set -D$PROPERTY to a library file",
            )
            source.use {
                val target = Files.createTempDirectory("reconstruction").resolve(name)
                Files.copy(it, target, StandardCopyOption.REPLACE_EXISTING)
                return target
            }
        } catch (error: IOException) {
            throw UnsupportedDevice(
                "native library: expected ${if (override == null) "a writable temporary folder" else "a readable file at -D$PROPERTY"}" +
                    ", got ${ascii(error.toString())}; ${held()}; correct the path or its rights",
            )
        }
    }

    /** What the jar holds, in words. */
    private fun held(): String {
        val index = resource("natives/index.txt")?.use { it.readBytes().decodeToString() } ?: ""
        val platforms = index.lines().filter { it.isNotBlank() }
        return "the jar holds natives for ${if (platforms.isEmpty()) "no platform" else platforms.joinToString()}"
    }

    companion object {
        const val PROPERTY = "reconstruction.library"

        private fun hex(value: Long) = java.lang.Long.toHexString(value)

        private fun osName(name: String): String {
            val lower = name.lowercase(Locale.ROOT)
            return when {
                lower.startsWith("linux") -> "linux"
                lower.startsWith("windows") -> "windows"
                lower.startsWith("mac") -> "macos"
                else -> ascii(lower.replace(' ', '_'))
            }
        }

        private fun archName(name: String): String = when (val lower = name.lowercase(Locale.ROOT)) {
            "amd64", "x86_64", "x64" -> "x64"
            "aarch64", "arm64" -> "arm64"
            else -> ascii(lower)
        }

        /** The library of this class loader; a failure is tried again by the next call. */
        val shared: Natives by lazy { NativeLibrary().load() }
    }
}
