package field.host.box

import java.nio.charset.StandardCharsets
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path
import java.nio.file.StandardWatchEventKinds.ENTRY_CREATE
import java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY
import java.nio.file.StandardWatchEventKinds.OVERFLOW

/** Which text of which box a file holds. */
data class TextFile(val boxId: String, val property: String)

/**
 * Notices that text files were saved. A file counts once two reads, at least [settle] nanoseconds apart, agree: an
 * editor may truncate it, write it in pieces, or replace it.
 */
internal class BoxWatch(files: Map<Path, TextFile>, private val settle: Long = 40_000_000) : AutoCloseable {
    class Change(val file: TextFile, val text: String)

    /** Content at an earlier read and when that was; null content: the file was not there. */
    private class Seen(val text: String?, val at: Long)

    private val files = files.mapKeys { it.key.toAbsolutePath().normalize() }
    private val service = files.keys.first().fileSystem.newWatchService()
    private val folders = this.files.keys.map { it.parent }.distinct()
        .associateBy { it.register(service, ENTRY_CREATE, ENTRY_MODIFY) }
    private val pending = LinkedHashMap<Path, Seen>()

    /** Never blocks; the files whose new content has settled since the last call. */
    fun poll(now: Long = System.nanoTime()): List<Change> {
        generateSequence { service.poll() }.forEach { key ->
            val folder = folders.getValue(key)
            for (event in key.pollEvents()) {
                val touched = if (event.kind() == OVERFLOW) files.keys else setOf(folder.resolve(event.context() as Path))
                touched.filter { it in files }.forEach { pending[it] = Seen(read(it), now) }
            }
            key.reset()
        }
        return pending.entries.toList().mapNotNull { (path, seen) ->
            if (now - seen.at < (if (seen.text.isNullOrEmpty()) 10 * settle else settle)) return@mapNotNull null
            val text = read(path)
            if (text != seen.text) {
                pending[path] = Seen(text, now)
                return@mapNotNull null
            }
            pending.remove(path)
            text?.let { Change(files.getValue(path), it) }
        }
    }

    private fun read(path: Path): String? = try {
        Files.readString(path, StandardCharsets.ISO_8859_1)
    } catch (e: NoSuchFileException) {
        null
    }

    override fun close() = service.close()
}
