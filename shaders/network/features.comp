// What the network sees, one invocation a token of 2x2 render pixels: 64 signed bytes, 12 for each pixel, 8 for the
// token, 8 that the network left in the frame before.
// in: planes of gather (render size), prev_history (output size), prev_recurrent; out: features.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "color.glsl"
#include "samples.glsl"
#include "history_bilinear.glsl"

uint words[16];

void put(int channel, float value, float scale) {
    int q = int(min(max(roundEven(value * scale), -127.0), 127.0));
    words[channel >> 2] |= (uint(q) & 0xffu) << ((channel & 3) * 8);
}

// log2(1 + 8 c) of exposed colour in luma/chroma
vec3 log_luma_chroma(vec3 color, float exposure) {
    float gain = exposure * 8.0;
    return to_luma_chroma(vec3(exact_log2(1.0 + color.r * gain), exact_log2(1.0 + color.g * gain),
        exact_log2(1.0 + color.b * gain)));
}

void main() {
    ivec2 size = ivec2(params.render_size);
    ivec2 grid = (size + 1) >> 1;
    ivec2 token = ivec2(gl_GlobalInvocationID.xy);
    if (token.x >= grid.x || token.y >= grid.y) return;
    float exposure = uintBitsToFloat(exposure_value[0]);
    for (int i = 0; i < 16; i++) words[i] = 0u;

    float depths[4];
    float nearest_depth = FARTHEST;
    vec2 motion = vec2(0.0);
    float length_px = -1.0;
    bool has_history = false;
    for (int i = 0; i < 4; i++) {
        ivec2 pixel = min(2 * token + ivec2(i & 1, i >> 1), size - 1);
        int at = pixel.y * size.x + pixel.x;
        Stats stats = unpack_stats(sample_stats[at]);
        vec2 own_motion = unpack_halves(sample_motion[at]);
        vec3 color = log_luma_chroma(unpack_pair(sample_color[at]).rgb, exposure);
        int first = 12 * i;
        put(first, color.x, 16.0);
        put(first + 1, color.y, 32.0);
        put(first + 2, color.z, 32.0);
        vec2 position = (vec2(pixel) + 0.5 - params.jitter_px + own_motion) * params.output_per_render;
        float weight;
        vec3 kept;
        if (stats.history > 0.0 && history_bilinear(position, kept, weight)) {
            kept = log_luma_chroma(kept, exposure * params.history_scale);
            put(first + 3, kept.x, 16.0);
            put(first + 4, kept.y, 32.0);
            put(first + 5, kept.z, 32.0);
            put(first + 6, color.x - kept.x, 48.0);
            put(first + 8, exact_log2(1.0 + weight), 20.0);
        }
        put(first + 7, stats.history, 63.0);
        put(first + 9, exact_log2(1.0 + stats.deviation.x * (exposure * 64.0)), 16.0);
        put(first + 11, color.x - exact_log2(1.0 + stats.mean.x * (exposure * 8.0)), 32.0);
        depths[i] = max(uintBitsToFloat(next_surface[at].x), SMALLEST);
        nearest_depth = min(nearest_depth, depths[i]);
        float own_length = max(abs(own_motion.x), abs(own_motion.y));
        if (own_length > length_px) {
            length_px = own_length;
            motion = own_motion;
        }
        has_history = has_history || stats.history > 0.0;
    }
    float nearest_log = exact_log2(nearest_depth);
    for (int i = 0; i < 4; i++) put(12 * i + 10, exact_log2(depths[i]) - nearest_log, 32.0);

    put(48, exact_log2(1.0 + length_px), 24.0);
    float unit = reciprocal(max(length_px, 1.0));
    put(49, motion.x * unit, 127.0);
    put(50, motion.y * unit, 127.0);
    put(51, params.jitter_px.x, 254.0);
    put(52, params.jitter_px.y, 254.0);
    put(53, exact_log2(params.output_per_render.x), 80.0);
    put(54, exact_log2(params.output_per_render.y), 80.0);
    put(55, 1.0, 127.0);

    // What the network left at this place of the surface.
    ivec2 from = ivec2(floor((vec2(2 * token + 1) + motion) * 0.5));
    if (has_history && from.x >= 0 && from.y >= 0 && from.x < grid.x && from.y < grid.y) {
        uvec2 left = prev_recurrent[from.y * grid.x + from.x];
        words[14] = left.x;
        words[15] = left.y;
    }
    int index = 4 * (token.y * grid.x + token.x);
    for (int i = 0; i < 4; i++) {
        features[index + i] = uvec4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
    }
}
