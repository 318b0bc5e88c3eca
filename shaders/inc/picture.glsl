// What a finished pixel leaves: history, alpha, picture. Mirrors native/shaders/src/cpu/picture.rs.

// A colour whose channels are exactly representable as halves, so that the store has nothing left to round.
vec3 as_halves(vec3 c) {
    return vec3(unpack_halves(pack_halves(c.r, c.g)), unpack_halves(pack_halves(c.b, 0.0)).x);
}

// total: weighted colour and compression weights; alpha: weighted alike; weight: accumulated; misses: frames outside
// the clamp; nearest_alpha: of the nearest sample.
void store_pixel(ivec2 pixel, vec4 total, float alpha, float weight, uint misses, float nearest_alpha) {
    vec3 linear = vec3(0.0);
    float opacity = 1.0;
    if (total.w > 0.0) {
        float share = reciprocal(total.w);
        linear = min(max(total.rgb * share, vec3(0.0)), vec3(LARGEST));
        opacity = min(max(alpha * share, 0.0), 1.0);
    }
    int index = pixel.y * int(params.output_size.x) + pixel.x;
    uint steps = uint(roundEven(min(weight * WEIGHT_STEPS, 8191.0)));
    uint rg = positive_to_half(linear.r) | (positive_to_half(linear.g) << 16);
    uint b = positive_to_half(linear.b);
    next_history[index] = uvec2(rg, b | (((steps << 3) | misses) << 16));

    vec4 shown = vec4(unpack_halves(rg), unpack_halves(b).x, 1.0);
    if (params.alpha_mode == ALPHA_RECONSTRUCT) {
        uint stored = to_half(opacity);
        next_alpha[index] = stored;
        shown.a = unpack_halves(stored).x;
    }
    if (params.alpha_mode == ALPHA_COPY_NEAREST) shown.a = nearest_alpha;
    if (params.color_encoding != COLOR_ENCODING_LINEAR_HDR) shown.rgb = as_halves(encode(shown.rgb));
    imageStore(output_image, pixel, shown);
}
