// What a frame leaves for the next one: each pixel's surface and its chosen light sample.

#include "brdf.glsl"
#include "camera.glsl"

// A light sample by the numbers that made it: they mean the same point of the light at every receiver.
struct Reservoir {
    uint light;
    vec2 u;
    // 1 / density of the choice among all numbers.
    float weight;
    // Candidates that it stands for.
    float count;
};

// None.
Reservoir no_choice() {
    return Reservoir(NONE, vec2(0.0), 0.0, 0.0);
}

uint packed_normal(vec3 n) {
    return packSnorm2x16(n.z >= 0.0 ? n.xy / (abs(n.x) + abs(n.y) + abs(n.z))
        : (1.0 - abs(n.yx)/ (abs(n.x) + abs(n.y) + abs(n.z))) * vec2(n.x >= 0.0 ? 1.0 : -1.0, n.y >= 0.0 ? 1.0 : -1.0));
}

vec3 unpacked_normal(uint bits) {
    vec2 e = unpackSnorm2x16(bits);
    float z = 1.0 - abs(e.x) - abs(e.y);
    vec2 folded = (1.0 - abs(e.yx)) * vec2(e.x >= 0.0 ? 1.0 : -1.0, e.y >= 0.0 ? 1.0 : -1.0);
    return normalize(vec3(z >= 0.0 ? e : folded, z));
}

void keep(uint pixel, float view_z, vec3 normal, uint object, Reservoir r) {
    if (picture.history_now == NONE) {
        return;
    }
    uint at = picture.history_now + pixel * 2u;
    history[at] = uvec4(floatBitsToUint(view_z), packed_normal(normal), object, r.light);
    history[at + 1u] = uvec4(floatBitsToUint(r.u), floatBitsToUint(r.weight), floatBitsToUint(r.count));
}

Reservoir kept_reservoir(uint pixel) {
    uint at = picture.history_prev + pixel * 2u;
    uvec4 more = history[at + 1u];
    return Reservoir(history[at].w, uintBitsToFloat(more.xy), uintBitsToFloat(more.z), uintBitsToFloat(more.w));
}

// Whether the pixel of the frame before showed this surface at this distance.
bool was_there(ivec2 pixel, float view_z, uint object) {
    if (any(lessThan(pixel, ivec2(0))) || any(greaterThanEqual(pixel, ivec2(picture.width, picture.height)))) {
        return false;
    }
    uvec4 old = history[picture.history_prev + (uint(pixel.y) * picture.width + uint(pixel.x)) * 2u];
    float old_z = uintBitsToFloat(old.x);
    return old.z == object && abs(old_z - view_z) <= 0.05 * view_z;
}

// 1 where nothing within a pixel of the previous place showed this surface.
float disocclusion(vec2 previous, float view_z, uint object) {
    vec2 place = previous + vec2(picture.prev_jitter_x, picture.prev_jitter_y);
    ivec2 corner = ivec2(floor(place - 0.5));
    for (int i = 0; i < 4; i++) {
        if (was_there(corner + ivec2(i & 1, i >> 1), view_z, object)) {
            return 0.0;
        }
    }
    return 1.0;
}
