package reconstruction

import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.lwjgl.vulkan.VK10.*
import reconstruction.vulkan.SoftwareDriver
import reconstruction.vulkan.TestImage
import reconstruction.vulkan.TestScene

/** Each bad input alone: one exact line, nothing recorded, the context stays usable. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BadInputTest(driver: SoftwareDriver) {
    private val scene = TestScene(driver)
    private val neural = scene.context()
    private val extra = ArrayList<TestImage>()
    private var index = 0L

    @AfterEach
    fun `the context stays usable`() {
        assertEquals(ReconstructionResult.Reconstructed, scene.evaluate(neural, scene.frame(neural, index++)))
    }

    @AfterAll
    fun `nothing for the validation layer to say`() {
        neural.close()
        extra.forEach { it.close() }
        scene.close()
        assertEquals(emptyList<String>(), scene.device.messages)
    }

    private fun image(
        format: Int = VK_FORMAT_R16G16B16A16_SFLOAT,
        size: ReconstructionSize = scene.inputSize,
        usage: Int = VK_IMAGE_USAGE_SAMPLED_BIT,
        samples: Int = 1,
        mips: Int = 1,
        layers: Int = 1,
    ) = TestImage(scene.device, size, format, usage, samples, mips, layers).also { extra += it }

    private fun refused(
        line: String,
        color: ImageView = scene.inputs.color,
        depth: ImageView = scene.inputs.depth,
        motion: ImageView = scene.inputs.motion,
        jitter: ReconstructionJitter = ReconstructionJitter.ZERO,
        exposure: Exposure = Exposure.Auto,
    ) {
        val reset = neural.lastReset
        val error = assertThrows(InvalidInput::class.java) {
            val frame = ReconstructionFrame(index, jitter, exposure = exposure)
            scene.evaluate(neural, frame, ReconstructionInputs(color, depth, motion))
        }
        assertEquals(line, error.message)
        assertTrue(error.message!!.all { it in ' '..'~' })
        assertEquals(reset, neural.lastReset)
        assertEquals(error, neural.lastError)
    }

    private fun bare(view: Long, image: Long, source: ImageView = scene.inputs.color) = ImageView(
        view, image, source.format, source.extent, source.usage, source.samples, source.mips, source.layers,
        source.layout, scene.device.device,
    )

    @Test
    fun `a null view`() = refused(
        "color: expected an image view, got view 0; give an image that the host has made",
        color = bare(0, scene.inputs.color.image),
    )

    @Test
    fun `a null image`() = refused(
        "color: expected an image view, got image 0; give an image that the host has made",
        color = bare(scene.inputs.color.view, 0),
    )

    @Test
    fun `an image one pixel too wide`() = refused(
        "color.size: expected 64x36 (inputSize), got 65x36; give an image of this size, or make a new context",
        color = image(size = ReconstructionSize(65, 36)).view(),
    )

    @Test
    fun `an image of half the size`() = refused(
        "motion.size: expected 64x36 (inputSize), got 32x18; give an image of this size, or make a new context",
        motion = image(VK_FORMAT_R32G32_SFLOAT, ReconstructionSize(32, 18)).view(),
    )

    @Test
    fun `an SRGB view`() = refused(
        "color.format: expected R16G16B16A16_SFLOAT or R32G32B32A32_SFLOAT or B10G11R11_UFLOAT_PACK32 or " +
            "R8G8B8A8_UNORM, got R8G8B8A8_SRGB; make a UNORM view of the same image and set colorEncoding = SRGB_LDR",
        color = image(VK_FORMAT_R8G8B8A8_SRGB).view(),
    )

    @Test
    fun `a D16 depth image`() = refused(
        "depth.format: expected R32_SFLOAT or D32_SFLOAT or D32_SFLOAT_S8_UINT, got D16_UNORM; " +
            "render depth as D32F, or write it to R32F",
        depth = image(VK_FORMAT_D16_UNORM).view(),
    )

    @Test
    fun `motion of one channel`() = refused(
        "motion.format: expected R16G16_SFLOAT or R32G32_SFLOAT, got R32_SFLOAT; render motion in one of these formats",
        motion = image(VK_FORMAT_R32_SFLOAT).view(),
    )

    @Test
    fun `an image that cannot be sampled`() = refused(
        "color.usage: expected SAMPLED among others, got TRANSFER_DST | COLOR_ATTACHMENT; " +
            "make the image with VK_IMAGE_USAGE_SAMPLED_BIT",
        color = image(usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT).view(),
    )

    @Test
    fun `four samples`() = refused(
        "color.samples: expected 1, got 4; resolve the image first",
        color = image(samples = 4).view(),
    )

    @Test
    fun `two mips`() = refused(
        "color.view: expected 1 mip and 1 layer, got 2 mips and 1 layers; make a view of one mip of one layer",
        color = image(mips = 2).view(),
    )

    @Test
    fun `two layers`() = refused(
        "color.view: expected 1 mip and 1 layer, got 1 mips and 2 layers; make a view of one mip of one layer",
        color = image(layers = 2).view(),
    )

    @Test
    fun `a layout that cannot be read`() = refused(
        "color.layout: expected SHADER_READ_ONLY_OPTIMAL or GENERAL, got COLOR_ATTACHMENT_OPTIMAL; " +
            "bring the image into one of these layouts before evaluate",
        color = scene.color.view(VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL),
    )

    @Test
    fun `one image as two inputs`() = refused(
        "motion: expected an image of its own, not that of depth, got the same image twice; give each input its own image",
        motion = bare(scene.inputs.depth.view, scene.inputs.depth.image, scene.inputs.motion),
    )

    @Test
    fun `its own output as input`() = refused(
        "color: expected an image of the host, got this context's own output; copy the output first, or read another context's",
        color = bare(neural.output.view, neural.output.image),
    )

    @Test
    fun `a closed image`() = refused(
        "color: expected a living image, got a closed one; rebuild the inputs with their owner",
        color = TestImage(scene.device, scene.inputSize, VK_FORMAT_R16G16B16A16_SFLOAT).let { closing ->
            closing.view().also { closing.close() }
        },
    )

    @Test
    fun `jitter beyond half a pixel`() = refused(
        "jitter.y: expected -0.5..0.5 render pixels, got -0.75; use ReconstructionJitter.halton",
        jitter = ReconstructionJitter(0.5, -0.75),
    )

    @Test
    fun `jitter that is no number`() = refused(
        "jitter.x: expected -0.5..0.5 render pixels, got NaN; use ReconstructionJitter.halton",
        jitter = ReconstructionJitter(Float.NaN, 0f),
    )

    @Test
    fun `an exposure texture of the wrong format`() = refused(
        "exposure.format: expected R32_SFLOAT or R16_SFLOAT or R16G16B16A16_SFLOAT or R32G32B32A32_SFLOAT, got " +
            "R8G8B8A8_UNORM; write the exposure to a texture of one of these formats",
        exposure = Exposure.Texture(image(VK_FORMAT_R8G8B8A8_UNORM, ReconstructionSize(1, 1)).view()),
    )

    @Test
    fun `a source that cannot be shown unscaled`() {
        neural.bypass = Bypass.SOURCE
        refused(
            "bypass: expected ENLARGED for a source smaller than the output of 128x72, got SOURCE at 64x36; " +
                "use ENLARGED, or show a source of the output's size",
        )
        neural.bypass = Bypass.OFF
    }

    @Test
    fun `an empty reason for a reset`() {
        neural.reset("")
        refused("reset: expected a reason in words, got an empty text; say why, it is shown as lastReset")
        neural.reset("a reason")
    }

    private fun unmade(
        line: String,
        input: ReconstructionSize,
        output: ReconstructionSize,
        mode: ReconstructionMode = ReconstructionMode.QUALITY,
    ) = assertEquals(
        line,
        assertThrows(InvalidInput::class.java) { DlssReconstruction(scene.host, input, output, mode) }.message,
    )

    @Test
    fun `sizes that do not fit`() {
        val output = ReconstructionSize(1920, 1080)
        val remedy = "the output is at most 3 times the input on each axis and never smaller; use recommend(...).optimal"
        unmade("inputSize.width: expected 640..1920 for an output of 1920, got 1921; $remedy", ReconstructionSize(1921, 1080), output)
        unmade("inputSize.width: expected 640..1920 for an output of 1920, got 639; $remedy", ReconstructionSize(639, 360), output)
        unmade("inputSize.height: expected 360..1080 for an output of 1080, got 359; $remedy", ReconstructionSize(640, 359), output)
        unmade(
            "inputSize: expected 1920x1080 (DLAA reconstructs at the output size), got 1919x1080; " +
                "use recommend(...).optimal, or another mode",
            ReconstructionSize(1919, 1080), output, ReconstructionMode.DLAA,
        )
        unmade(
            "outputSize.width: expected 64..8192 pixels, got 0; choose an output size inside this range " +
                "(a minimised window has none: skip the frame)",
            output, ReconstructionSize(0, 0),
        )
        val error = assertThrows(InvalidInput::class.java) {
            DlssReconstruction.recommend(scene.host, ReconstructionSize(0, 0), ReconstructionMode.QUALITY)
        }
        assertTrue(error.message!!.startsWith("outputSize.width: expected 64..8192 pixels, got 0; "))
    }
}

class LavapipeBadInputTest : BadInputTest(SoftwareDriver.LAVAPIPE)

class SwiftShaderBadInputTest : BadInputTest(SoftwareDriver.SWIFTSHADER)
