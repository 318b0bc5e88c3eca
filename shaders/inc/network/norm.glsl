// Values of a token to int8, by their own sum of squares.

// What brings values to their length; `total` is the sum of squares of all that share it.
float norm_of(uint total) {
    float factor = 0.0;
    if (total > 0u) factor = inverse_square_root(float(total)) * params.norm_factor;
    return factor;
}

// Part of a sum of squares.
uint squares_of(ivec4 values) {
    uvec4 part = uvec4(abs(values)) >> params.norm_shift;
    part *= part;
    return part.x + part.y + part.z + part.w;
}

// 16 values times a factor, in int8.
uvec4 pack_scaled(ivec4 values[4], float factor) {
    uvec4 packed;
    for (int j = 0; j < 4; j++) {
        vec4 value = roundEven(vec4(values[j]) * factor);
        packed[j] = pack_bytes(ivec4(min(max(value, vec4(-127.0)), vec4(127.0))));
    }
    return packed;
}
