// What becomes of a token's sums: 16 outputs a lane, in fours.

// First of the four outputs j of a lane, which has 16.
uint row_of(uint lane, int j) {
#ifdef FINISH_HEADS
    // Two whole pixels of six values and four recurrent features.
    return j < 3 ? 12u * lane + uint(4 * j) : 24u + 4u * lane;
#else
    return 16u * lane + uint(4 * j);
#endif
}

// The multipliers of the four outputs from a row on.
vec4 multipliers(uint row) {
    return uintBitsToFloat(weights[params.multiplier_unit + row / 4u]);
}

ivec4 requantise(ivec4 sum, vec4 multiplier, float low, float high) {
    vec4 value = roundEven(vec4(sum) * multiplier);
    return ivec4(min(max(value, vec4(low)), vec4(high)));
}

// Four int8 in a word, low byte first.
uint pack_bytes(ivec4 v) {
    uvec4 u = uvec4(v) & 0xffu;
    return u.x | (u.y << 8) | (u.z << 16) | (u.w << 24);
}

#if defined(FINISH_WIDE) || defined(FINISH_QKV)
#include "network/norm.glsl"
#endif
#if defined(FINISH_HIDDEN)
#include "network/hidden.glsl"
#elif defined(FINISH_WIDE)
#include "network/wide.glsl"
#elif defined(FINISH_QKV)
#include "network/qkv.glsl"
#else
#include "network/heads.glsl"
#endif
