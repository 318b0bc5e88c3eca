package field.host.box

import field.host.makeFolder
import java.nio.charset.StandardCharsets
import java.nio.file.Files
import java.nio.file.Path

/**
 * Writes the files of this starting point where [paths] has `{{templates}}` and `{{workspace}}`; gives the master file.
 *
 * @throws BoxException when a text is not ASCII: Field reads ISO-8859-1 and writes the platform's charset, so
 *   anything else decays at each save. Nothing is written then.
 */
fun StartingPoint.write(paths: FieldPaths): Path {
    val folder = paths.resolve(home, paths.templates)
    val files = LinkedHashMap<Path, String>()
    for (box in boxes) {
        val data = paths.resolve(box.dataFile, folder)
        files[data] = Edn.print(box.properties, data.toString())
        for ((property, text) in box.texts) files[paths.resolve(box.textFiles.getValue(property), data.parent)] = text
    }
    val master = folder.resolve(name + FieldPaths.MASTER)
    files[master] = Edn.print(record(this), master.toString())
    files.forEach { (file, text) -> checkAscii(file, text) }
    for ((file, text) in files) {
        makeFolder(file.parent)
        Files.writeString(file, text, StandardCharsets.US_ASCII)
    }
    return master
}

private fun record(startingPoint: StartingPoint) = FieldRecord(
    "document",
    mapOf(
        "externalList" to startingPoint.boxes.map {
            FieldRecord(
                "external",
                mapOf(
                    "textFiles" to it.textFiles, "dataFile" to it.dataFile, "id" to it.id, "boxClass" to it.boxClass,
                    "parents" to it.parents, "children" to it.children, "overriddenProperties" to it.overridden
                )
            )
        },
        "knownFiles" to startingPoint.knownFiles.associateWith { FieldRecord("filespec", mapOf("name" to it)) },
        "knownProperties" to startingPoint.knownProperties
    )
)

private fun checkAscii(file: Path, text: String) {
    val line = text.lineSequence().indexOfFirst { line -> line.any { it.code > 126 } } + 1
    if (line > 0) throw BoxException("$file:$line: character ${text.first { it.code > 126 }.code}, expected ASCII")
}
