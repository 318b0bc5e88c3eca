package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import reconstruction.internal.Abi
import reconstruction.internal.NativeLibrary
import java.nio.file.Files
import java.nio.file.Path

/** Every way in which there is no native library ends in one line that says what the jar holds. */
class NativeLibraryTest {
    private val index = "linux-x64\nmacos-arm64\n"
    private val onlyIndex = { path: String -> if (path == "natives/index.txt") index.byteInputStream() else null }
    private val hexHere = java.lang.Long.toHexString(Abi.FINGERPRINT)

    private fun line(library: NativeLibrary): String =
        assertThrows(UnsupportedDevice::class.java) { library.load() }.message!!

    @Test
    fun `a platform that the jar lacks`() {
        val library = NativeLibrary("FreeBSD", "riscv64", null, onlyIndex)
        val file = System.mapLibraryName("reconstruction_jni")
        assertEquals(
            "native library: expected natives/freebsd-riscv64/$file on the class path, got none; " +
                "the jar holds natives for linux-x64, macos-arm64; " +
                "use a jar built for this platform or set -Dreconstruction.library to a library file",
            line(library),
        )
    }

    @Test
    fun `a jar without any library`() {
        assertTrue(line(NativeLibrary("Linux", "amd64", null, { null })).contains("the jar holds natives for no platform"))
    }

    @Test
    fun `platforms have one name each`() {
        val names = listOf("Linux" to "amd64", "Windows 11" to "x86_64", "Mac OS X" to "aarch64").map { (os, arch) ->
            NativeLibrary(os, arch, null, onlyIndex).platform
        }
        assertEquals(listOf("linux-x64", "windows-x64", "macos-arm64"), names)
    }

    @Test
    fun `an override that does not exist`() {
        val line = line(NativeLibrary("Linux", "amd64", "/nowhere/lib.so", onlyIndex))
        assertEquals(
            "native library: expected a readable file at -Dreconstruction.library, got " +
                "java.nio.file.NoSuchFileException: /nowhere/lib.so; the jar holds natives for linux-x64, macos-arm64; " +
                "correct the path or its rights",
            line,
        )
    }

    @Test
    fun `a file that is no library`(@TempDir folder: Path) {
        val empty = Files.createFile(folder.resolve("lib.so"))
        val line = line(NativeLibrary("Linux", "amd64", empty.toString(), onlyIndex))
        assertTrue(line.startsWith("native library: expected one that this system can load for linux-x64, got "), line)
        assertTrue(line.endsWith("set -Dreconstruction.library to a file built here"), line)
    }

    @Test
    fun `a library of another build`() {
        val library = NativeLibrary("Linux", "amd64", null, onlyIndex, expected = 0x1234)
        val error = assertThrows(UnsupportedDevice::class.java) { library.check(RecordingNatives()) }
        assertEquals(
            "native library: expected the build of this jar (version 0.1.0, fingerprint 1234), got fingerprint $hexHere; " +
                "the jar holds natives for linux-x64, macos-arm64; use jar and library of one build",
            error.message,
        )
    }

    @Test
    fun `the reason is a value before it is a throw`() {
        val host = RecordingNatives.host(RecordingNatives()) { NativeLibrary("FreeBSD", "riscv64", null, onlyIndex).load() }
        val output = ReconstructionSize(1920, 1080)
        val best = DlssReconstruction.recommend(host, output, ReconstructionMode.QUALITY)
        assertEquals(output, best.optimal)
        assertEquals("", DlssReconstruction.support(host).device)
        val error = assertThrows(UnsupportedDevice::class.java) {
            DlssReconstruction(host, best.optimal, output, ReconstructionMode.QUALITY)
        }
        assertEquals(best.reason, error.message)
        assertTrue(error.message!!.contains("natives/freebsd-riscv64/"))
    }
}
