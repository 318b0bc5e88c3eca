package field.host.box

import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** A value whose class boxes can name. */
class Lamp(val watts: Int)

class BoxRunnerTest {
    private val canvas = TestCanvas(imports = listOf("kotlin.math.*"))
    private val runner = canvas.runner

    @AfterEach
    fun close() = canvas.close()

    @Test
    fun childrenFindByNameWhatTheirAncestorsExport() {
        val parent = canvas.box("r_lamp", "val lamp = Lamp(40)\nbx += \"lamp\" to lamp\nbx += \"all\" to mapOf(\"a\" to listOf(lamp))")
        parent.code = "import field.host.box.Lamp\n" + parent.code
        parent.put("auto", 1)
        canvas.box("shade", "seen += lamp.watts + all.getValue(\"a\")[0].watts + bx.lamp.watts + PI.toInt()", parent)
        assertTrue(runner.runAll().all { it.isOk }, canvas.log.toString())
        assertEquals(listOf<Any?>(123), canvas.seen)
    }

    @Test
    fun namesDeclaredInTheBoxWinOverInheritedOnes() {
        canvas.root += "lamp" to Lamp(1)
        canvas.root += "size" to 2
        canvas.root += "PI" to 4
        canvas.box("own", "import kotlin.math.PI\nval lamp = 7\nval (size, other) = 8 to 9\nseen += lamp + size + other\nseen += PI")
        assertTrue(runner.run("own").isOk, canvas.log.toString())
        assertEquals(listOf<Any?>(24, Math.PI), canvas.seen)
    }

    @Test
    fun aBoxReadsItsOwnPropertiesAsMembersAndOtherBoxesToo() {
        canvas.root += "size" to 1
        val scene = canvas.box("scene", "seen.add(bx.mode + bx.size + root.size)\nbx += \"later\" to listOf(1)\nval later = 5")
        scene.put("mode", "QUALITY")
        repeat(2) { assertTrue(runner.run("scene").isOk, canvas.log.toString()) }
        assertEquals(listOf<Any?>("QUALITY11", "QUALITY11"), canvas.seen)
        assertEquals(1, runner.compilations)
    }

    @Test
    fun exportsOfTypesThatOnlyTheirBoxKnowsAreStillReachable() {
        val parent = canvas.box("r_own",
            "class Own : Runnable { override fun run() { seen += \"ran\" } }\nbx += \"own\" to Own()\nval f = { a: Int -> a + 1 }\nbx += \"f\" to f")
        canvas.box("child", "own.run()\nseen += f(1)", parent)
        assertTrue(runner.run("r_own").isOk, canvas.log.toString())
        assertTrue(runner.run("child").isOk, canvas.log.toString())
        assertEquals(listOf<Any?>("ran", 2), canvas.seen)
    }

    private fun joined(a: Int, b: String) = "$a$b"

    @Test
    fun exportsWithoutAWrittenTypeAreSeenAsTheirNearestPublicClass() {
        canvas.root.put("numbers", listOf(1, 2))
        canvas.root.put("none", emptyMap<String, Int>())
        canvas.root.put("values", floatArrayOf(1f))
        canvas.root.put("texts", arrayOf("a"))
        canvas.root.put("lamp", object : Comparable<Lamp> {
            override fun compareTo(other: Lamp) = 7
        })
        canvas.root += "typed" to ::joined
        canvas.box("scene",
            "seen.add(numbers.size + none.size + values[0].toInt() + texts[0].length)\nseen.add(lamp is Comparable<*>)\nseen.add(typed(1, \"b\"))")
        assertTrue(runner.run("scene").isOk, canvas.log.toString())
        assertEquals(listOf<Any?>(4, true, "1b"), canvas.seen)
    }

    @Test
    fun aNameIsTheValueFromTheStartOfTheRunAndAPropertyIsLive() {
        canvas.root += "size" to 1
        canvas.box("scene", "_r = { seen += size to bx.size }")
        runner.run("scene")
        canvas.root += "size" to 2
        runner.tick(0)
        assertEquals(listOf<Any?>(1 to 2), canvas.seen)
        runner.run("scene")
        runner.tick(1)
        assertEquals(2 to 2, canvas.seen.last())
    }

    @Test
    fun boxesRunByAutoThenTopToBottom() {
        fun box(name: String, auto: Number?, y: Int) = canvas.box(name, "seen += bx.name").also {
            if (auto != null) it.put("auto", auto)
            it.frame = Rect(0.0, y.toDouble(), 1.0, 1.0)
        }
        box("low", null, 20)
        box("second", 2, 0)
        box("high", null, 10)
        box("first", 1.5, 30)
        box("off", 0, 5)
        runner.runAuto()
        assertEquals(listOf<Any?>("first", "second"), canvas.seen)
        canvas.seen.clear()
        runner.runAll()
        assertEquals(listOf<Any?>("first", "second", "off", "high", "low"), canvas.seen)
    }

    @Test
    fun listLiteralsWork() {
        canvas.box("formats",
            "class Target { var formats = listOf<Int>() }\nval t = Target().apply {\n  formats = [\n    1, // one ]\n    2,\n  ]\n}\n" +
                "seen.add(t.formats)\nerror(\"here\")")
        assertEquals("formats:9: here", runner.run("formats").errors.single().toString())
        assertEquals(listOf<Any?>(listOf(1, 2)), canvas.seen)
    }

    @Test
    fun compileErrorsNameBoxAndLine() {
        canvas.root += "size" to 1
        val box = canvas.box("broken", "val a = size\nval b: Int = \"text\"\n\nnothing()\n")
        val outcome = runner.run("broken")
        assertEquals(listOf(2, 4), outcome.errors.map { it.line })
        assertTrue(canvas.log[0].startsWith("broken:2: "), canvas.log[0])
        assertEquals("broken:4: Unresolved reference: nothing (neither imported nor exported by a box above that has run)", canvas.log[1])
        assertEquals(outcome.errors[0], box.lastError)
        assertTrue(canvas.log.all { line -> line.all { it in ' '..'~' } })
        box.code = "val a = listOf(1\n"
        assertTrue(runner.run("broken").errors.all { it.line in 1..2 })
    }

    @Test
    fun exceptionsNameTheLineOfTheBoxNotOfWhatItCalled() {
        canvas.box("fails", "val a = 1\nfun f() {\n  intArrayOf(1)[5]\n}\nf()")
        val error = runner.run("fails").errors.single()
        assertEquals(3, error.line)
        assertEquals("fails:3: Index 5 out of bounds for length 1", error.toString())
        assertEquals(listOf(error.toString()), canvas.log)
    }

    @Test
    fun anExceptionInAFrameEndsOnlyThatBox() {
        val bad = canvas.box("bad", "var n = 0\n_r = {\n  if (n++ == 1) error(\"two\\nlines\")\n  seen += \"bad\"\n}")
        val good = canvas.box("good", "_r = { seen += \"good\" }")
        runner.runAll()
        repeat(3) { runner.tick(it.toLong()) }
        assertEquals(listOf<Any?>("bad", "good", "good", "good"), canvas.seen)
        assertEquals("bad:3: two lines", bad.lastError.toString())
        assertEquals(listOf("bad:3: two lines"), canvas.log)
        assertTrue(bad.ended)
        assertFalse(good.ended)
        assertFalse(runner.isAnimating(bad))
    }

    @Test
    fun anExceptionOutsideTheTickIsReportedAtItsBoxAndLine() {
        val box = canvas.box("scene", "seen.add({\n\n  check(seen.isEmpty()) { \"full\" }\n})")
        runner.run("scene")
        @Suppress("UNCHECKED_CAST")
        val thrown = assertThrows(IllegalStateException::class.java) { (canvas.seen[0] as () -> Unit)() }
        assertEquals("scene:3: a target failed", runner.report(RuntimeException("a target failed", thrown)).toString())
        assertEquals("scene:3: full", runner.report(thrown).toString())
        assertEquals("scene:3: full", box.lastError.toString())
        assertNull(runner.report(RuntimeException("elsewhere")))
    }

    @Test
    fun aCoroutineGoesOnOneStepAFrameAndCleansUpWhenItsBoxEnds() {
        val box = canvas.box("scene", "_r = frames {\n  var n = 0\n  while (!bx.ended) {\n    seen += n++\n    yield()\n  }\n  seen += \"closed\"\n}")
        runner.run("scene")
        assertEquals(emptyList<Any?>(), canvas.seen)
        repeat(2) { runner.tick(it.toLong()) }
        runner.run("scene")
        assertEquals(listOf<Any?>(0, 1, "closed"), canvas.seen)
        runner.tick(2)
        runner.end(box)
        assertEquals(listOf<Any?>(0, 1, "closed", 0, "closed"), canvas.seen)
        assertFalse(runner.isAnimating(box))
    }

    @Test
    fun aCoroutineThatReturnsIsOver() {
        val box = canvas.box("short", "_r = frames { seen += 1; yield(); seen += 2 }")
        runner.run("short")
        repeat(4) { runner.tick(it.toLong()) }
        assertEquals(listOf<Any?>(1, 2), canvas.seen)
        assertTrue(box.ended)
    }

    @Test
    fun theDeclaredVariableAnimatesAsInField() {
        canvas.box("field", "var _r: Any? = { seen += \"first\" }\n_r = { seen += bx.ended }")
        runner.run("field")
        runner.tick(0)
        runner.close()
        assertEquals(listOf<Any?>(false, true), canvas.seen)
    }

    @Test
    fun somethingElseInTheVariableIsReported() {
        canvas.box("odd", "_r = 5")
        assertEquals("odd: _r: expected a function without arguments or frames { }, got java.lang.Integer", runner.run("odd").errors.single().toString())
    }

    @Test
    fun codeThatDoesNotCompileLeavesThePreviousRun() {
        val box = canvas.box("scene", "_r = { seen += 1 }")
        runner.run("scene")
        box.code = "_r = { seen += }"
        runner.rerun("scene")
        runner.tick(0)
        assertEquals(listOf<Any?>(1), canvas.seen)
        assertTrue(box.lastError != null)
        box.code = "_r = { seen += 2 }"
        runner.run("scene")
        assertNull(box.lastError)
        runner.tick(1)
        assertEquals(listOf<Any?>(1, 1, 2), canvas.seen)
    }

    @Test
    fun rerunWaitsForTheFrameBoundaryAlsoFromWithinABoxOrAnotherThread() {
        canvas.root += "again" to { runner.rerun("inner") }
        canvas.box("inner", "seen += \"run\"\nvar n = 0\n_r = { if (n++ == 0 && seen.size < 3) again() }")
        runner.run("inner")
        runner.tick(0)
        assertEquals(1, canvas.seen.size)
        runner.tick(1)
        assertEquals(2, canvas.seen.size)
        Thread { runner.rerun("inner"); runner.rerun("inner"); runner.rerun("absent") }.apply { start(); join() }
        runner.tick(2)
        assertEquals(3, canvas.seen.size)
        assertTrue(canvas.log.single().startsWith("box 'absent': not on the canvas"), canvas.log.toString())
    }

    @Test
    fun closingEndsTheNewestFirstAndTwiceDoesNothing() {
        for (name in listOf("a", "b")) canvas.box(name, "_r = frames { while (!bx.ended) yield(); seen += bx.name }")
        runner.runAll()
        runner.tick(0)
        runner.close()
        runner.close()
        assertEquals(listOf<Any?>("b", "a"), canvas.seen)
        assertThrows(IllegalStateException::class.java) { runner.tick(1) }
    }

    @Test
    fun theRunningBoxIsKnownToWhatItCalls() {
        canvas.root += "who" to { Box.running?.name }
        canvas.box("scene", "seen += who()\n_r = frames { seen += who(); yield() }")
        runner.run("scene")
        runner.tick(0)
        assertEquals(listOf<Any?>("scene", "scene"), canvas.seen)
        assertNull(Box.running)
    }

    @Test
    fun boxesThatCannotRunSaySo() {
        canvas.root.connect(Box("script").also { it.code = "print" })
        assertTrue("fieldkotlin.KI" in assertThrows(BoxException::class.java) { runner.run("script") }.message!!)
        assertTrue("no code" in assertThrows(BoxException::class.java) { runner.run("r_kotlin") }.message!!)
        canvas.box("twin", "")
        canvas.box("twin", "")
        assertTrue("2 boxes" in assertThrows(BoxException::class.java) { runner.run("twin") }.message!!)
    }
}
