package field.host

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.extension.ExtensionContext
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.Arguments
import org.junit.jupiter.params.provider.ArgumentsProvider
import org.junit.jupiter.params.provider.ArgumentsSource
import java.util.stream.Stream

/** Runs a test once on each software driver; a missing driver fails it. */
@ParameterizedTest
@ArgumentsSource(SoftwareDriverNames::class)
@kotlin.annotation.Target(AnnotationTarget.FUNCTION)
annotation class OnSoftwareDrivers

internal class SoftwareDriverNames : ArgumentsProvider {
    override fun provideArguments(context: ExtensionContext): Stream<Arguments> =
        Stream.of(SoftwareDrivers.LAVAPIPE, SoftwareDrivers.SWIFTSHADER).map { Arguments.of(it) }
}

/** A validated renderer for [work]; afterwards the validation layer must have said nothing, closing included. */
internal fun withRenderer(driver: String, width: Int = 64, height: Int = 48, work: (Renderer) -> Unit) {
    val renderer = Renderer(driver, validation = true, screenWidth = width, screenHeight = height)
    val messages = renderer.use {
        work(it)
        it.waitIdle()
        it
    }.validationMessages
    assertEquals(emptyList<String>(), messages)
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
