// The planes between gather and output; mirrors native/shaders/src/cpu/samples.rs.

#include "exact.glsl"

struct Stats {
    vec3 mean;      // luma/chroma of the weighted colour
    vec3 deviation;
    float alpha;
    float history;  // 0: must not be used; else 1, and up to 1 more where the picture is steady
};

uvec4 pack_stats(Stats s) {
    return uvec4(
        positive_to_half(s.mean.x) | (to_half(s.mean.y) << 16),
        to_half(s.mean.z) | (positive_to_half(s.deviation.x) << 16),
        positive_to_half(s.deviation.y) | (positive_to_half(s.deviation.z) << 16),
        positive_to_half(s.alpha) | (positive_to_half(s.history) << 16));
}

Stats unpack_stats(uvec4 words) {
    vec2 a = unpack_halves(words.x);
    vec2 b = unpack_halves(words.y);
    vec2 c = unpack_halves(words.z);
    vec2 d = unpack_halves(words.w);
    return Stats(vec3(a.x, a.y, b.x), vec3(b.y, c.x, c.y), d.x, d.y);
}

vec4 unpack_pair(uvec2 words) {
    return vec4(unpack_halves(words.x), unpack_halves(words.y));
}
