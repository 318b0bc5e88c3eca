package field.host

import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.lwjgl.vulkan.VK10.VK_FORMAT_R32G32B32A32_SFLOAT

class ModuleTest {
    private val vertex = "#version 450\nin vec3 position;\nuniform vec2 offset;\nvoid main() { gl_Position = vec4(position.xy + offset, position.z, 1.0); }\n"
    private val fragment = "#version 450\nuniform vec4 tint;\nout vec4 color;\nvoid main() { color = tint; }\n"

    private fun target(renderer: Renderer) = RenderToTexture(renderer) {
        width = 8
        height = 4
        colorFormats = listOf(VK_FORMAT_R32G32B32A32_SFLOAT)
    }

    private fun RenderToTexture.pixel(x: Int, y: Int) = renderer.readback(imageViewArray[0]).pixel(x, y)

    @OnSoftwareDrivers
    fun `a failed change keeps the last working pipeline and names its line once`(driver: String) =
        onRenderer(driver) { renderer ->
            val said = ArrayList<String>()
            renderer.log = { said += it }
            val sources = FixedSources("scene", vertex, fragment)
            val target = target(renderer)
            val module = Module(renderer, sources) { +target }
            module.mesh("all") { positions = quad(-1f, -1f, 1f, 1f) }
            module.uniform("offset") { FloatArray(2) }
            module.uniform("tint") { floatArrayOf(1f, 2f, 3f, 4f) }
            target += "scene" to module
            renderer.frameOf(target)
            assertEquals(1, module.revision)

            sources.fragment = "#version 450\nuniform vec4 tint;\n\nout vec4 color;\nvoid main() { color = tnt; }\n"
            repeat(3) { renderer.frameOf(target) }
            assertArrayEquals(floatArrayOf(1f, 2f, 3f, 4f), target.pixel(3, 2))
            assertEquals(1, module.revision)
            assertEquals(5, module.shaderError!!.line)
            assertEquals(ShaderStage.FRAGMENT, module.shaderError!!.stage)
            assertEquals(listOf("scene fragment line 5: 'tnt' : undeclared identifier"), said)

            sources.fragment = fragment.replace("= tint", "= tint * 2.0")
            renderer.frameOf(target)
            assertArrayEquals(floatArrayOf(2f, 4f, 6f, 8f), target.pixel(3, 2))
            assertEquals(2, module.revision)
            assertNull(module.lastError)
        }

    @OnSoftwareDrivers
    fun `uniforms of a mesh hide the module's, and each frame in flight keeps its own`(driver: String) =
        onRenderer(driver) { renderer ->
            val target = target(renderer)
            val module = Module(renderer, FixedSources("scene", vertex, fragment)) { +target }
            module.uniform("offset") { floatArrayOf(0f, 0f) }
            module.uniform("tint") { floatArrayOf(renderer.frameNumber.toFloat(), 0f, 0f, 1f) }
            module.mesh("left") { positions = quad(-1f, -1f, 0f, 1f) }
            module.mesh("right") {
                positions = quad(-1f, -1f, 0f, 1f)
                uniform("offset") { floatArrayOf(1f, 0f) }
                uniform("tint") { floatArrayOf(0f, renderer.frameNumber.toFloat(), 0f, 1f) }
            }
            target += "scene" to module
            val copies = List(6) { target(renderer) }
            // Without waiting: six frames, each copied away on the GPU.
            val copier = Module(
                renderer,
                FixedSources("copy",
                    "in vec2 position; out vec2 uv; void main() { uv = position * vec2(0.5, -0.5) + 0.5; gl_Position = vec4(position, 0.0, 1.0); }",
                    "uniform sampler2D map; in vec2 uv; out vec4 color; void main() { color = texture(map, uv); }"),
            )
            copier.mesh("all") { attribute("position", 2, floatArrayOf(-1f, -1f, 3f, -1f, -1f, 3f)) }
            copier.fromViews("map", target.imageViewArray[0], Filter.NEAREST)
            copies.forEach { copy ->
                copy += "copy" to copier
                renderer.frameOf(target, copy)
            }
            copies.forEachIndexed { at, copy ->
                val number = at + 1f
                assertArrayEquals(floatArrayOf(number, 0f, 0f, 1f), copy.pixel(1, 1))
                assertArrayEquals(floatArrayOf(0f, number, 0f, 1f), copy.pixel(6, 1))
            }
        }

    @OnSoftwareDrivers
    fun `one target rendered twice in a frame takes the values of each time`(driver: String) = onRenderer(driver) { renderer ->
        val source = target(renderer)
        val sum = target(renderer)
        var pass = 0f
        val module = Module(renderer, FixedSources("scene", vertex, fragment)) { +source }
        module.mesh("all") { positions = quad(-1f, -1f, 1f, 1f) }
        module.uniform("offset") { FloatArray(2) }
        module.uniform("tint") { floatArrayOf(pass, 0f, 0f, 1f) }
        source += "scene" to module
        val seen = ArrayList<FloatArray>()
        renderer.frameOf(
            Target { command, index ->
                pass = 1f
                source.render(command, index)
                pass = 2f
                source.render(command, index)
            },
            sum,
        )
        seen += source.pixel(0, 0)
        assertArrayEquals(floatArrayOf(2f, 0f, 0f, 1f), seen.single())
    }

    @OnSoftwareDrivers
    fun `a mesh may be replaced every frame`(driver: String) = onRenderer(driver) { renderer ->
        val target = target(renderer)
        val module = Module(renderer, FixedSources("scene", vertex, fragment)) { +target }
        module.uniform("offset") { FloatArray(2) }
        module.uniform("tint") { floatArrayOf(1f, 1f, 1f, 1f) }
        val mesh = module.mesh("bar") {}
        target += "scene" to module
        for (frame in 0 until 8) {
            val left = -1f + frame * 0.25f
            mesh.positions = quad(left, -1f, left + 0.25f, 1f)
            mesh.indices = intArrayOf(0, 1, 2, 3, 4, 5)
            renderer.frameOf(target)
            if (frame % 3 != 2) continue
            assertEquals((0 until 8).map { if (it == frame) 1f else 0f }, (0 until 8).map { target.pixel(it, 2)[0] })
        }
    }

    @OnSoftwareDrivers
    fun `an external target binds through fromViews and stays its owner's`(driver: String) = onRenderer(driver, targetsMayThrow = true) { renderer ->
        val owner = Texture(renderer, 2, 1, floatArrayOf(5f, 6f, 7f, 1f, 1f, 2f, 3f, 1f))
        val external = RenderToTexture.external(renderer, owner.view)
        val target = target(renderer)
        val module = Module(
            renderer,
            FixedSources("reader", "void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0); }",
                "uniform sampler2D finished; out vec4 color; void main() { color = texelFetch(finished, ivec2(gl_FragCoord.x < 4.0 ? 0 : 1, 0), 0); }"),
        ) { +target }
        module.mesh("all") { vertexCount = 3 }
        module.fromViews("finished") { external.imageViewArray[0] }
        target += "reader" to module
        renderer.frameOf(target)
        assertArrayEquals(floatArrayOf(5f, 6f, 7f, 1f), target.pixel(1, 1))
        assertArrayEquals(floatArrayOf(1f, 2f, 3f, 1f), target.pixel(6, 1))
        renderer.frameOf(external)
        assertTrue(renderer.lastError!!.message!!.contains("belongs to another owner"))
        external.close()
        assertTrue(owner.view.alive)
        owner.close()
        renderer.frameOf(target)
        assertTrue(module.lastError!!.contains("closed"), module.lastError)
    }

    @OnSoftwareDrivers
    fun `what is missing is named and nothing is drawn`(driver: String) = onRenderer(driver) { renderer ->
        val said = ArrayList<String>()
        renderer.log = { said += it }
        val target = target(renderer)
        val module = Module(renderer, FixedSources("scene", vertex, fragment)) { +target }
        target += "scene" to module
        module.mesh("all") { attribute("place", 3, quad(-1f, -1f, 1f, 1f)) }
        repeat(2) { renderer.frameOf(target) }
        module.mesh("all") { positions = quad(-1f, -1f, 1f, 1f) }
        module.uniform("tint") { floatArrayOf(1f, 1f, 1f, 1f) }
        renderer.frameOf(target)
        module.uniform("offset") { 1f }
        renderer.frameOf(target)
        module.uniform("offset") { throw IllegalStateException("no camera") }
        renderer.frameOf(target)
        assertArrayEquals(FloatArray(4), target.pixel(3, 2))
        assertEquals(
            listOf(
                "scene: mesh 'all' has no attribute 'position', which the vertex stage reads",
                "scene: uniform 'offset' has no value; add uniform(\"offset\") { ... }",
                "scene: uniform 'offset': vec2 expects 2 numbers, got 1",
                "scene: no camera",
            ),
            said,
        )
        assertNotNull(module.lastError)
        module.uniform("offset") { floatArrayOf(0f, 0f) }
        renderer.frameOf(target)
        assertNull(module.lastError)
        assertArrayEquals(floatArrayOf(1f, 1f, 1f, 1f), target.pixel(3, 2))
    }

    @OnSoftwareDrivers
    fun `a module that reads the target it draws into is refused`(driver: String) = onRenderer(driver) { renderer ->
        renderer.log = {}
        val target = target(renderer)
        val module = Module(
            renderer,
            FixedSources("loop", vertex, "uniform sampler2D self; out vec4 color; void main() { color = texelFetch(self, ivec2(0), 0); }"),
        ) { +target }
        module.mesh("all") { positions = quad(-1f, -1f, 1f, 1f) }
        module.uniform("offset") { FloatArray(2) }
        module.fromViews("self", target.imageViewArray[0])
        target += "loop" to module
        renderer.frameOf(target)
        assertTrue(module.lastError!!.contains("while it is drawn"), module.lastError)
    }
}
