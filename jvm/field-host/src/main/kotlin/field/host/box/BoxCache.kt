package field.host.box

import field.host.makeFolder
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardCopyOption.REPLACE_EXISTING
import java.nio.file.attribute.FileTime
import java.time.Instant
import java.util.zip.ZipEntry
import java.util.zip.ZipInputStream
import java.util.zip.ZipOutputStream

/** Compiled boxes on disk, one zip per content key. Damaged files count as absent; several processes may share it. */
internal class BoxCache(private val folder: Path, private val keep: Int = 256) {
    class Entry(val scriptClass: String, val classFiles: Map<String, ByteArray>)

    fun load(key: String): Entry? {
        val file = folder.resolve("$key.zip")
        if (!Files.exists(file)) return null
        return try {
            val files = LinkedHashMap<String, ByteArray>()
            var script: String? = null
            ZipInputStream(Files.newInputStream(file)).use { zip ->
                generateSequence { zip.nextEntry }.forEach {
                    if (it.name == SCRIPT) script = String(zip.readBytes()) else files[it.name] = zip.readBytes()
                }
            }
            Files.setLastModifiedTime(file, FileTime.from(Instant.now()))
            script?.takeIf { it.replace('.', '/') + ".class" in files }?.let { Entry(it, files) }
        } catch (e: IOException) {
            null
        }
    }

    /** A folder that cannot be written only costs the next process the time to compile again. */
    fun store(key: String, entry: Entry) = try {
        write(key, entry)
        prune()
    } catch (_: IOException) {
    }

    private fun write(key: String, entry: Entry) {
        val bytes = ByteArrayOutputStream()
        ZipOutputStream(bytes).use { zip ->
            fun put(name: String, content: ByteArray) {
                zip.putNextEntry(ZipEntry(name))
                zip.write(content)
                zip.closeEntry()
            }
            entry.classFiles.forEach(::put)
            put(SCRIPT, entry.scriptClass.toByteArray())
        }
        makeFolder(folder)
        val part = Files.createTempFile(folder, key, PART)
        try {
            Files.write(part, bytes.toByteArray())
            Files.move(part, folder.resolve("$key.zip"), ATOMIC_MOVE, REPLACE_EXISTING)
        } finally {
            Files.deleteIfExists(part)
        }
    }

    private fun prune() {
        val all = Files.list(folder).use { files -> files.filter { it.toString().endsWith(".zip") }.toList() }
        if (all.size <= keep) return
        all.sortedBy { Files.getLastModifiedTime(it) }.take(all.size - keep).forEach { Files.deleteIfExists(it) }
    }

    private companion object {
        const val SCRIPT = "SCRIPT"
        const val PART = ".part"
    }
}
