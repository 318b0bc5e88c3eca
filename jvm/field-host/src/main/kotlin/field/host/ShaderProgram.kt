package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.system.MemoryUtil.memFree
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkDescriptorSetLayoutBinding
import org.lwjgl.vulkan.VkDescriptorSetLayoutCreateInfo
import org.lwjgl.vulkan.VkPipelineLayoutCreateInfo
import org.lwjgl.vulkan.VkShaderModuleCreateInfo

/** One compiled pair of texts: shader modules, layouts, and a pipeline for each way it is drawn. */
internal class ShaderProgram(private val renderer: Renderer, name: String, vertex: String, fragment: String) {
    private val device = renderer.device
    val shaders = ShaderInterface(name, vertex, fragment)
    private val vertexModule: Long
    private val fragmentModule: Long
    val setLayout: Long
    val pipelineLayout: Long
    private val pipelines = HashMap<PipelineKey, Long>()

    init {
        vertexModule = compile(name, ShaderStage.VERTEX, shaders.vertex)
        fragmentModule = try {
            compile(name, ShaderStage.FRAGMENT, shaders.fragment)
        } catch (error: HostException) {
            vkDestroyShaderModule(device, vertexModule, null)
            throw error
        }
        setLayout = createSetLayout()
        pipelineLayout = stackPush().use { stack ->
            val info = VkPipelineLayoutCreateInfo.calloc(stack).`sType$Default`().pSetLayouts(stack.longs(setLayout))
            val handle = stack.mallocLong(1)
            expectSuccess(vkCreatePipelineLayout(device, info, null, handle), "vkCreatePipelineLayout")
            handle[0]
        }
    }

    fun pipeline(key: PipelineKey): Long = pipelines.getOrPut(key) {
        createPipeline(device, key, shaders, vertexModule, fragmentModule, pipelineLayout)
    }

    private fun compile(name: String, stage: ShaderStage, text: String): Long {
        val words = renderer.shaderCompiler.compile(name, stage, text)
        try {
            return stackPush().use { stack ->
                val info = VkShaderModuleCreateInfo.calloc(stack).`sType$Default`().pCode(words)
                val handle = stack.mallocLong(1)
                expectSuccess(vkCreateShaderModule(device, info, null, handle), "vkCreateShaderModule")
                handle[0]
            }
        } finally {
            memFree(words)
        }
    }

    private fun createSetLayout(): Long = stackPush().use { stack ->
        val count = shaders.samplers.size + if (shaders.block != null) 1 else 0
        val bindings = VkDescriptorSetLayoutBinding.calloc(count, stack)
        val stages = VK_SHADER_STAGE_VERTEX_BIT or VK_SHADER_STAGE_FRAGMENT_BIT
        if (shaders.block != null) {
            bindings.get().binding(0).descriptorType(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER).descriptorCount(1).stageFlags(stages)
        }
        shaders.samplers.forEach {
            bindings.get().binding(it.binding).descriptorType(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)
                .descriptorCount(1).stageFlags(stages)
        }
        val info = VkDescriptorSetLayoutCreateInfo.calloc(stack).`sType$Default`().pBindings(bindings.flip())
        val handle = stack.mallocLong(1)
        expectSuccess(vkCreateDescriptorSetLayout(device, info, null, handle), "vkCreateDescriptorSetLayout")
        handle[0]
    }

    /** Destroys everything once the submissions that use it have finished. */
    fun retire() = renderer.cleanup {
        pipelines.values.forEach { vkDestroyPipeline(device, it, null) }
        vkDestroyPipelineLayout(device, pipelineLayout, null)
        vkDestroyDescriptorSetLayout(device, setLayout, null)
        vkDestroyShaderModule(device, vertexModule, null)
        vkDestroyShaderModule(device, fragmentModule, null)
    }
}
