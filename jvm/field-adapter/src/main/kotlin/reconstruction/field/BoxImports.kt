package reconstruction.field

/** What a box imports so that the snippets of the documentation run as they stand. */
object BoxImports {
    /** Names, and packages ending in `.*`. Both packages know a `DlssReconstruction`; boxes mean that of Field. */
    val ALL: List<String> = listOf(
        "org.lwjgl.vulkan.VK10.*",
        "org.lwjgl.vulkan.VkCommandBuffer",
        "field.host.*",
        "field.host.ImageView",
        "reconstruction.*",
        "reconstruction.field.*",
        "reconstruction.field.DlssReconstruction",
    )
}
