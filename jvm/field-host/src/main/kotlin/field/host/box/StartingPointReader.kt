package field.host.box

import java.io.IOException
import java.nio.charset.StandardCharsets
import java.nio.file.Files
import java.nio.file.NoSuchFileException
import java.nio.file.Path

/** Reads a folder in Field's disk format. Every fault is a [BoxException] of one line: file, key, what was expected. */
internal class StartingPointReader(private val folder: Path, private val paths: FieldPaths) {
    private val master = master()
    private val name = master.fileName.toString().removeSuffix(FieldPaths.MASTER)

    fun read(): StartingPoint {
        val file = master.toString()
        val document = Edn.parse(text(master, "master file"), file)
        if (document !is FieldRecord || document.name != "document") throw BoxException("$file: expected #field/document{...}")
        val externals: List<*> = Key(file, "externalList").of(document.values)
        val boxes = externals.mapIndexed { i, external -> box(external, i) }
        val twice = boxes.groupBy { it.id }.values.firstOrNull { it.size > 1 }
        if (twice != null) throw BoxException("$master: key id: ${twice[0].id} is there ${twice.size} times")
        val knownFiles: Map<*, *> = Key(file, "knownFiles").of(document.values)
        val knownProperties: Set<*> = Key(file, "knownProperties").of(document.values)
        return StartingPoint(
            name, paths.relativize(folder), boxes, knownFiles.keys.map { it.toString() }, knownProperties.map { it.toString() }.toSet()
        )
    }

    /** A key of a file, for reading its value and for naming it in errors. */
    private class Key(val file: String, val name: String) {
        inline fun <reified T : Any> of(values: Map<*, *>): T {
            val value = values[name.substringAfterLast(' ')]
            return value as? T ?: wrong(T::class.java.simpleName, value)
        }

        fun wrong(expected: String, value: Any?): Nothing =
            throw BoxException("$file: key $name: expected $expected, got ${value?.javaClass?.simpleName ?: "nothing"}")

        fun strings(values: Map<*, *>): List<String> =
            of<List<*>>(values).map { it as? String ?: wrong("a list of String", it) }
    }

    private fun box(external: Any?, index: Int): StoredBox {
        val where = "externalList[$index]"
        if (external !is FieldRecord || external.name != "external") throw BoxException("$master: key $where: expected #field/external{...}")
        fun key(name: String) = Key(master.toString(), "$where $name")
        val id: String = key("id").of(external.values)
        val dataFile: String = key("dataFile").of(external.values)
        val data = paths.resolve(dataFile, folder)
        val properties = Edn.parse(text(data, "key $where dataFile"), data.toString()) as? Map<*, *>
            ?: throw BoxException("$data: expected one map of properties")
        val named = properties.entries.associateTo(LinkedHashMap()) { (name, value) ->
            (name as? String ?: throw BoxException("$data: key $name: expected a String as name of a property")) to value
        }
        val files: Map<*, *> = key("textFiles").of(external.values)
        val textFiles = files.entries.associateTo(LinkedHashMap()) { (property, file) ->
            property.toString() to (file as? String ?: key("textFiles").wrong("paths", file))
        }
        val texts = textFiles.mapValues { (property, file) -> text(paths.resolve(file, data.parent), "key $where textFiles $property") }
        val overridden: Map<*, *> = if ("overriddenProperties" in external.values) key("overriddenProperties").of(external.values) else emptyMap<Any, Any>()
        return StoredBox(
            id, key("boxClass").of(external.values), dataFile, textFiles,
            key("parents").strings(external.values), key("children").strings(external.values),
            overridden.mapKeys { it.key.toString() }, named, texts
        )
    }

    /** Mostly named like its folder; else there must be only one. */
    private fun master(): Path {
        val all = if (Files.isDirectory(folder)) FieldPaths.masters(folder) else emptyList()
        val same = folder.toAbsolutePath().normalize().fileName.toString() + FieldPaths.MASTER
        return all.firstOrNull { it.fileName.toString() == same } ?: all.singleOrNull()
            ?: throw BoxException("$folder: expected $same, got ${all.joinToString { it.fileName.toString() }.ifEmpty { "none" }}")
    }

    /** Field reads every text as ISO-8859-1. */
    private fun text(file: Path, askedBy: String): String = try {
        Files.readString(file, StandardCharsets.ISO_8859_1)
    } catch (e: NoSuchFileException) {
        throw BoxException("$file: no such file, asked for by $askedBy of $master")
    } catch (e: IOException) {
        throw BoxException("$file: cannot be read: ${BoxError.oneLine(e.message ?: e.javaClass.simpleName)}")
    }
}
