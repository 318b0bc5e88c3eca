package field.host

import org.lwjgl.system.MemoryStack
import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkDevice
import org.lwjgl.vulkan.VkGraphicsPipelineCreateInfo
import org.lwjgl.vulkan.VkPipelineColorBlendAttachmentState
import org.lwjgl.vulkan.VkPipelineColorBlendStateCreateInfo
import org.lwjgl.vulkan.VkPipelineDepthStencilStateCreateInfo
import org.lwjgl.vulkan.VkPipelineDynamicStateCreateInfo
import org.lwjgl.vulkan.VkPipelineInputAssemblyStateCreateInfo
import org.lwjgl.vulkan.VkPipelineMultisampleStateCreateInfo
import org.lwjgl.vulkan.VkPipelineRasterizationStateCreateInfo
import org.lwjgl.vulkan.VkPipelineShaderStageCreateInfo
import org.lwjgl.vulkan.VkPipelineVertexInputStateCreateInfo
import org.lwjgl.vulkan.VkPipelineViewportStateCreateInfo
import org.lwjgl.vulkan.VkVertexInputAttributeDescription
import org.lwjgl.vulkan.VkVertexInputBindingDescription

/** Everything that tells two pipelines of one program apart. */
internal data class PipelineKey(
    val formats: AttachmentFormats,
    /** Floats a vertex that the mesh gives for each of the program's attributes, in the program's order. */
    val components: List<Int>,
    val depthTest: Boolean, val depthWrite: Boolean, val depthCompare: Int, val blend: Boolean,
)

/** Triangles without culling; viewport and scissor are dynamic; attribute n comes from vertex binding n. */
internal fun createPipeline(
    device: VkDevice, key: PipelineKey, shaders: ShaderInterface, vertex: Long, fragment: Long, layout: Long,
): Long = stackPush().use { stack ->
    val main = stack.UTF8("main")
    val stages = VkPipelineShaderStageCreateInfo.calloc(2, stack)
    stages[0].`sType$Default`().stage(VK_SHADER_STAGE_VERTEX_BIT).module(vertex).pName(main)
    stages[1].`sType$Default`().stage(VK_SHADER_STAGE_FRAGMENT_BIT).module(fragment).pName(main)
    val depth = VkPipelineDepthStencilStateCreateInfo.calloc(stack).`sType$Default`()
        .depthTestEnable(key.formats.depth && (key.depthTest || key.depthWrite))
        .depthWriteEnable(key.formats.depth && key.depthWrite)
        .depthCompareOp(if (key.depthTest) key.depthCompare else VK_COMPARE_OP_ALWAYS)
    val raster = VkPipelineRasterizationStateCreateInfo.calloc(stack).`sType$Default`()
        .polygonMode(VK_POLYGON_MODE_FILL).cullMode(VK_CULL_MODE_NONE).frontFace(VK_FRONT_FACE_COUNTER_CLOCKWISE)
        .lineWidth(1f)
    val info = VkGraphicsPipelineCreateInfo.calloc(1, stack)
    // Vulkan compares formats only, so any render pass of these formats will do; this one lives for the call.
    val renderPass = createRenderPass(device, key.formats)
    info[0].`sType$Default`().pStages(stages)
        .pVertexInputState(vertexInput(stack, key, shaders))
        .pInputAssemblyState(
            VkPipelineInputAssemblyStateCreateInfo.calloc(stack).`sType$Default`()
                .topology(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST),
        )
        .pViewportState(
            VkPipelineViewportStateCreateInfo.calloc(stack).`sType$Default`().viewportCount(1).scissorCount(1),
        )
        .pRasterizationState(raster)
        .pMultisampleState(
            VkPipelineMultisampleStateCreateInfo.calloc(stack).`sType$Default`()
                .rasterizationSamples(VK_SAMPLE_COUNT_1_BIT),
        )
        .pDepthStencilState(depth)
        .pColorBlendState(colorBlend(stack, key, shaders))
        .pDynamicState(
            VkPipelineDynamicStateCreateInfo.calloc(stack).`sType$Default`()
                .pDynamicStates(stack.ints(VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR)),
        )
        .layout(layout).renderPass(renderPass)
    val handle = stack.mallocLong(1)
    val result = vkCreateGraphicsPipelines(device, 0L, info, null, handle)
    vkDestroyRenderPass(device, renderPass, null)
    expectSuccess(result, "vkCreateGraphicsPipelines")
    handle[0]
}

private fun vertexInput(stack: MemoryStack, key: PipelineKey, shaders: ShaderInterface): VkPipelineVertexInputStateCreateInfo {
    val bindings = VkVertexInputBindingDescription.calloc(shaders.attributes.size, stack)
    val attributes = VkVertexInputAttributeDescription.calloc(shaders.attributes.size, stack)
    shaders.attributes.forEachIndexed { at, attribute ->
        bindings[at].binding(at).stride(4 * key.components[at]).inputRate(VK_VERTEX_INPUT_RATE_VERTEX)
        attributes[at].binding(at).location(attribute.location).format(FLOAT_FORMATS[key.components[at] - 1])
    }
    return VkPipelineVertexInputStateCreateInfo.calloc(stack).`sType$Default`()
        .pVertexBindingDescriptions(bindings).pVertexAttributeDescriptions(attributes)
}

// Attachments that the fragment stage does not write keep their clear value.
private fun colorBlend(stack: MemoryStack, key: PipelineKey, shaders: ShaderInterface): VkPipelineColorBlendStateCreateInfo {
    val attachments = VkPipelineColorBlendAttachmentState.calloc(key.formats.colors.size, stack)
    key.formats.colors.indices.forEach {
        attachments[it].colorWriteMask(if (it in shaders.outputs) 0xf else 0)
            .blendEnable(key.blend)
            .srcColorBlendFactor(VK_BLEND_FACTOR_SRC_ALPHA).dstColorBlendFactor(VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA)
            .colorBlendOp(VK_BLEND_OP_ADD)
            .srcAlphaBlendFactor(VK_BLEND_FACTOR_ONE).dstAlphaBlendFactor(VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA)
            .alphaBlendOp(VK_BLEND_OP_ADD)
    }
    return VkPipelineColorBlendStateCreateInfo.calloc(stack).`sType$Default`().pAttachments(attachments)
}

private val FLOAT_FORMATS = intArrayOf(
    VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT,
)
