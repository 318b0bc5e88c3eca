package field.host

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.extension.ExtensionContext
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.ArgumentsProvider
import org.junit.jupiter.params.provider.ArgumentsSource
import java.util.stream.Stream

/** Runs a test once on each software driver; a missing driver fails it. Modules beside this one use it too. */
@ParameterizedTest
@ArgumentsSource(SoftwareDriverNames::class)
@kotlin.annotation.Target(AnnotationTarget.FUNCTION)
annotation class OnSoftwareDrivers

internal class SoftwareDriverNames : ArgumentsProvider {
    override fun provideArguments(context: ExtensionContext): Stream<Arguments> =
        Stream.of(SoftwareDrivers.LAVAPIPE, SoftwareDrivers.SWIFTSHADER).map { Arguments.of(it) }
}

/**
 * A validated renderer for [work]; afterwards, closing included, the validation layer must have said nothing, and no
 * target may have thrown unless [targetsMayThrow].
 */
fun onRenderer(
    driver: String, width: Int = 96, height: Int = 64, targetsMayThrow: Boolean = false, work: (Renderer) -> Unit,
) {
    val renderer = Renderer(driver, validation = true, screenWidth = width, screenHeight = height)
    renderer.use {
        work(it)
        it.waitIdle()
    }
    assertEquals(emptyList<String>(), renderer.validationMessages)
    if (!targetsMayThrow) assertEquals(null, renderer.lastError)
}

/** Renders [targets] as one frame. */
internal fun Renderer.frameOf(vararg targets: field.host.Target) {
    renderList.preTargets.clear()
    renderList.preTargets += targets
    frame()
}

/** Two triangles that cover the rectangle given in clip coordinates. */
internal fun quad(left: Float, bottom: Float, right: Float, top: Float, depth: Float = 0.5f) = floatArrayOf(
    left, bottom, depth, right, bottom, depth, right, top, depth,
    left, bottom, depth, right, top, depth, left, top, depth,
)
