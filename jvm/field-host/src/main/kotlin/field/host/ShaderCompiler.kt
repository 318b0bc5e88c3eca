package field.host

import org.lwjgl.system.MemoryUtil.memAlloc
import org.lwjgl.util.shaderc.Shaderc.*
import java.nio.ByteBuffer

/** GLSL to SPIR-V; faults come back with the line they are on. */
internal class ShaderCompiler : AutoCloseable {
    private val compiler = shaderc_compiler_initialize()
    private val options = shaderc_compile_options_initialize().also {
        shaderc_compile_options_set_target_env(it, shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1)
        shaderc_compile_options_set_optimization_level(it, shaderc_optimization_level_zero)
    }

    /** The caller frees the words with memFree. */
    fun compile(module: String, stage: ShaderStage, text: String): ByteBuffer {
        val kind = if (stage == ShaderStage.VERTEX) shaderc_vertex_shader else shaderc_fragment_shader
        val result = shaderc_compile_into_spv(compiler, text, kind, FILE, "main", options)
        try {
            if (shaderc_result_get_compilation_status(result) != shaderc_compilation_status_success) {
                throw ShaderTextException(firstError(module, stage, shaderc_result_get_error_message(result).orEmpty()))
            }
            val words = shaderc_result_get_bytes(result)!!
            return memAlloc(words.remaining()).put(words).flip()
        } finally {
            shaderc_result_release(result)
        }
    }

    private fun firstError(module: String, stage: ShaderStage, message: String): ShaderError {
        val lines = message.trim().lines()
        for (line in lines) {
            val match = ERROR.find(line) ?: continue
            return ShaderError(module, stage, match.groupValues[1].toInt(), match.groupValues[2].trim())
        }
        return ShaderError(module, stage, 0, lines.first().removePrefix("$FILE:").trim())
    }

    override fun close() {
        shaderc_compile_options_release(options)
        shaderc_compiler_release(compiler)
    }

    private companion object {
        const val FILE = "text"
        val ERROR = Regex("^$FILE:(\\d+): error: (.*)$")
    }
}
