package field.host

import java.nio.ByteBuffer

/** One loose uniform with its place in the std140 block that the host makes of all of them. */
internal class UniformMember(val type: String, val name: String, val count: Int, val offset: Int) {
    /** In bytes; an array element is padded to 16. */
    val stride: Int get() = roundUp(UniformBlock.size(type), 16)

    fun declaration(shownName: String): String = "$type $shownName${if (count > 0) "[$count]" else ""};"
}

/** All loose uniforms of a module's two stages, in one std140 block that both stages share. */
internal class UniformBlock private constructor(val members: List<UniformMember>, val size: Int) {
    /**
     * Writes [value] for [member]. Accepts a number or Boolean for a scalar, FloatArray (or IntArray for integers) for
     * vectors, matrices (column-major) and arrays; anything else, or a wrong length, is an error.
     */
    fun write(target: ByteBuffer, member: UniformMember, value: Any) {
        val components = components(member.type)
        val expected = components * maxOf(member.count, 1)
        val numbers: (Int) -> Number = when (value) {
            is Number -> ({ value })
            is Boolean -> ({ if (value) 1 else 0 })
            is FloatArray -> ({ value[it] })
            is IntArray -> ({ value[it] })
            else -> throw HostException(
                "uniform '${member.name}': ${member.type} cannot take a ${value::class.simpleName}; give a number, FloatArray or IntArray",
            )
        }
        val given = when (value) {
            is FloatArray -> value.size
            is IntArray -> value.size
            else -> 1
        }
        if (given != expected) {
            throw HostException(
                "uniform '${member.name}': ${member.type}${if (member.count > 0) "[${member.count}]" else ""} expects $expected numbers, got $given",
            )
        }
        val isInteger = isInteger(member.type)
        val rows = rows(member.type)
        for (at in 0 until expected) {
            val element = at / components
            val within = at % components
            val offset = member.offset + element * member.stride + within / rows * 16 + within % rows * 4
            if (isInteger) target.putInt(offset, numbers(at).toInt()) else target.putFloat(offset, numbers(at).toFloat())
        }
    }

    companion object {
        /** Lays the declarations out in order; null when there are none. */
        fun of(declarations: List<Pair<ShaderText, ShaderDeclaration>>): UniformBlock? {
            val members = LinkedHashMap<String, UniformMember>()
            var end = 0
            for ((text, declared) in declarations) {
                val known = members[declared.name]
                if (known != null) {
                    if (known.type != declared.type || known.count != declared.count) {
                        text.fail(declared.line, "uniform ${declared.name} is ${known.type} in the other stage and ${declared.type} here; use one type")
                    }
                    continue
                }
                if (declared.type !in SHAPES) {
                    text.fail(declared.line, "uniform of type ${declared.type} is not supported; use one of ${SHAPES.keys}")
                }
                val alignment = if (declared.count > 0) 16 else alignment(declared.type)
                val member = UniformMember(declared.type, declared.name, declared.count, roundUp(end, alignment))
                end = member.offset + if (declared.count > 0) declared.count * member.stride else size(declared.type)
                members[declared.name] = member
            }
            return if (members.isEmpty()) null else UniformBlock(members.values.toList(), roundUp(end, 16))
        }

        // Columns and rows of each type.
        private val SHAPES = mapOf(
            "float" to (1 to 1), "int" to (1 to 1), "uint" to (1 to 1), "bool" to (1 to 1),
            "vec2" to (1 to 2), "vec3" to (1 to 3), "vec4" to (1 to 4),
            "ivec2" to (1 to 2), "ivec3" to (1 to 3), "ivec4" to (1 to 4),
            "uvec2" to (1 to 2), "uvec3" to (1 to 3), "uvec4" to (1 to 4),
            "mat3" to (3 to 3), "mat4" to (4 to 4),
        )

        private fun rows(type: String) = SHAPES.getValue(type).second

        private fun components(type: String) = SHAPES.getValue(type).let { (columns, rows) -> columns * rows }

        private fun isInteger(type: String) = type[0] in "iub"

        internal fun size(type: String): Int =
            SHAPES.getValue(type).let { (columns, rows) -> if (columns == 1) rows * 4 else columns * 16 }

        private fun alignment(type: String): Int = when {
            type.startsWith("mat") || rows(type) > 2 -> 16
            else -> rows(type) * 4
        }
    }
}

internal fun roundUp(value: Int, multiple: Int): Int = (value + multiple - 1) / multiple * multiple
