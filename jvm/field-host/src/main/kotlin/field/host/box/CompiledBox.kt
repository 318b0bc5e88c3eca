package field.host.box

/** Classes of one compiled box by file name (`Name.class`), and which of them is the script. */
internal class CompiledBox(val scriptClass: String, val classFiles: Map<String, ByteArray>, parent: ClassLoader) {
    private val constructor = Loader(classFiles, parent).loadClass(scriptClass).constructors.single()

    /** Runs the code of the box; returns what animates: its own `_r`, else the one of [scope]. */
    fun run(scope: BoxScope): Any? {
        val script = constructor.newInstance(scope)
        val own = script.javaClass.declaredFields.firstOrNull { it.name == "_r" } ?: return scope._r
        own.isAccessible = true
        return own.get(script)
    }

    private class Loader(private val files: Map<String, ByteArray>, parent: ClassLoader) : ClassLoader(parent) {
        override fun findClass(name: String): Class<*> {
            val bytes = files[name.replace('.', '/') + ".class"] ?: throw ClassNotFoundException(name)
            return defineClass(name, bytes, 0, bytes.size)
        }
    }
}
