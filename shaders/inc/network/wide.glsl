// To the int16 residual, and its norm to int8. All channels of a token meet in the workgroup.

// Sums of squares: of each run of the workgroup, its lanes side by side.
shared uvec4 squares[128];

// Four int16 of two words.
ivec4 unpack_wide(uvec2 words) {
    return ivec4(int(words.x << 16) >> 16, int(words.x) >> 16, int(words.y << 16) >> 16, int(words.y) >> 16);
}

uvec2 pack_wide(ivec4 v) {
    uvec4 u = uvec4(v);
    return uvec2((u.x & 0xffffu) | (u.y << 16), (u.z & 0xffffu) | (u.w << 16));
}

void finish(Run run, uint first_row, ivec4 sums[4][4]) {
    uint wide_units = 2u * params.lanes;
    uvec4 square = uvec4(0u);
    for (int i = 0; i < RUN; i++) {
        if (!is_inside(run, i)) continue;
        uint at = token_of(run, i) * wide_units + 2u * run.lane;
        for (int half_lane = 0; half_lane < 2; half_lane++) {
            uvec4 residual = uvec4(0u);
#ifdef HAS_RESIDUAL
            residual = wide_in[at + uint(half_lane)];
#endif
            uvec4 packed;
            for (int k = 0; k < 2; k++) {
                int j = 2 * half_lane + k;
                vec4 multiplier = multipliers(first_row + row_of(run, j));
                ivec4 wide = requantise(sums[i][j], multiplier, -32767.0, 32767.0);
                wide += unpack_wide(k == 0 ? residual.xy : residual.zw);
                wide = clamp(wide, ivec4(-32767), ivec4(32767));
                sums[i][j] = wide;
                uvec4 part = uvec4(abs(wide)) >> params.norm_shift;
                part *= part;
                square[i] += part.x + part.y + part.z + part.w;
                uvec2 words = pack_wide(wide);
                if (k == 0) packed.xy = words;
                else packed.zw = words;
            }
            wide_out[at + uint(half_lane)] = packed;
        }
    }
    uint mine = run.slot * params.lanes + run.lane;
    if (run.lane < params.lanes) squares[mine] = square;
    barrier();
    if (!run.is_active) return;
    uvec4 total = uvec4(0u);
    for (uint lane = 0u; lane < params.lanes; lane++) total += squares[run.slot * params.lanes + lane];
    for (int i = 0; i < RUN; i++) {
        if (!is_inside(run, i)) continue;
        float factor = 0.0;
        if (total[i] > 0u) factor = inverse_square_root(float(total[i])) * params.norm_factor;
        uvec4 packed;
        for (int j = 0; j < 4; j++) {
            vec4 value = roundEven(vec4(sums[i][j]) * factor);
            packed[j] = pack_bytes(ivec4(min(max(value, vec4(-127.0)), vec4(127.0))));
        }
        normed_out[token_of(run, i) * params.lanes + run.lane] = packed;
    }
}
