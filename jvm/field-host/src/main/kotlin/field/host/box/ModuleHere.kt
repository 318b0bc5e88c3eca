package field.host.box

import field.host.Module
import field.host.ModuleSettings
import field.host.ModuleSources
import field.host.Renderer

/**
 * A module that draws with the `vertex` and `fragment` texts of this box, on the `renderer` that a box above exports.
 * An edit of either text shows in the next frame. Running the box again closes the modules of its previous run.
 *
 * @throws BoxException when no box above exports a renderer
 */
fun BoxScope.moduleHere(settings: ModuleSettings.() -> Unit = {}): Module {
    val renderer = bx["renderer"] as? Renderer
        ?: throw BoxException("moduleHere: expected a Renderer exported as `renderer` above $bx, got ${bx["renderer"]}; run the renderer box first")
    val before = bx.here(MODULES) as? ModulesOfRun
    val now = if (before?.run === this) before else ModulesOfRun(this).also { bx.put(MODULES, it) }
    if (before !== now) before?.modules?.forEach { it.close() }
    return Module(renderer, TextsOf(bx), settings).also { now.modules += it }
}

private class ModulesOfRun(val run: BoxScope) {
    val modules = ArrayList<Module>()
}

private class TextsOf(private val box: Box) : ModuleSources {
    override val name get() = box.name
    override val vertex get() = text(Box.vertex)
    override val fragment get() = text(Box.fragment)

    private fun text(property: Prop<String>) = box.here(property.name) as? String
        ?: throw BoxException("moduleHere: $box has no ${property.name} text; add ${box.name}.box${Box.TEXTS[property.name]} to its textFiles")
}

/** Not a name that a box could mention. */
private const val MODULES = "modules here"
