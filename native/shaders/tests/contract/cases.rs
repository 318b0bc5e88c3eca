//! Edits of `probe.comp` that the build must refuse. The build runs them, the test judges the answers.

/// One edit and what its refusal must say.
#[allow(dead_code)] // the build reads the edit, the test what it must cause
pub struct Case {
    /// What the case shows.
    pub name: &'static str,
    /// Text of the expanded probe that is replaced, once.
    pub replace: &'static str,
    /// What stands there instead.
    pub by: &'static str,
    /// What one of the errors contains.
    pub expected: &'static str,
}

const fn edit(
    name: &'static str,
    replace: &'static str,
    by: &'static str,
    expected: &'static str,
) -> Case {
    Case {
        name,
        replace,
        by,
        expected,
    }
}

/// A statement in `main` after `float y = x`.
const fn statement(name: &'static str, by: &'static str, expected: &'static str) -> Case {
    edit(name, "float y = x;", by, expected)
}

/// Every case.
#[rustfmt::skip]
pub const REFUSED: &[Case] = &[
    statement("exp", "float y = exp(x);", "Exp in function main"),
    statement("exp2", "float y = exp2(x);", "Exp2 in function main"),
    statement("log", "float y = log(x);", "Log in function main"),
    statement("log2", "float y = log2(x);", "Log2 in function main"),
    statement("pow", "float y = pow(x, 2.5);", "Pow in function main"),
    statement("sin", "float y = sin(x);", "Sin in function main"),
    statement("tanh", "float y = tanh(x);", "Tanh in function main"),
    statement("division", "float y = 1.0 / x;", "OpFDiv in function main"),
    statement("mix", "float y = mix(x, 2.0, 0.25);", "FMix in function main"),
    statement("fma", "float y = fma(x, x, 1.0);", "Fma in function main"),
    statement("dot", "float y = dot(color, color);", "OpDot in function main"),
    statement("sqrt", "float y = sqrt(x);", "Sqrt in function main"),
    statement("inversesqrt", "float y = inversesqrt(x);", "InverseSqrt in function main"),
    statement("mod", "float y = mod(x, 3.0);", "OpFMod in function main"),
    statement("fract", "float y = fract(x);", "Fract in function main"),
    statement("round", "float y = round(x);", "Round in function main"),
    statement("sign", "float y = sign(x);", "FSign in function main"),
    statement("step", "float y = step(0.5, x);", "Step in function main"),
    statement("smoothstep", "float y = smoothstep(0.0, 1.0, x);", "SmoothStep in function main"),
    statement("length", "float y = length(color);", "Length in function main"),
    statement("normalize", "float y = normalize(color).x;", "Normalize in function main"),
    statement("cross", "float y = cross(color.rgb, color.gbr).x;", "Cross in function main"),
    statement("reflect", "float y = reflect(color, color.gbra).x;", "Reflect in function main"),
    statement("ldexp", "float y = ldexp(x, 3);", "Ldexp in function main"),
    statement("is not a number", "float y = isnan(x) ? 0.0 : x;", "OpIsNan in function main"),
    statement("matrix times vector", "float y = (mat4(x) * color).x;", "OpMatrixTimesVector in function main"),
    statement("pack to halves", "float y = uintBitsToFloat(packHalf2x16(color.xy));", "PackHalf2x16 in function main"),
    statement("unpack from bytes", "float y = unpackUnorm4x8(words_in[0]).x;", "UnpackUnorm4x8 in function main"),
    statement("signed division", "float y = x; texel = texel / ivec2(at);", "OpSDiv in function main"),
    statement("division assigned", "float y = x; y /= color.x;", "OpFDiv in function main"),
    edit("filtered texture", "void main() {",
        "layout(binding = 7) uniform sampler2D filtered; void main() { float z = texture(filtered, vec2(0.5)).x; shared_words[0] = uint(z);",
        "OpImageSampleExplicitLod in function main"),
    edit("in a called function", "return a * b + c;", "return a / b + c;",
        "inc/probe.glsl:2: OpFDiv in function product_sum"),
    statement("at the lines that spell it", "float y = sqrt(x);", "perhaps at probe.comp:15"),
    edit("compile error", "float y = x;", "float y = missing;",
        "probe.comp:15: 'missing' : undeclared identifier"),
    edit("compile error in an include", "return a * b + c;", "return a * b + missing;",
        "inc/probe.glsl:3: 'missing' : undeclared identifier"),
    statement("64-bit floats", "float y = float(double(x));", "needs capability Float64"),
    edit("64-bit integers", "void main() {",
        "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\nvoid main() { uint64_t wide = words_in[0];",
        "needs capability Int64"),
    edit("16-bit floats", "void main() {",
        "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\nvoid main() { float16_t narrow = float16_t(words_in[0]);",
        "needs capability Float16"),
    edit("subgroup sums", "void main() {",
        "#extension GL_KHR_shader_subgroup_arithmetic : require\nvoid main() { float sum = subgroupAdd(1.0);",
        "needs capability GroupNonUniformArithmetic"),
    edit("reads without format", "void main() {",
        "#extension GL_EXT_shader_image_load_formatted : require\nlayout(binding = 7) uniform readonly image2D any; void main() { vec4 v = imageLoad(any, ivec2(0));",
        "needs capability StorageImageReadWithoutFormat"),
    edit("a storage image of another format", "rgba16f", "rgba32f", "binding 5: expected"),
    edit("a storage image that is read", "uniform writeonly image2D", "uniform image2D", "binding 5: expected"),
    edit("a texture array", "uniform texture2D picture",
        "uniform texture2DArray layers; layout(binding = 7) uniform texture2D picture", "plain 2D false"),
    edit("an input that may be written", "readonly buffer Block_words_in", "buffer Block_words_in",
        "binding 0: expected"),
    edit("an output that may be read", "writeonly buffer Block_quads_out", "buffer Block_quads_out",
        "binding 2: expected"),
    edit("an element of another size", "uvec2 pairs_in[]", "uvec4 pairs_in[]", "binding 1: expected"),
    edit("another number", "binding = 4, std430", "binding = 9, std430", "binding 3: expected"),
    edit("another set", "set = 0, binding = 4", "set = 1, binding = 4", "binding 3: expected"),
    edit("another workgroup", "local_size_x = 16", "local_size_x = 8", "workgroup size: expected [16, 8, 1]"),
    edit("more invocations than every device has", "local_size_x = 16", "local_size_x = 32",
        "256 invocations in a workgroup"),
    edit("more shared memory than every device has", "shared_words[128];", "shared_words[128]; shared vec4 table[32][65];",
        "33792 bytes of shared memory"),
    edit("a parameter of another type", "uvec2 render_size;", "ivec2 render_size;", "parameter 0: expected"),
    edit("a parameter too many", "uvec2 output_size;", "uint extra; uint more; uvec2 output_size;", "parameter 1: expected"),
    edit("push constants", "void main() {",
        "layout(push_constant) uniform Pushed { uint pushed; }; void main() { uint read = pushed;",
        "variable of class PushConstant"),
    edit("constants that the driver computes", "void main() {",
        "layout(constant_id = 0) const uint tuned = 1; const uint doubled = tuned * 2; void main() { uint z = doubled;",
        "OpSpecConstantOp"),
];
