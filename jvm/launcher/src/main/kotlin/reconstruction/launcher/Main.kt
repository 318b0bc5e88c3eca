package reconstruction.launcher

import kotlin.system.exitProcess

/** Runs a starting point and exits with 0, 1 (it could not run) or 2 (a wrong option). */
fun main(arguments: Array<String>) {
    exitProcess(launch(arguments, Console.ofProcess()))
}

/** What [main] does, with the exit code as a value. */
fun launch(arguments: Array<String>, console: Console): Int =
    optionsParser(console) { options -> LaunchedRun(options, console).run() }.execute(*arguments)
