package field.host

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.ByteBuffer
import java.nio.ByteOrder

class ShaderInterfaceTest {
    private val plain = "void main() { gl_Position = vec4(0.0); }"

    @Test
    fun `loose uniforms of both stages share one std140 block`() {
        val shaders = ShaderInterface(
            "m",
            "#version 450\nuniform float a; uniform vec3 b; uniform float c; uniform mat4 d;\n$plain",
            "#version 450\nuniform vec2 e;\nuniform vec3 b; // again\nuniform float f[2], g;\nuniform mat3 h;\nvoid main() {}",
        )
        // Offsets by the rules of std140: vec3 aligns to 16, a float may follow it at 12, array elements and columns take 16.
        assertEquals(
            listOf("a 0", "b 16", "c 28", "d 32", "e 96", "f 112", "g 144", "h 160"),
            shaders.block!!.members.map { "${it.name} ${it.offset}" },
        )
        assertEquals(208, shaders.block.size)
        assertTrue(shaders.fragment.contains("vec3 b; float otherStage_c;"), shaders.fragment)
        assertEquals(7, shaders.fragment.lines().size + 1)
    }

    @Test
    fun `values land where std140 puts them`() {
        val shaders = ShaderInterface("m", "uniform mat3 m; uniform int n; uniform float f[2]; uniform bool on;\n$plain", "void main() {}")
        val block = shaders.block!!
        val bytes = ByteBuffer.allocate(block.size).order(ByteOrder.LITTLE_ENDIAN)
        val byName = block.members.associateBy { it.name }
        block.write(bytes, byName.getValue("m"), FloatArray(9) { it + 1f })
        block.write(bytes, byName.getValue("n"), 7)
        block.write(bytes, byName.getValue("f"), floatArrayOf(5f, 6f))
        block.write(bytes, byName.getValue("on"), true)
        assertEquals(listOf(1f, 2f, 3f, 0f, 4f, 5f, 6f, 0f, 7f, 8f, 9f), (0 until 11).map { bytes.getFloat(it * 4) })
        assertEquals(7, bytes.getInt(48))
        assertEquals(listOf(5f, 6f), listOf(bytes.getFloat(64), bytes.getFloat(80)))
        assertEquals(1, bytes.getInt(96))
        val refused = assertThrows(HostException::class.java) { block.write(bytes, byName.getValue("m"), FloatArray(16)) }
        assertEquals("uniform 'm': mat3 expects 9 numbers, got 16", refused.message)
    }

    @Test
    fun `varyings meet by name, explicit locations stay, and samplers get bindings`() {
        val shaders = ShaderInterface(
            "m",
            "in vec3 position; layout(location=0) in vec2 uv;\nout vec4 nowClip; flat out int id; layout(location = 0) out vec2 place;\n$plain",
            "flat in int id; in vec4 nowClip; layout(location=0) in vec2 here;\nuniform sampler2D a; uniform usampler2D b;\nlayout(location=2) out vec4 color; out float depth;\nvoid main() {}",
        )
        assertEquals(listOf("position 1 3", "uv 0 2"), shaders.attributes.map { "${it.name} ${it.location} ${it.components}" })
        assertTrue(shaders.vertex.contains("layout(location = 1) out vec4 nowClip;"), shaders.vertex)
        assertTrue(shaders.fragment.contains("layout(location = 2) flat in int id;"), shaders.fragment)
        assertTrue(shaders.fragment.contains("layout(set = 0, binding = 2) uniform usampler2D b;"), shaders.fragment)
        assertEquals(setOf(0, 2), shaders.outputs)
        assertNull(shaders.block)
    }

    @Test
    fun `comments, directives, functions and locals are left alone`() {
        val fragment = """#version 450
#define uniform_like uniform float no;
/* uniform float commented;
*/
// out vec4 nothing;
struct Light { vec3 in_place; };
const vec2 points[2] = vec2[2](vec2(0), vec2(1));
float f(in float x, out float y) { y = x; return x; }
out vec4 color;
void main() { float depth; color = vec4(f(1.0, depth)); }
"""
        val shaders = ShaderInterface("m", plain, fragment)
        assertNull(shaders.block)
        assertEquals(fragment.replace("out vec4 color;\nvoid", "layout(location = 0) out vec4 color; \nvoid"), shaders.fragment)
    }

    @Test
    fun `faults name stage and line`() {
        fun line(vertex: String, fragment: String) =
            assertThrows(ShaderTextException::class.java) { ShaderInterface("box", vertex, fragment) }.message
        assertEquals(
            "box fragment line 2: uniform tint is vec3 in the other stage and vec4 here; use one type",
            line("uniform vec3 tint;\n$plain", "\nuniform vec4 tint;\nvoid main() {}"),
        )
        assertEquals(
            "box fragment line 1: in uv: the vertex stage has no such out; declare it there", line(plain, "in vec2 uv; void main() {}"),
        )
        assertEquals(
            "box vertex line 3: a uniform block is not bound by the host; declare loose uniforms",
            line("\n\nuniform Block { vec4 a; };\n$plain", "void main() {}"),
        )
        assertEquals(
            "box vertex line 1: uniform of type samplerCube is not supported; use sampler2D, isampler2D or usampler2D",
            line("uniform samplerCube sky; $plain", "void main() {}"),
        )
    }

    @Test
    fun `the compiler's line is the artist's line with and without a version`() = ShaderCompiler().use { compiler ->
        for (head in listOf("#version 450\n", "\n")) {
            val text = "${head}uniform vec4 tint; uniform sampler2D map;\nin\nvec2 uv;\nout vec4 color;\nvoid main() { color = nothing; }"
            val shaders = ShaderInterface("box", "out vec2 uv; void main() { uv = vec2(0.0); }", text)
            val refused = assertThrows(ShaderTextException::class.java) {
                compiler.compile("box", ShaderStage.FRAGMENT, shaders.fragment)
            }
            assertEquals("box fragment line 6: 'nothing' : undeclared identifier", refused.message)
        }
    }
}
