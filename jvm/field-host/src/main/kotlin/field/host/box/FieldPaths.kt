package field.host.box

import java.nio.file.Files
import java.nio.file.Path

/** The two folders that paths inside Field's files begin with: `{{templates}}` and `{{workspace}}`. */
class FieldPaths(templates: Path, workspace: Path = templates) {
    val templates: Path = templates.toAbsolutePath().normalize()
    val workspace: Path = workspace.toAbsolutePath().normalize()

    /** The file that [text] names; without a `{{...}}` in front it lies in [beside]. */
    fun resolve(text: String, beside: Path): Path {
        fun below(folder: Path, mark: String) = folder.resolve(text.removePrefix(mark).trimStart('/'))
        val path = when {
            text.startsWith(TEMPLATES) -> below(templates, TEMPLATES)
            text.startsWith(WORKSPACE) -> below(workspace, WORKSPACE)
            text.startsWith("{{") -> throw BoxException("path '$text': expected $TEMPLATES or $WORKSPACE in front")
            else -> beside.resolve(text)
        }
        return path.resolveSibling(onDisk(path.fileName.toString())).normalize()
    }

    /** How a file of ours writes [path]. */
    fun relativize(path: Path): String {
        val absolute = path.toAbsolutePath().normalize()
        fun from(folder: Path, mark: String) = if (absolute.startsWith(folder)) "$mark/${folder.relativize(absolute)}" else null
        return from(templates, TEMPLATES) ?: from(workspace, WORKSPACE) ?: absolute.toString()
    }

    /**
     * The folder of the starting point whose name ends in [name], templates before workspace, one level deep.
     * A folder of exactly that name wins over longer ones.
     */
    fun find(name: String): Path {
        for (folder in listOf(templates, workspace).distinct().filter { Files.isDirectory(it) }) {
            val found = startingPoints(folder).filter { it.fileName.toString().endsWith(name) }
            found.firstOrNull { it.fileName.toString() == name }?.let { return it }
            if (found.size > 1) {
                throw BoxException("starting point '$name': ${found.joinToString { it.fileName.toString() }} all end so; say more of the name")
            }
            found.firstOrNull()?.let { return it }
        }
        val known = listOf(templates, workspace).distinct().filter { Files.isDirectory(it) }.flatMap(::startingPoints).map { it.fileName }
        throw BoxException("starting point '$name': not in $templates nor $workspace, which have ${known.joinToString().ifEmpty { "none" }}")
    }

    private fun startingPoints(folder: Path): List<Path> = Files.list(folder).use { all ->
        all.filter { Files.isDirectory(it) && Files.isReadable(it) && masters(it).isNotEmpty() }.sorted().toList()
    }

    companion object {
        const val TEMPLATES = "{{templates}}"
        const val WORKSPACE = "{{workspace}}"
        internal const val MASTER = ".field2"

        internal fun masters(folder: Path): List<Path> = Files.list(folder).use { all ->
            all.filter { it.toString().endsWith(MASTER) }.sorted().toList()
        }

        /** Characters that Field spells out in the name of a file. */
        internal fun onDisk(name: String): String = name.replace(">", "_").replace("?", "_query_").replace("*", "_star_")
            .replace(":", "_colon_").replace("\\", "_backslash_").replace("/", "_slash_")
    }
}
