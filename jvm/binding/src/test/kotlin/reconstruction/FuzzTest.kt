package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Tag
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.junit.jupiter.params.provider.ValueSource
import reconstruction.vulkan.SoftwareDriver
import java.nio.file.Path

/** Ten thousand random calls of every native under -Xcheck:jni: no crash, no word about our natives. */
class FuzzTest {
    @ParameterizedTest
    @CsvSource("LAVAPIPE, 10000", "SWIFTSHADER, 2000")
    fun `random calls end in exceptions`(driver: SoftwareDriver, rounds: Int) = randomCalls(driver, rounds, seed = 1)

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = [2, 3, 4, 5, 6, 7, 8])
    fun `other random calls end in exceptions`(seed: Int) = SoftwareDriver.values().forEach { randomCalls(it, 10000, seed) }

    private fun randomCalls(driver: SoftwareDriver, rounds: Int, seed: Int) {
        val java = Path.of(System.getProperty("java.home"), "bin", "java").toString()
        val classPath = System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")
        val process = ProcessBuilder(
            java, "-Xcheck:jni", "-Xmx512m", "-cp", classPath, "reconstruction.FuzzMain", driver.name, "$rounds", "$seed",
        ).redirectErrorStream(true).start()
        val output = process.inputStream.readAllBytes().decodeToString()
        assertEquals(0, process.waitFor(), output)
        assertTrue("reconstruction" !in output, output)
        // The calls got through the wall often enough to have tested what lies behind it.
        for (native in listOf("hostCreate", "support", "recommend", "contextCreate", "contextEvaluate", "contextQuery", "contextClose")) {
            val passed = Regex("\\b$native passed=(\\d+)").find(output)?.groupValues?.get(1)?.toInt() ?: 0
            assertTrue(passed >= rounds / 50, "$native passed $passed times\n$output")
        }
    }
}
