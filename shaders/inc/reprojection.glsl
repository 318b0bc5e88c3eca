// Previous colour at a place of the output grid; needs the binding prev_history. Mirrors
// native/shaders/src/cpu/reprojection.rs.

#include "cubic.glsl"

vec3 history_color(uvec2 words) {
    return vec3(unpack_halves(words.x), unpack_halves(words.y).x);
}

vec3 outer_row(int at, vec4 w) {
    vec3 row = history_color(prev_history[at]) * w.x;
    row += history_color(prev_history[at + 1]) * w.y;
    row += history_color(prev_history[at + 2]) * w.z;
    return row + history_color(prev_history[at + 3]) * w.w;
}

vec3 inner_row(int at, vec4 w, inout vec3 low) {
    vec3 b = history_color(prev_history[at + 1]);
    vec3 c = history_color(prev_history[at + 2]);
    low = min(low, min(b, c));
    vec3 row = history_color(prev_history[at]) * w.x;
    row += b * w.y;
    row += c * w.z;
    return row + history_color(prev_history[at + 3]) * w.w;
}

// Bicubic, but no darker than the four nearest texels: beside a light the negative weights would draw black dots. On a
// texel, where the weights are 0, 1, 0, 0, and where the filter would leave the image, it is the texel.
vec3 history_at(vec2 position, ivec2 size, vec3 texel) {
    vec2 corner = position - 0.5;
    vec2 whole = floor(corner);
    vec2 t = corner - whole;
    ivec2 first = ivec2(whole) - 1;
    bool is_inner = first.x >= 0 && first.y >= 0 && first.x + 3 < size.x && first.y + 3 < size.y;
    if ((t.x == 0.0 && t.y == 0.0) || !is_inner) return texel;
    vec4 wx = cubic_weights(t.x);
    vec4 wy = cubic_weights(t.y);
    int at = first.y * size.x + first.x;
    vec3 low = texel;
    vec3 sum = outer_row(at, wx) * wy.x;
    sum += inner_row(at + size.x, wx, low) * wy.y;
    sum += inner_row(at + 2 * size.x, wx, low) * wy.z;
    sum += outer_row(at + 3 * size.x, wx) * wy.w;
    return max(sum, low);
}
