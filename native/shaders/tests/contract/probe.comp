#version 450
// Uses every binding of the probe pass and every float operation that is exact. The cases edit it.
#include "pass.glsl"
#include "constants.glsl"
#include "probe.glsl"
#include "probe.glsl"

shared uint shared_words[128];

void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    ivec2 texel = clamp(ivec2(at), ivec2(0), textureSize(picture, 0) - 1);
    vec4 color = texelFetch(picture, texel, 0);
    float x = uintBitsToFloat(words_in[at.x]);
    float y = x;
    int i = floatBitsToInt(x);
    y = product_sum(y, params.jitter_px.x, -x) - LUMA_COMPRESSION;
    color *= y;
    y += min(abs(color.r), max(floor(color.g), clamp(roundEven(color.b), 0.0, 1.0)));
    y = y < float(i) || y >= float(uint(int(y))) ? y : unpackHalf2x16(pairs_in[at.x].y).y;
    shared_words[gl_LocalInvocationIndex] = params.depth_kind == DEPTH_VIEW_LINEAR ? uint(i) / 3u : at.y % 3u;
    barrier();
    uint high, low;
    umulExtended(shared_words[127u - gl_LocalInvocationIndex], at.x, high, low);
    atomicAdd(counts[0], bitfieldExtract(high, 3, 7));
    quads_out[at.x] = uvec4(floatBitsToUint(y), high, low, findMSB(low));
    imageStore(drawing, ivec2(at), color);
}
