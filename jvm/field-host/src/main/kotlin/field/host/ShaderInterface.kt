package field.host

/**
 * What two shader texts ask of the host, and the texts rewritten for Vulkan with every line number kept:
 * loose uniforms move into one shared block, samplers get bindings, and in/out without a location get one by name.
 */
internal class ShaderInterface(module: String, vertexSource: String, fragmentSource: String) {
    class Sampler(val name: String, val binding: Int)

    /** A vertex attribute: [components] floats. */
    class Attribute(val name: String, val location: Int, val components: Int)

    val vertex: String
    val fragment: String

    /** Binding 0, or null without loose uniforms. */
    val block: UniformBlock?

    /** Bindings 1 and up. */
    val samplers: List<Sampler>
    val attributes: List<Attribute>

    /** Colour attachments that the fragment stage writes. */
    val outputs: Set<Int>

    init {
        val vertexText = ShaderText(module, ShaderStage.VERTEX, vertexSource)
        val fragmentText = ShaderText(module, ShaderStage.FRAGMENT, fragmentSource)
        val uniforms = listOf(vertexText, fragmentText).flatMap { text ->
            text.declarations.filter { it.storage == "uniform" }.map { text to it }
        }
        block = UniformBlock.of(uniforms.filter { !it.second.isSampler })
        samplers = uniforms.filter { it.second.isSampler }.onEach { (text, sampler) ->
            if (sampler.count > 0) text.fail(sampler.line, "arrays of samplers are not supported; declare one by one")
        }.map { it.second.name }.distinct().mapIndexed { at, name -> Sampler(name, at + 1) }

        val inputs = locations(vertexText.declarations.filter { it.storage == "in" })
        val varyings = locations(vertexText.declarations.filter { it.storage == "out" })
        val colors = locations(fragmentText.declarations.filter { it.storage == "out" })
        attributes = vertexText.declarations.filter { it.storage == "in" }.map {
            Attribute(it.name, inputs.getValue(it.name), attributeSize(vertexText, it))
        }
        outputs = colors.values.toSet()
        val read = fragmentText.declarations.filter { it.storage == "in" }.associate { declared ->
            declared.name to matchVarying(fragmentText, declared, vertexText, varyings)
        }
        vertex = rewrite(vertexText) { if (it.storage == "in") inputs.getValue(it.name) else varyings.getValue(it.name) }
        fragment = rewrite(fragmentText) { if (it.storage == "in") read.getValue(it.name) else colors.getValue(it.name) }
    }

    private fun matchVarying(
        text: ShaderText, declared: ShaderDeclaration, vertexText: ShaderText, varyings: Map<String, Int>,
    ): Int {
        val sent = vertexText.declarations.firstOrNull {
            it.storage == "out" && if (declared.location != null) varyings[it.name] == declared.location else it.name == declared.name
        } ?: text.fail(declared.line, "in ${declared.name}: the vertex stage has no such out; declare it there")
        if (sent.type != declared.type || sent.count != declared.count) {
            text.fail(declared.line, "in ${declared.name} is ${declared.type}, the vertex stage writes ${sent.type}; use one type")
        }
        return varyings.getValue(sent.name)
    }

    // Explicit locations stay; the others fill the gaps in order. A matrix takes one location per column, an array one per element.
    private fun locations(declarations: List<ShaderDeclaration>): Map<String, Int> {
        val taken = HashSet<Int>()
        val result = HashMap<String, Int>()
        for (declared in declarations.sortedBy { it.location == null }) {
            val slots = maxOf(declared.count, 1) * if (declared.type.startsWith("mat")) declared.type.last().digitToInt() else 1
            val first = declared.location
                ?: generateSequence(0) { it + 1 }.first { at -> (at until at + slots).none { it in taken } }
            taken += first until first + slots
            result[declared.name] = first
        }
        return result
    }

    private fun attributeSize(text: ShaderText, declared: ShaderDeclaration): Int = when (declared.type) {
        "float" -> 1
        "vec2" -> 2
        "vec3" -> 3
        "vec4" -> 4
        else -> text.fail(declared.line, "in ${declared.name}: a vertex attribute is float, vec2, vec3 or vec4, got ${declared.type}")
    }

    private fun rewrite(text: ShaderText, location: (ShaderDeclaration) -> Int): String {
        val own = text.declarations.filter { it.storage == "uniform" && !it.isSampler }.map { it.name }.toSet()
        val out = StringBuilder()
        var at = 0
        var blockWritten = false
        for (statement in text.statements) {
            out.append(text.text, at, statement.range.first)
            at = statement.range.last + 1
            for (declared in statement.declarations) {
                when {
                    declared.isSampler -> {
                        val binding = samplers.first { it.name == declared.name }.binding
                        out.append("layout(set = 0, binding = $binding) uniform ${declared.type} ${declared.name}; ")
                    }
                    declared.storage == "uniform" -> {
                        if (!blockWritten) out.append(blockText(own))
                        blockWritten = true
                    }
                    else -> {
                        val size = if (declared.count > 0) "[${declared.count}]" else ""
                        out.append("layout(location = ${location(declared)}) ${declared.interpolation}${declared.storage} ")
                        out.append("${declared.type} ${declared.name}$size; ")
                    }
                }
            }
            repeat(text.text.substring(statement.range).count { it == '\n' }) { out.append('\n') }
        }
        out.append(text.text, at, text.text.length)
        return if (VERSION.containsMatchIn(out)) out.toString() else "#version 450\n#line 1\n$out"
    }

    // A name of the other stage only keeps its place under another name, so that it cannot clash with a local one.
    private fun blockText(own: Set<String>): String = block!!.members.joinToString(
        " ", "layout(std140, set = 0, binding = 0) uniform FieldUniforms { ", " }; ",
    ) { it.declaration(if (it.name in own) it.name else "otherStage_${it.name}") }

    private companion object {
        val VERSION = Regex("(^|\\n)[ \\t]*#[ \\t]*version")
    }
}
