// Measures the exposure: 2^-(mean log2 luma) over a grid of 64 x 32 pixels, or takes the host's.
// in: color_image (render size), exposure_image (1x1); out: exposure_value, one float's bits.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "color.glsl"

const uvec2 GRID = uvec2(64, 32);

void finish() {
    uint sum = atomicExchange(exposure_sums[0], 0u);
    uint count = atomicExchange(exposure_sums[1], 0u);
    float value = params.exposure_scale;
    if (params.exposure_kind == EXPOSURE_KIND_TEXTURE) {
        value = door(texelFetch(exposure_image, ivec2(0), 0).r, 1.0);
        if (value <= 0.0) value = 1.0;
    }
    if (params.exposure_kind == EXPOSURE_KIND_AUTO && count > 0u) {
        uint mean = sum / count;
        value = AUTO_EXPOSURE_KEY * exact_exp2(float(16384 - int(mean)) * 0.0009765625);
    }
    value = min(max(value, SMALLEST), 16384.0);
    exposure_value[0] = floatBitsToUint(value);
}

void main() {
    uvec2 cell = gl_GlobalInvocationID.xy;
    uvec2 pixel = (2u * cell + 1u) * params.render_size / (2u * GRID);
    bool finite;
    vec4 c = color_at_door(texelFetch(color_image, ivec2(pixel), 0), finite);
    float l = luma(c.rgb);
    if (finite && l > 0.0) {
        // log2 in 1024ths, raised by 16 so that no term is negative
        int whole;
        float rest = log2_parts(l, whole);
        int term = (whole + 16) * 1024 + int(roundEven(rest * 1024.0));
        atomicAdd(exposure_sums[0], uint(term));
        atomicAdd(exposure_sums[1], 1u);
    }
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        uint groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
        if (atomicAdd(exposure_sums[3], 1u) == groups - 1u) {
            atomicExchange(exposure_sums[3], 0u);
            memoryBarrierBuffer();
            finish();
        }
    }
}
