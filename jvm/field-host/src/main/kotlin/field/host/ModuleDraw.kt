package field.host

import org.lwjgl.system.MemoryStack.stackPush
import org.lwjgl.vulkan.VK10.*
import org.lwjgl.vulkan.VkCommandBuffer
import org.lwjgl.vulkan.VkDescriptorBufferInfo
import org.lwjgl.vulkan.VkDescriptorImageInfo
import org.lwjgl.vulkan.VkWriteDescriptorSet

/** One drawing of a module into a target: uniforms evaluated and descriptors written, ready to be recorded. */
internal class ModuleDraw(
    private val module: Module, private val program: ShaderProgram, target: RenderToTexture,
    private val command: VkCommandBuffer,
) {
    private class Item(val mesh: Mesh, val ready: Mesh.Ready?, val pipeline: Long, val set: Long)

    private val renderer = module.renderer
    private val submission = renderer.submissionOf(command)
    private val items: List<Item>

    init {
        val settings = module.settings
        settings.targets.firstOrNull { it.formats != target.formats }?.let {
            throw HostException("added to $target but prepared for $it (+target); use one set of formats")
        }
        val views = program.shaders.samplers.map { sampler -> resolve(sampler.name, target) }
        var shared: Long? = null
        items = module.meshes.values.filter { !it.isEmpty }.map { mesh ->
            val components = program.shaders.attributes.map {
                mesh.components(it.name)
                    ?: throw HostException("mesh '${mesh.name}' has no attribute '${it.name}', which the vertex stage reads")
            }
            val key = PipelineKey(
                target.formats, components, settings.depthTest, settings.depthWrite, settings.depthCompare, settings.blend,
            )
            val set = if (mesh.uniforms.isEmpty()) shared ?: writeSet(mesh, views).also { shared = it }
            else writeSet(mesh, views)
            Item(mesh, mesh.prepare(submission.serial), program.pipeline(key), set)
        }
    }

    private fun resolve(sampler: String, target: RenderToTexture): Pair<ImageView, Module.Texture> {
        val texture = module.textures[sampler]
            ?: throw HostException("sampler '$sampler' has no texture; add fromViews(\"$sampler\") { ... }")
        val view = texture.view()
        if (!view.alive) throw HostException("sampler '$sampler': $view is closed; bind a living one")
        if (view.device.address() != renderer.device.address()) {
            throw HostException("sampler '$sampler': $view belongs to another device; bind one of this renderer")
        }
        if ((target.imageViewArray + listOfNotNull(target.depthView)).any { it.image == view.image }) {
            throw HostException("sampler '$sampler' reads $target while it is drawn; read another target")
        }
        return view to texture
    }

    private fun writeSet(mesh: Mesh, views: List<Pair<ImageView, Module.Texture>>): Long = stackPush().use { stack ->
        val set = submission.arena.descriptorSet(program.setLayout)
        val block = program.shaders.block
        val writes = VkWriteDescriptorSet.calloc(views.size + if (block != null) 1 else 0, stack)
        if (block != null) {
            val slice = submission.arena.uniforms(block.size)
            for (member in block.members) {
                val value = mesh.uniforms[member.name] ?: module.uniforms[member.name]
                    ?: throw HostException("uniform '${member.name}' has no value; add uniform(\"${member.name}\") { ... }")
                block.write(slice.bytes, member, value())
            }
            val info = VkDescriptorBufferInfo.calloc(1, stack)
            info[0].buffer(slice.buffer).offset(slice.offset).range(slice.size.toLong())
            writes.get().`sType$Default`().dstSet(set).dstBinding(0).descriptorCount(1)
                .descriptorType(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER).pBufferInfo(info)
        }
        views.forEachIndexed { at, (view, texture) ->
            val info = VkDescriptorImageInfo.calloc(1, stack)
            info[0].imageView(view.view).imageLayout(view.layout)
                .sampler(renderer.samplers.get(view, texture.filter, texture.wrap, texture.mipBias))
            writes.get().`sType$Default`().dstSet(set).dstBinding(program.shaders.samplers[at].binding).descriptorCount(1)
                .descriptorType(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER).pImageInfo(info)
        }
        vkUpdateDescriptorSets(renderer.device, writes.flip(), null)
        set
    }

    /** Records the draws; the command buffer is inside the target's render pass. */
    fun draw() = items.forEach { item ->
        stackPush().use { stack ->
            vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_GRAPHICS, item.pipeline)
            vkCmdBindDescriptorSets(
                command, VK_PIPELINE_BIND_POINT_GRAPHICS, program.pipelineLayout, 0, stack.longs(item.set), null,
            )
            program.shaders.attributes.forEachIndexed { binding, attribute ->
                val offset = item.ready!!.attributeOffsets.getValue(attribute.name)
                vkCmdBindVertexBuffers(command, binding, stack.longs(item.ready.buffer), stack.longs(offset))
            }
        }
        val mesh = item.mesh
        if (mesh.indices.isEmpty()) {
            vkCmdDraw(command, mesh.vertexCount, mesh.instances, 0, 0)
        } else {
            vkCmdBindIndexBuffer(command, item.ready!!.buffer, item.ready.indexOffset, VK_INDEX_TYPE_UINT32)
            vkCmdDrawIndexed(command, mesh.indices.size, mesh.instances, 0, 0, 0)
        }
    }
}
