// To parameters of the output pass, six halves a pixel, and recurrent features, int8.

// Kernel A, B, C, weight of the sample, share of history kept, clamp width.
uvec4 pixel_parameters(float p[6]) {
    float a = min(max(p[0] + p[1], -6.0), 2.0);
    float c = min(max(p[0] - p[1], -6.0), 2.0);
    float b = exact_exp2((a + c) * 0.5) * min(max(p[2], -0.9), 0.9);
    float weight = exact_exp2(min(max(p[3], -4.0), 2.0));
    float u = min(max(0.5 + p[4] * 0.125, 0.0), 1.0);
    float keep = u * u * (3.0 - 2.0 * u);
    float clamp_width = exact_exp2(min(max(p[5], -3.0), 4.0));
    return uvec4(pack_halves(exact_exp2(a), b), pack_halves(exact_exp2(c), weight), pack_halves(keep, clamp_width), 0u);
}

void finish_token(uint token, uint lane, uint first_row, ivec4 sums[4]) {
    vec4 value[4];
    for (int j = 0; j < 4; j++) {
        vec4 scaled = vec4(sums[j]) * multipliers(first_row + row_of(lane, j));
        value[j] = min(max(scaled, vec4(-16.0)), vec4(16.0));
    }
    float first[6] = float[6](value[0].x, value[0].y, value[0].z, value[0].w, value[1].x, value[1].y);
    float second[6] = float[6](value[1].z, value[1].w, value[2].x, value[2].y, value[2].z, value[2].w);
    parameters_out[token * 4u + 2u * lane] = pixel_parameters(first);
    parameters_out[token * 4u + 2u * lane + 1u] = pixel_parameters(second);
    vec4 step = roundEven(value[3] * 32.0);
    recurrent_out[token * 2u + lane] = pack_bytes(ivec4(min(max(step, vec4(-127.0)), vec4(127.0))));
}
