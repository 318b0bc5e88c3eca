// Values mixed by queries and keys, a workgroup a window of 8x8 tokens and head, an invocation a query: weights of the
// 10x10 keys around the window without its corners, and the mean of their values.
// in: tables, qkv_in; out: mixed_out.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "exact.glsl"

int dot_bytes(uint a, uint b) {
    ivec4 shifts = ivec4(24, 16, 8, 0);
    ivec4 products = (ivec4(int(a)) << shifts >> 24) * (ivec4(int(b)) << shifts >> 24);
    return products.x + products.y + products.z + products.w;
}

#define DOT(a, b) dot_bytes(a, b)

#include "network/attention.glsl"
