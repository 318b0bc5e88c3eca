// Previous colour between four texels, and the accumulated weight of the nearest; needs the binding prev_history.
// Mirrors native/shaders/src/cpu/history_bilinear.rs.

#include "reprojection.glsl"

vec3 texel_of_history(ivec2 texel, ivec2 size) {
    ivec2 at = min(max(texel, ivec2(0)), size - 1);
    return history_color(prev_history[at.y * size.x + at.x]);
}

// position in output pixels; false where it lies outside.
bool history_bilinear(vec2 position, out vec3 color, out float weight) {
    ivec2 size = ivec2(params.output_size);
    ivec2 nearest = ivec2(floor(position));
    color = vec3(0.0);
    weight = 0.0;
    if (uint(nearest.x) >= uint(size.x) || uint(nearest.y) >= uint(size.y)) return false;
    vec2 corner = position - 0.5;
    vec2 whole = floor(corner);
    vec2 t = corner - whole;
    ivec2 first = ivec2(whole);
    vec3 low = texel_of_history(first, size) * (1.0 - t.x);
    low += texel_of_history(first + ivec2(1, 0), size) * t.x;
    vec3 high = texel_of_history(first + ivec2(0, 1), size) * (1.0 - t.x);
    high += texel_of_history(first + ivec2(1, 1), size) * t.x;
    color = low * (1.0 - t.y);
    color += high * t.y;
    weight = float(prev_history[nearest.y * size.x + nearest.x].y >> 19) * INV_WEIGHT_STEPS;
    return true;
}
