package field.host.box

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import kotlin.streams.toList

class StartingPointTest {
    @TempDir
    lateinit var folder: Path

    private val paths get() = FieldPaths(folder)

    /** Two boxes as Field itself would have saved them, foreign tags and editor history included. */
    private val master = """
        #field/document{
          :externalList [
            #field/external{
              :textFiles {
              }
              :dataFile "{{templates}}/test.one/r_kotlin.box"
              :id "_a"
              :boxClass "fieldkotlin.KI"
              :parents [
                ">>root<<"
              ]
              :children [
                "_b"
              ]
              :overriddenProperties {
              }
            }
            #field/external{
              :textFiles {
                "code" "{{templates}}/test.one/some scene.box.kt"
                "vertex" "some scene.box.glslv"
              }
              :dataFile "{{templates}}/test.one/some scene.box"
              :id "_b"
              :boxClass "fieldbox.boxes.Box"
              :parents [
                "_a"
                ">>root<<"
              ]
              :children [
              ]
              :overriddenProperties {
                "frame" #field/rect{
                  :x -34.5
                  :y 58.0
                  :w 100.0
                  :h 50.25
                }
              }
            }
          ]
          :knownFiles {
            "code" #field/filespec{
              :name "code"
            }
            "vertex" #field/filespec{
              :name "vertex"
            }
          }
          :knownProperties #{
            "name"
            "auto"
          }
        }
    """.trimIndent() + "\n"

    private val sceneData = """
        {
          "name" "some scene"
          "frame" #field/rect{
            :x 0.0
            :y 0.0
            :w 1.0
            :h 1.0
          }
          "auto" 2
          "comment" "says \"hi\"\n\tand \\ goes"
          "odd" #other/tag [
            1
            2.5
            nil
            true
          ]
          "_code_cookie" "{}"
          "__id__" "_old"
        }
    """.trimIndent() + "\n"

    private fun put(file: String, text: String) {
        val path = folder.resolve("test.one").resolve(file)
        Files.createDirectories(path.parent)
        Files.writeString(path, text, Charsets.ISO_8859_1)
    }

    private fun stored() {
        put("test.one.field2", master)
        put("r_kotlin.box", "{\n  \"name\" \"r_kotlin\"\n}\n")
        put("some scene.box", sceneData)
        put("some scene.box.kt", "// caf\u00e9\nval a = 1")
        put("some scene.box.glslv", "void main() {}\n")
    }

    private fun read() = StartingPoint.read(paths.find("one"), paths)

    @Test
    fun whatFieldSavedIsReadIntoBoxes() {
        stored()
        val root = read().toBoxes()
        val scene = root.downwards().single { it.name == "some scene" }
        assertEquals("_b", scene.id)
        assertEquals(Rect(-34.5, 58.0, 100.0, 50.25), scene.frame)
        assertEquals(2.0, scene.auto)
        assertEquals("// caf\u00e9\nval a = 1", scene.code)
        assertEquals("void main() {}\n", scene.vertex)
        assertTrue(scene.isKotlin)
        assertEquals(listOf("r_kotlin", "root"), scene.parents.map { it.name })
        assertFalse("_code_cookie" in scene.names)
        assertEquals("says \"hi\"\n\tand \\ goes", scene["comment"])
    }

    @Test
    fun writingWhatWasReadGivesTheSameBytes() {
        stored()
        put("some scene.box.kt", "val a = 1")
        val elsewhere = FieldPaths(folder.resolve("copy"))
        read().write(elsewhere)
        fun files(of: Path) = Files.walk(of).use { all ->
            all.filter { Files.isRegularFile(it) }.toList().associate { of.relativize(it).toString() to Files.readString(it) }
        }
        assertEquals(files(folder.resolve("test.one")), files(folder.resolve("copy/test.one")))
        assertEquals(read(), StartingPoint.read(elsewhere.find("test.one"), elsewhere))
    }

    @Test
    fun aStartingPointMadeOfBoxesReadsBackEqual() {
        val root = Box.root()
        val kotlin = Box("r_kotlin", boxClass = Box.KOTLIN_CLASS).also(root::connect)
        val renderer = Box("r_renderer").also(root::connect)
        kotlin.connect(renderer)
        renderer.put("auto", 1)
        renderer.code = "bx += \"renderer\" to 1\n"
        val scene = Box("what: a scene?").also(renderer::connect)
        kotlin.connect(scene)
        scene.frame = Rect(0.0, 150.0, 100.0, 100.0)
        scene.code = "println(renderer)\n"
        scene.vertex = "v"
        scene.fragment = "f"
        val made = StartingPoint.of("test.made", root)
        val master = made.write(paths)
        assertEquals(folder.resolve("test.made/test.made.field2"), master)
        val back = StartingPoint.read(paths.find("made"), paths)
        assertEquals(made.copy(boxes = back.boxes), back)
        val again = back.toBoxes().downwards().single { it.name == "what: a scene?" }
        assertEquals(listOf("r_renderer", "r_kotlin"), again.parents.map { it.name })
        assertEquals(listOf("println(renderer)\n", "v", "f"), listOf(again.code, again.vertex, again.fragment))
        assertEquals(back.boxes.map { it.copy(properties = emptyMap()) }, made.boxes.map { it.copy(properties = emptyMap()) })
        assertTrue(Files.exists(folder.resolve("test.made/what_colon_ a scene_query_.box.kt")))
        Files.walk(folder.resolve("test.made")).use { all ->
            all.filter { Files.isRegularFile(it) }.forEach { file ->
                assertTrue(Files.readAllBytes(file).all { it in 9..126 }, "$file is not ASCII")
            }
        }
    }

    @Test
    fun textThatWouldDecayIsNotWritten() {
        stored()
        val elsewhere = FieldPaths(folder.resolve("copy"))
        val e = assertThrows(BoxException::class.java) { read().write(elsewhere) }
        assertEquals("${folder.resolve("copy/test.one/some scene.box.kt")}:1: character 233, expected ASCII", e.message)
        assertFalse(Files.exists(folder.resolve("copy")))
    }

    @Test
    fun parentsAndChildrenOutsideTheDocumentAreNamedAndPassedOver() {
        stored()
        assertEquals(emptyList<String>(), read().lost)
        put("test.one.field2", master.replace("\"_b\"\n      ]", "\"_c\"\n      ]"))
        assertEquals(listOf("{{templates}}/test.one/test.one.field2: key children of _a: no box _c in this document"), read().lost)
        assertEquals(setOf("root", "r_kotlin", "some scene"), read().toBoxes().downwards().map { it.name }.toSet())
    }

    @Test
    fun aMasterFileOfAnotherNameCountsWhenItIsTheOnlyOne() {
        stored()
        val from = folder.resolve("test.one/test.one.field2")
        Files.move(from, folder.resolve("test.one/old name.field2"))
        assertEquals("old name", read().name)
        Files.writeString(folder.resolve("test.one/second.field2"), "")
        assertFault("expected test.one.field2, got old name.field2, second.field2")
    }

    private fun assertFault(vararg parts: String) {
        val message = assertThrows(BoxException::class.java) { read().toBoxes() }.message!!
        for (part in parts) assertTrue(part in message, message)
        assertTrue(message.all { it in ' '..'~' }, message)
    }

    @Test
    fun faultsNameFileAndKeyInOneLine() {
        stored()
        Files.delete(folder.resolve("test.one/some scene.box.glslv"))
        assertFault("some scene.box.glslv: no such file", "externalList[1] textFiles vertex", "test.one.field2")
        stored()
        put("test.one.field2", master.replace(":id \"_b\"", ":id 7"))
        assertFault("test.one.field2: key externalList[1] id: expected String, got Long")
        put("test.one.field2", master.replace(":id \"_b\"", ":ident \"_b\""))
        assertFault("test.one.field2: key externalList[1] id: expected String, got nothing")
        put("test.one.field2", master.replace(":id \"_b\"", ":id \"_a\"").replace("    \"_b\"\n", ""))
        assertFault("test.one.field2: key id: _a is there 2 times")
        put("test.one.field2", master.dropLast(3))
        assertFault("test.one.field2: not EDN")
        put("test.one.field2", master.replace("{{templates}}/test.one/some", "{{attic}}/some"))
        assertFault("path '{{attic}}/some scene.box'", "{{templates}} or {{workspace}}")
        put("test.one.field2", master)
        put("some scene.box", "{ \"name\" \"a\" \"name\" \"b\" }")
        assertFault("some scene.box: not EDN", "name")
        put("some scene.box", "{ :name \"a\" }")
        assertFault("some scene.box: key :name", "String")
    }

    @Test
    fun foldersAreFoundByTheEndOfTheirName() {
        fun make(at: String, name: String) = Files.createDirectories(folder.resolve(at).resolve(name)).resolve("$name.field2").let { Files.writeString(it, "") }
        make("templates", "graphics.stage")
        make("templates", "texture.stage")
        make("templates", "stage2.reconstruction")
        make("workspace", "reconstruction")
        make("workspace", "own.thing")
        Files.createDirectories(folder.resolve("templates/no.thing"))
        val paths = FieldPaths(folder.resolve("templates"), folder.resolve("workspace"))
        assertEquals("stage2.reconstruction", paths.find("reconstruction").fileName.toString())
        assertEquals("own.thing", paths.find("thing").fileName.toString())
        assertEquals("texture.stage", paths.find("texture.stage").fileName.toString())
        val both = assertThrows(BoxException::class.java) { paths.find("stage") }.message!!
        assertTrue("graphics.stage" in both && "texture.stage" in both, both)
        val none = assertThrows(BoxException::class.java) { paths.find("absent") }.message!!
        assertTrue("own.thing" in none, none)
        assertEquals(folder.resolve("workspace/a/b.box"), paths.resolve("{{workspace}}/a/b.box", folder))
        assertEquals("{{workspace}}/a", paths.relativize(folder.resolve("workspace/a")))
    }
}
