package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkAttachmentDescription
import org.lwjgl.vulkan.VkAttachmentReference
import org.lwjgl.vulkan.VkDevice
import org.lwjgl.vulkan.VkRenderPassCreateInfo
import org.lwjgl.vulkan.VkSubpassDependency
import org.lwjgl.vulkan.VkSubpassDescription

/** The formats a pipeline has to agree with. */
internal data class AttachmentFormats(val colors: List<Int>, val depth: Boolean)

/**
 * A render pass that clears every attachment and leaves it in SHADER_READ_ONLY_OPTIMAL, readable by vertex, fragment,
 * compute and transfer; earlier readers and writers at those stages are waited for.
 */
internal fun createRenderPass(device: VkDevice, formats: AttachmentFormats): Long = stackPush().use { stack ->
    val all = formats.colors + if (formats.depth) listOf(VK_FORMAT_D32_SFLOAT) else emptyList()
    val attachments = VkAttachmentDescription.calloc(all.size, stack)
    all.forEachIndexed { at, format ->
        attachments[at].format(format).samples(VK_SAMPLE_COUNT_1_BIT)
            .loadOp(VK_ATTACHMENT_LOAD_OP_CLEAR).storeOp(VK_ATTACHMENT_STORE_OP_STORE)
            .stencilLoadOp(VK_ATTACHMENT_LOAD_OP_DONT_CARE).stencilStoreOp(VK_ATTACHMENT_STORE_OP_DONT_CARE)
            .initialLayout(VK_IMAGE_LAYOUT_UNDEFINED).finalLayout(VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL)
    }
    val colors = VkAttachmentReference.calloc(formats.colors.size, stack)
    formats.colors.indices.forEach { colors[it].attachment(it).layout(VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL) }
    val subpass = VkSubpassDescription.calloc(1, stack)
    subpass[0].pipelineBindPoint(VK_PIPELINE_BIND_POINT_GRAPHICS)
        .colorAttachmentCount(formats.colors.size).pColorAttachments(colors)
    if (formats.depth) {
        subpass[0].pDepthStencilAttachment(
            VkAttachmentReference.calloc(stack).attachment(formats.colors.size)
                .layout(VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL),
        )
    }
    val attachmentStages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT or
        VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT or VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT
    val readerStages = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT or VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT or
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT or VK_PIPELINE_STAGE_TRANSFER_BIT
    val attachmentWrites = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT or VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
    val dependencies = VkSubpassDependency.calloc(2, stack)
    dependencies[0].srcSubpass(VK_SUBPASS_EXTERNAL).dstSubpass(0)
        .srcStageMask(attachmentStages or readerStages).dstStageMask(attachmentStages)
        .srcAccessMask(attachmentWrites or VK_ACCESS_TRANSFER_WRITE_BIT or VK_ACCESS_SHADER_WRITE_BIT)
        .dstAccessMask(
            attachmentWrites or VK_ACCESS_COLOR_ATTACHMENT_READ_BIT or VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
        )
    dependencies[1].srcSubpass(0).dstSubpass(VK_SUBPASS_EXTERNAL)
        .srcStageMask(attachmentStages).dstStageMask(readerStages)
        .srcAccessMask(attachmentWrites)
        .dstAccessMask(VK_ACCESS_SHADER_READ_BIT or VK_ACCESS_TRANSFER_READ_BIT)
    val info = VkRenderPassCreateInfo.calloc(stack).`sType$Default`()
        .pAttachments(attachments).pSubpasses(subpass).pDependencies(dependencies)
    val handle = stack.mallocLong(1)
    expectSuccess(vkCreateRenderPass(device, info, null, handle), "vkCreateRenderPass")
    handle[0]
}
