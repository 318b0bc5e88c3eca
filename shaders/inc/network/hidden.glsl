// To int8, never negative.

void finish(Run run, uint first_row, ivec4 sums[4][4]) {
    for (int i = 0; i < RUN; i++) {
        if (!is_inside(run, i)) continue;
        uvec4 packed;
        for (int j = 0; j < 4; j++) {
            vec4 multiplier = multipliers(first_row + row_of(run, j));
            packed[j] = pack_bytes(requantise(sums[i][j], multiplier, 0.0, 127.0));
        }
        hidden_out[token_of(run, i) * params.lanes + run.lane] = packed;
    }
}
