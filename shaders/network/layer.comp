// One layer over the tokens of a level: int8 in, exact int32 sums, requantised. Variants: which tokens feed a sum
// (GATHER_*), what becomes of the sums (FINISH_*). An invocation works on a run of four tokens and 16 channels.
// in: weights, tokens_in, wide_in; out: wide_out and normed_out, or hidden_out, or parameters_out and recurrent_out.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "exact.glsl"
#include "network/run.glsl"
#include "network/gather.glsl"
#include "network/finish.glsl"

// Byte b of each word, with its sign.
#define BYTES(words, b) (ivec4((words) << (24 - 8 * (b))) >> 24)

// The products of byte b: of a word of each of four tokens with a word of each of four outputs.
#define MULTIPLY(j, tokens, rows, b) { \
    ivec4 t = BYTES(tokens, b); \
    ivec4 w = BYTES(rows, b); \
    sums[0][j] += t.x * w; \
    sums[1][j] += t.y * w; \
    sums[2][j] += t.z * w; \
    sums[3][j] += t.w * w; \
}

// The same for all four bytes.
#define MULTIPLY_WORD(j, tokens, rows) { \
    uvec4 tokens_word = tokens; \
    uvec4 rows_word = rows; \
    MULTIPLY(j, tokens_word, rows_word, 0) \
    MULTIPLY(j, tokens_word, rows_word, 1) \
    MULTIPLY(j, tokens_word, rows_word, 2) \
    MULTIPLY(j, tokens_word, rows_word, 3) \
}

#include "network/product.glsl"
