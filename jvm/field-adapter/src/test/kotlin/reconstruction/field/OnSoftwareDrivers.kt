package reconstruction.field

import field.host.Renderer
import field.host.SoftwareDrivers
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

/**
 * A validated renderer for [work]; afterwards, closing included, the validation layer must have said nothing, and no
 * target may have thrown.
 */
internal fun withRenderer(driver: String, width: Int = 96, height: Int = 64, work: (Renderer) -> Unit) {
    val renderer = Renderer(driver, validation = true, screenWidth = width, screenHeight = height)
    renderer.use {
        work(it)
        it.waitIdle()
    }
    assertEquals(emptyList<String>(), renderer.validationMessages)
    assertEquals(null, renderer.lastError)
}
