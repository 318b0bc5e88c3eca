package field.host.box

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class BoxTest {
    private val root = Box.root()
    private val renderer = Box("r_renderer").also(root::connect)
    private val scene = Box("scene").also(renderer::connect)

    @Test
    fun propertiesAreReadUpwardsAndWrittenHere() {
        renderer += "exposure" to 2
        assertEquals(2, scene["exposure"])
        scene += "exposure" to 3
        assertEquals(3, scene["exposure"])
        assertEquals(2, renderer["exposure"])
        assertNull(root["exposure"])
        assertNull(scene.here("nothing"))
    }

    @Test
    fun theNearestAncestorWinsAndParentsCountInTheirOrder() {
        val near = Box("near")
        near.connect(scene)
        root += "a" to "root"
        near += "a" to "near"
        assertEquals("near", scene["a"])
        renderer += "a" to "renderer"
        assertEquals("renderer", scene["a"])
    }

    @Test
    fun aCycleOfBoxesEnds() {
        scene.connect(root)
        assertNull(scene["nothing"])
        assertEquals(setOf(scene, renderer, root), scene.upwards().toSet())
    }

    @Test
    fun anInheritedNullHidesWhatIsAbove() {
        root += "a" to 1
        renderer.put("a", null)
        assertNull(scene["a"])
        assertTrue(scene.has("a"))
        renderer.remove("a")
        assertEquals(1, scene["a"])
    }

    @Test
    fun controlsReachEveryBoxFromTheRoot() {
        assertFalse(scene.bypass)
        root.bypass = true
        root.cut = true
        assertTrue(scene.bypass && scene.cut)
        scene.bypass = false
        assertFalse(scene.bypass)
        assertTrue(renderer.bypass)
    }

    @Test
    fun changesOfTextsAreCounted() {
        assertEquals(0, scene.revision("vertex"))
        scene.vertex = "a"
        assertEquals(0, scene.revision("vertex"))
        scene.vertex = "a"
        assertEquals(0, scene.revision("vertex"))
        scene.vertex = "b"
        scene += "vertex" to "c"
        assertEquals(2, scene.revision("vertex"))
        assertEquals(0, scene.revision("fragment"))
    }

    @Test
    fun typedNamesAndDelegatesAreTheSameProperties() {
        val exposure = Prop<Float>("exposure")
        renderer += exposure to 2f
        assertEquals(2f, scene[exposure])
        assertEquals(2f, scene.exposure)
        scene.exposure = 3f
        assertEquals(3f, scene[exposure])
        assertEquals("scene", scene[Box.name])
    }

    private var Box.exposure: Float by Delegation()

    @Test
    fun connectingTwiceChangesNothing() {
        renderer.connect(scene)
        assertEquals(setOf(renderer), scene.parents)
        assertEquals(setOf(scene), renderer.children)
    }
}
