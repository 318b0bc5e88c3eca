package field.host.box

import java.nio.file.Path

/**
 * One box as it lies on disk.
 *
 * @param dataFile where its `.box` is, as the master file says it (`{{templates}}/...`)
 * @param textFiles per property ("code", "vertex", ...) the file that holds its text, said in the same way
 * @param parents ids, [Box.ROOT_ID] for the root
 * @param overridden properties of the document (mostly "frame") that win over those of the `.box`
 * @param properties content of the `.box`, names to values, in its order
 * @param texts content of [textFiles], per property
 */
data class StoredBox(
    val id: String,
    val boxClass: String,
    val dataFile: String,
    val textFiles: Map<String, String>,
    val parents: List<String>,
    val children: List<String>,
    val overridden: Map<String, Any?>,
    val properties: Map<String, Any?>,
    val texts: Map<String, String>,
)

/**
 * A document or template of Field: a folder with `NAME.field2`, mostly called `NAME` too, and per box a `.box` and its text files.
 *
 * @param home the folder as Field writes it, `{{templates}}/FOLDER`
 * @param knownFiles names of the properties that may have files of their own
 * @param knownProperties names of the properties that Field saves
 */
data class StartingPoint(
    val name: String,
    val home: String,
    val boxes: List<StoredBox>,
    val knownFiles: List<String>,
    val knownProperties: Set<String>,
) {
    /**
     * One line for each parent or child that is not in this document. Field saves such when a template was cut out
     * of a larger document, and passes over them, as [toBoxes] does.
     */
    val lost: List<String>
        get() {
            val ids = boxes.map { it.id } + Box.ROOT_ID
            return boxes.flatMap { box ->
                fun lines(key: String, of: List<String>) =
                    (of - ids).map { "$home/$name${FieldPaths.MASTER}: key $key of ${box.id}: no box $it in this document" }
                lines("parents", box.parents) + lines("children", box.children)
            }
        }

    /** The boxes under a new root; every box has its properties, its texts too, and its parents in its own order. */
    fun toBoxes(): Box {
        val root = Box.root()
        val made = boxes.associate { stored ->
            val all = stored.properties + stored.overridden
            val box = Box((all["name"] ?: "untitled").toString(), stored.id, stored.boxClass)
            all.filterKeys { !it.startsWith("__") && !it.endsWith("_cookie") }.forEach { (name, value) -> box.put(name, value) }
            stored.texts.forEach { (name, text) -> box.put(name, text) }
            stored.id to box
        } + (Box.ROOT_ID to root)
        for (stored in boxes) stored.parents.forEach { made[it]?.connect(made.getValue(stored.id)) }
        for (stored in boxes) stored.children.mapNotNull { made[it] }.forEach(made.getValue(stored.id)::connect)
        return root
    }

    /** Every text file and whose text it is, for [BoxRunner.watch]. */
    fun textFiles(paths: FieldPaths): Map<Path, TextFile> = boxes.flatMap { stored ->
        val beside = paths.resolve(stored.dataFile, paths.resolve(home, paths.templates)).parent
        stored.textFiles.map { (property, file) -> paths.resolve(file, beside) to TextFile(stored.id, property) }
    }.toMap()

    companion object {
        /** @throws BoxException naming file and key */
        fun read(folder: Path, paths: FieldPaths): StartingPoint = StartingPointReader(folder, paths).read()

        /** Properties of a box that are saved besides its texts. */
        private val SAVED = listOf("name", "frame", "auto", "comment")

        /** What writing the boxes below [root] to `{{templates}}/[name]` would put there. Texts end up in files of their own. */
        fun of(name: String, root: Box): StartingPoint {
            val home = "${FieldPaths.TEMPLATES}/$name"
            val boxes = root.downwards().drop(1).map { box ->
                val dataFile = "$home/${FieldPaths.onDisk(box.name)}.box"
                val texts = Box.TEXTS.keys.mapNotNull { key -> (box.here(key) as? String)?.let { key to it } }.toMap()
                val textFiles = texts.keys.associateWith { dataFile + Box.TEXTS[it] }
                val properties = LinkedHashMap<String, Any?>()
                SAVED.forEach { key -> box.here(key)?.let { properties[key] = it } }
                properties["__id__"] = box.id
                properties["__boxclass__"] = box.boxClass
                textFiles.forEach { (key, file) -> properties["__filename__$key"] = file }
                properties["__datafilename__"] = dataFile
                val overridden = box.frame?.let { mapOf("frame" to it) } ?: emptyMap()
                val (parents, children) = listOf(box.parents, box.children).map { boxes -> boxes.map { it.id } }
                StoredBox(box.id, box.boxClass, dataFile, textFiles, parents, children, overridden, properties, texts)
            }
            val twice = boxes.groupBy { it.dataFile }.values.firstOrNull { it.size > 1 }
            if (twice != null) {
                throw BoxException("starting point '$name': ${twice.size} boxes would be ${twice[0].dataFile}; give them different names")
            }
            val known = boxes.flatMap { it.properties.keys }.toSet() - "__boxclass__"
            return StartingPoint(name, home, boxes, Box.TEXTS.keys.toList(), known)
        }
    }
}
