// The layer itself: sums of products over the tokens that feed a run, then `finish`. MULTIPLY_WORD(j, tokens, rows)
// adds the products of a word of each of four tokens with a word of each of outputs 4j to 4j + 3.

// 16 input channels of the run with those of outputs 4j to 4j + 3.
#define MULTIPLY_UNIT(j) { \
    uint at = (first_row + row_of(run.lane, j)) * stride + tap * units + unit; \
    uvec4 a = weights[at]; \
    uvec4 b = weights[at + stride]; \
    uvec4 c = weights[at + 2u * stride]; \
    uvec4 d = weights[at + 3u * stride]; \
    MULTIPLY_WORD(j, uvec4(t0.x, t1.x, t2.x, t3.x), uvec4(a.x, b.x, c.x, d.x)) \
    MULTIPLY_WORD(j, uvec4(t0.y, t1.y, t2.y, t3.y), uvec4(a.y, b.y, c.y, d.y)) \
    MULTIPLY_WORD(j, uvec4(t0.z, t1.z, t2.z, t3.z), uvec4(a.z, b.z, c.z, d.z)) \
    MULTIPLY_WORD(j, uvec4(t0.w, t1.w, t2.w, t3.w), uvec4(a.w, b.w, c.w, d.w)) \
}

#if defined(FINISH_WIDE) || defined(FINISH_QKV)
// Sums of squares: of each run of the workgroup, its lanes side by side.
shared uvec4 squares[128];
#endif

void finish(Run run, uint first_row, ivec4 sums[RUN][4]) {
#if defined(FINISH_WIDE)
    uvec4 square = uvec4(0u);
    for (int i = 0; i < RUN; i++) {
        if (is_inside(run, i)) square[i] = widen(token_of(run, i), run.lane, first_row, sums[i]);
    }
    if (run.lane < params.lanes) squares[run.slot * params.lanes + run.lane] = square;
    barrier();
    if (!run.is_active) return;
    uvec4 total = uvec4(0u);
    for (uint lane = 0u; lane < params.lanes; lane++) total += squares[run.slot * params.lanes + lane];
    for (int i = 0; i < RUN; i++) {
        if (is_inside(run, i)) write_normed(token_of(run, i), run.lane, sums[i], total[i]);
    }
#elif defined(FINISH_QKV)
    uvec4 square = uvec4(0u);
    for (int i = 0; i < RUN; i++) {
        if (is_inside(run, i)) square[i] = vectorise(run.lane, first_row, sums[i]);
    }
    uint mine = run.slot * params.lanes + run.lane;
    if (run.lane < params.lanes) squares[mine] = square;
    barrier();
    if (!run.is_active) return;
    // Two lanes share a head.
    uvec4 total = square + squares[run.slot * params.lanes + (run.lane ^ 1u)];
    for (int i = 0; i < RUN; i++) {
        if (is_inside(run, i)) write_vector(token_of(run, i), run.lane, sums[i], total[i]);
    }
#else
    for (int i = 0; i < RUN; i++) {
        if (is_inside(run, i)) finish_token(token_of(run, i), run.lane, first_row, sums[i]);
    }
#endif
}

uvec4 load(int source, uint units, uint unit) {
    return source < 0 ? uvec4(0u) : tokens_in[uint(source) * units + unit];
}

void main() {
    Run run = find_run();
    uint units = params.input_channels / 16u;
    uint stride = TAPS * units;
    uint first_row = first_row_of(run.first);
    ivec4 sums[RUN][4]; // of each token, in fours of outputs
    if (run.is_active) {
        for (int j = 0; j < 4; j++) {
            ivec4 bias = ivec4(weights[params.bias_unit + (first_row + row_of(run.lane, j)) / 4u]);
            for (int i = 0; i < RUN; i++) sums[i][j] = bias;
        }
        for (uint tap = 0u; tap < TAPS; tap++) {
            ivec4 source;
            for (int i = 0; i < RUN; i++) source[i] = source_of(place_of(run, i), tap);
            for (uint unit = 0u; unit < units; unit++) {
                uvec4 t0 = load(source.x, units, unit);
                uvec4 t1 = load(source.y, units, unit);
                uvec4 t2 = load(source.z, units, unit);
                uvec4 t3 = load(source.w, units, unit);
                MULTIPLY_UNIT(0)
                MULTIPLY_UNIT(1)
                MULTIPLY_UNIT(2)
                MULTIPLY_UNIT(3)
            }
        }
    }
    finish(run, first_row, sums);
}
