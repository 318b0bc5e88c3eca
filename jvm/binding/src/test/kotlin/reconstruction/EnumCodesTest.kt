package reconstruction

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import reconstruction.internal.AlphaCode
import reconstruction.internal.BypassCode
import reconstruction.internal.ColorEncodingCode
import reconstruction.internal.DebugViewCode
import reconstruction.internal.DepthCode
import reconstruction.internal.EnabledFeatureCode
import reconstruction.internal.FaultCode
import reconstruction.internal.FeatureCode
import reconstruction.internal.ModeCode
import reconstruction.internal.MotionDirectionCode
import reconstruction.internal.MotionGridCode
import reconstruction.internal.MotionUnitCode
import reconstruction.internal.OutcomeCode
import reconstruction.internal.ResetReasonCode

/** The Kotlin enums have exactly the values and codes of native/core. */
class EnumCodesTest {
    /** Names and codes of a generated object; the test may look where the library does not. */
    private fun generated(codes: Any): Map<String, Int> = codes.javaClass.declaredFields
        .filter { it.type == Int::class.javaPrimitiveType }
        .associate { it.name to it.getInt(null) }

    private fun <E : Enum<E>> same(codes: Any, values: Array<E>, code: (E) -> Int, without: Set<String> = emptySet()) {
        val expected = generated(codes).filterKeys { it !in without }.mapKeys { it.key.replace("8_BIT", "_8BIT") }
        assertEquals(expected, values.associate { it.name to code(it) })
    }

    @Test
    fun `every enum has the values of native core`() {
        same(DepthCode, DepthConvention.values(), DepthConvention::code)
        same(MotionUnitCode, MotionUnit.values(), MotionUnit::code)
        same(MotionDirectionCode, MotionDirection.values(), MotionDirection::code)
        same(MotionGridCode, MotionGrid.values(), MotionGrid::code)
        same(ColorEncodingCode, ColorEncoding.values(), ColorEncoding::code)
        same(AlphaCode, AlphaMode.values(), AlphaMode::code)
        same(BypassCode, Bypass.values(), Bypass::code)
        same(DebugViewCode, DebugView.values(), DebugView::code)
        same(FeatureCode, ReconstructionFeature.values(), ReconstructionFeature::code)
        same(EnabledFeatureCode, DeviceFeature.values(), DeviceFeature::code)
        same(ResetReasonCode, ResetCause.values(), ResetCause::code, without = setOf("NONE"))
    }

    @Test
    fun `modes, outcomes and faults have the values of native core`() {
        val modes = ReconstructionMode.NAMED + ReconstructionMode.scale(1.25)
        assertEquals(generated(ModeCode), modes.associate { it.name to it.code })
        assertEquals(setOf("RECONSTRUCTED", "BYPASSED", "DECLINED"), generated(OutcomeCode).keys)
        val faults = generated(FaultCode).keys - "NONE"
        val classes = ReconstructionException::class.java.permittedSubclasses.map { it.simpleName }
        assertEquals(faults, classes.map { it.replace(Regex("(?<=[a-z])(?=[A-Z])"), "_").uppercase() }.toSet())
    }
}
