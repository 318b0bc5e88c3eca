// Counts what the inputs hold: moving pixels, non-finite motion, the longest motion, non-finite colour and depth.
// in: color_image, depth_image, motion_image (render size); out: counts (see the pass's declaration).
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "exact.glsl"

void main() {
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(pixel, ivec2(params.render_size)))) return;
    vec2 motion = texelFetch(motion_image, pixel, 0).rg;
    if (is_finite(motion.x) && is_finite(motion.y)) {
        vec2 px = motion * params.motion_scale;
        float longest = max(abs(px.x), abs(px.y));
        if (longest > 0.0) {
            atomicAdd(counts[0], 1u);
            atomicMax(counts[2], floatBitsToUint(longest));
        }
    } else {
        atomicAdd(counts[1], 1u);
    }
    vec3 color = texelFetch(color_image, pixel, 0).rgb;
    if (!(is_finite(color.r) && is_finite(color.g) && is_finite(color.b))) atomicAdd(counts[3], 1u);
    if (!is_finite(texelFetch(depth_image, pixel, 0).r)) atomicAdd(counts[4], 1u);
}
