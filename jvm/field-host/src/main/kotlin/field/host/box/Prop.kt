package field.host.box

import kotlin.reflect.KProperty
import kotlin.reflect.KType
import kotlin.reflect.typeOf

/** The typed name of a property: `bx[prop]`, `bx += prop to value`. */
class Prop<T>(val name: String) {
    override fun toString() = name
    override fun equals(other: Any?) = other is Prop<*> && other.name == name
    override fun hashCode() = name.hashCode()
}

/** An extension property of a box: `var Box.exposure: Float by Delegation()`. Reading asks the parents too. */
class Delegation<T> {
    @Suppress("UNCHECKED_CAST")
    operator fun getValue(box: Box, property: KProperty<*>): T = box[property.name] as T

    operator fun setValue(box: Box, property: KProperty<*>, value: T) = box.put(property.name, value)
}

/**
 * Exports a value by name: boxes below find it as a plain name when they run next. The same name again replaces it.
 * The type that the boxes below see is the type of [property]'s value as written here.
 */
inline operator fun <reified T> Box.plusAssign(property: Pair<String, T>) {
    putTyped(property.first, property.second) { typeOf<T>() }
}

/** As with a String name. */
@JvmName("plusAssignProp")
inline operator fun <reified T> Box.plusAssign(property: Pair<Prop<T>, T>) {
    putTyped(property.first.name, property.second) { typeOf<T>() }
}

/** `bx["name"] = value`, the same as `bx += "name" to value`. */
inline operator fun <reified T> Box.set(name: String, value: T) = putTyped(name, value) { typeOf<T>() }

/** `bx[prop] = value`, the same as `bx += prop to value`. */
inline operator fun <reified T> Box.set(prop: Prop<T>, value: T) = putTyped(prop.name, value) { typeOf<T>() }

/** Some types, those of function references among them, cannot be made at run time; the value's class then counts. */
@PublishedApi
internal fun Box.putTyped(name: String, value: Any?, type: () -> KType) {
    val written = try {
        type()
    } catch (e: IllegalArgumentException) {
        null
    }
    put(name, value, written)
}
