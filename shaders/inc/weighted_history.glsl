// History of a pixel: fetched, held within the neighbourhood, weighted; needs the bindings prev_history and prev_alpha.
// Mirrors native/shaders/src/cpu/weighted_history.rs.

#include "reprojection.glsl"

// What history adds to a pixel.
struct History {
    vec3 color;         // weighted colour times weight
    float compression;  // compression weight times weight
    float weight;       // accumulated
    uint misses;        // frames outside the clamp
    float is_corrected; // 1 where the clamp corrected it
    vec3 fetched;       // as fetched, for the debug view
    float alpha;        // alpha times compression weight times weight
};

History no_history() {
    return History(vec3(0.0), 0.0, 0.0, 0u, 0.0, vec3(0.0), 0.0);
}

// History at its place, before it is weighted.
struct Fetched {
    int texel;
    uint state;       // weight in 64ths (13 bits) and frames outside the clamp (3 bits)
    vec3 color;       // in this frame's units
    vec3 kept;        // times the compression weight
    vec3 yc;          // luma/chroma of that
    float compression;
};

// position in output pixels; false where there is no history.
bool fetch_history(vec2 position, float exposure, Stats stats, out Fetched f) {
    ivec2 size = ivec2(params.output_size);
    ivec2 nearest = ivec2(floor(position));
    bool is_inside = uint(nearest.x) < uint(size.x) && uint(nearest.y) < uint(size.y);
    if (stats.history == 0.0 || !is_inside) return false;
    f.texel = nearest.y * size.x + nearest.x;
    uvec2 words = prev_history[f.texel];
    f.state = words.y >> 16;
    f.color = min(history_at(position, size, history_color(words)) * params.history_scale, vec3(LARGEST));
    f.yc = to_luma_chroma(f.color);
    f.compression = reciprocal(1.0 + f.yc.x * exposure * INV_LUMA_COMPRESSION);
    f.kept = f.color * f.compression;
    f.yc *= f.compression;
    return true;
}

float stored_weight(Fetched f) {
    return float(f.state >> 3) * INV_WEIGHT_STEPS;
}

// Half-size of a clamp of `width` deviations.
vec3 clamp_extent(Stats stats, float width) {
    return stats.deviation * width + stats.mean.x * CLAMP_FLOOR;
}

bool is_outside(Fetched f, Stats stats, vec3 extent) {
    vec3 away = abs(f.yc - stats.mean);
    return away.x > extent.x || away.y > extent.y || away.z > extent.z;
}

// Corrects the colour to lie within the clamp.
void hold(inout Fetched f, float exposure, Stats stats, vec3 extent) {
    f.yc = min(max(f.yc, stats.mean - extent), stats.mean + extent);
    f.kept = max(from_luma_chroma(f.yc), vec3(0.0));
    f.compression = max(1.0 - luma(f.kept) * exposure * INV_LUMA_COMPRESSION, SMALLEST);
}

History weighted(Fetched f, float weight, uint misses, float is_corrected) {
    History h = History(f.kept * weight, f.compression * weight, weight, misses, is_corrected, f.color, 0.0);
    if (params.alpha_mode == ALPHA_RECONSTRUCT) {
        h.alpha = unpack_halves(prev_alpha[f.texel]).x * h.compression;
    }
    return h;
}
