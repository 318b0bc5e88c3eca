package field.host

import java.nio.file.Files
import java.nio.file.Path

/** Makes a folder and those above it. A link to a folder is one, which JDK 17's own call refuses. */
fun makeFolder(folder: Path) {
    if (!Files.isDirectory(folder)) Files.createDirectories(folder)
}
