// As layer.comp, with dot products of four packed bytes.
#version 450
#extension GL_EXT_integer_dot_product : require
#include "pass.glsl"
#include "constants.glsl"
#include "exact.glsl"
#include "network/run.glsl"
#include "network/gather.glsl"
#include "network/finish.glsl"

ivec4 dots(uint token, uvec4 rows) {
    ivec4 r = ivec4(rows);
    int t = int(token);
    return ivec4(dotPacked4x8EXT(t, r.x), dotPacked4x8EXT(t, r.y), dotPacked4x8EXT(t, r.z), dotPacked4x8EXT(t, r.w));
}

#define MULTIPLY_WORD(j, tokens, rows) { \
    uvec4 tokens_word = tokens; \
    uvec4 rows_word = rows; \
    sums[0][j] += dots(tokens_word.x, rows_word); \
    sums[1][j] += dots(tokens_word.y, rows_word); \
    sums[2][j] += dots(tokens_word.z, rows_word); \
    sums[3][j] += dots(tokens_word.w, rows_word); \
}

#include "network/product.glsl"
