// To int8, never negative.

void finish_token(uint token, uint lane, uint first_row, ivec4 sums[4]) {
    uvec4 packed;
    for (int j = 0; j < 4; j++) {
        vec4 multiplier = multipliers(first_row + row_of(lane, j));
        packed[j] = pack_bytes(requantise(sums[j], multiplier, 0.0, 127.0));
    }
    hidden_out[token * (params.output_channels / 16u) + lane] = packed;
}
