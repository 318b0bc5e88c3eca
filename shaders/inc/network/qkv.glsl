// To int8: queries and keys of unit length by head, then values.

bool is_value(uint lane) {
    return lane >= 2u * (params.lanes / 3u);
}

// Makes int16 queries and keys, or int8 values, of the sums; returns their part of the head's sum of squares.
uint vectorise(uint lane, uint first_row, inout ivec4 sums[4]) {
    float most = is_value(lane) ? 127.0 : 32767.0;
    uint square = 0u;
    for (int j = 0; j < 4; j++) {
        sums[j] = requantise(sums[j], multipliers(first_row + row_of(lane, j)), -most, most);
        square += squares_of(sums[j]);
    }
    return square;
}

// Writes queries, keys or values; `total` is the sum of squares of the head's 32 channels.
void write_vector(uint token, uint lane, ivec4 vector[4], uint total) {
    float factor = is_value(lane) ? 1.0 : norm_of(total);
    qkv_out[token * params.lanes + lane] = pack_scaled(vector, factor);
}
