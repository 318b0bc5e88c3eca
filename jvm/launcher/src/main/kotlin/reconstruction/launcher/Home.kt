package reconstruction.launcher

import java.nio.file.Path

/** Where the project lies and where its results go; ./run says it, the working directory unless said. */
internal object Home {
    private val folder = Path.of(System.getProperty("reconstruction.home", ""))

    val startingPoints: Path = folder.resolve("starting-points")
    val results: Path = folder.resolve("out")

    /** Compiled boxes, so that a second run need not compile them. */
    val boxCache: Path = results.resolve("box-cache")

    /** The program `reconstruct`. */
    val program: String = System.getProperty("reconstruction.program", "reconstruct")
}
