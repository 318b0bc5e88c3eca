package field.host.box

import java.io.File
import java.net.URI
import java.nio.file.Files
import java.nio.file.Path
import java.security.MessageDigest
import java.util.jar.JarFile
import java.util.zip.ZipFile

/** The class path that boxes are compiled against. */
object BoxClassPath {
    /** Everything on this process's class path, also what a jar's manifest adds to it. */
    fun ofProcess(): List<Path> {
        val found = LinkedHashSet<Path>()
        System.getProperty("java.class.path").split(File.pathSeparator).filter { it.isNotEmpty() }.forEach { add(Path.of(it), found) }
        return found.toList()
    }

    private fun add(entry: Path, found: MutableSet<Path>) {
        val path = entry.toAbsolutePath().normalize()
        if (!Files.exists(path) || !found.add(path) || Files.isDirectory(path)) return
        val more = JarFile(path.toFile()).use { it.manifest?.mainAttributes?.getValue("Class-Path") } ?: return
        more.split(' ').filter { it.isNotBlank() }.map { path.toUri().resolve(it) }.filter { it.scheme == "file" }
            .forEach { add(Path.of(URI(it.scheme, it.path, null)), found) }
    }

    /** Changes when any class or resource on the path does; reads only the directory of a jar. */
    internal fun fingerprint(path: List<Path>): String {
        val digest = MessageDigest.getInstance("SHA-256")
        fun add(text: String) = digest.update(text.toByteArray())
        for (entry in path) {
            when {
                Files.isDirectory(entry) -> Files.walk(entry).use { files ->
                    files.filter { Files.isRegularFile(it) }.sorted().forEach {
                        add(entry.relativize(it).toString())
                        digest.update(Files.readAllBytes(it))
                    }
                }
                Files.exists(entry) -> ZipFile(entry.toFile()).use { zip ->
                    zip.entries().asSequence().forEach { add("${it.name}:${it.crc};") }
                }
            }
        }
        return digest.digest().hex()
    }

    internal fun ByteArray.hex() = joinToString("") { "%02x".format(it) }
}
