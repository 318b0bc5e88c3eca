// To the int16 residual; when all channels of a token are known, its norm to int8.

// Four int16 of two words.
ivec4 unpack_wide(uvec2 words) {
    return ivec4(int(words.x << 16) >> 16, int(words.x) >> 16, int(words.y << 16) >> 16, int(words.y) >> 16);
}

uvec2 pack_wide(ivec4 v) {
    uvec4 u = uvec4(v);
    return uvec2((u.x & 0xffffu) | (u.y << 16), (u.z & 0xffffu) | (u.w << 16));
}

// Makes the residual of the sums, and returns its part of the token's sum of squares.
uint widen(uint token, uint lane, uint first_row, inout ivec4 sums[4]) {
    uint at = 2u * (token * (params.output_channels / 16u) + lane);
    uint square = 0u;
    for (int half_lane = 0; half_lane < 2; half_lane++) {
        uvec4 residual = uvec4(0u);
#ifdef HAS_RESIDUAL
        residual = wide_in[at + uint(half_lane)];
#endif
        uvec4 packed;
        for (int k = 0; k < 2; k++) {
            int j = 2 * half_lane + k;
            vec4 multiplier = multipliers(first_row + row_of(lane, j));
            ivec4 wide = requantise(sums[j], multiplier, -32767.0, 32767.0);
            wide += unpack_wide(k == 0 ? residual.xy : residual.zw);
            wide = clamp(wide, ivec4(-32767), ivec4(32767));
            sums[j] = wide;
            square += squares_of(wide);
            uvec2 words = pack_wide(wide);
            if (k == 0) packed.xy = words;
            else packed.zw = words;
        }
        wide_out[at + uint(half_lane)] = packed;
    }
    return square;
}

// Writes the norm of the residual; `total` is the sum of squares of all channels of the token.
void write_normed(uint token, uint lane, ivec4 wide[4], uint total) {
    normed_out[token * (params.output_channels / 16u) + lane] = pack_scaled(wide, norm_of(total));
}
