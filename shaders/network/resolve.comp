// Draws the picture from what the network decided, one invocation an output pixel: the nearest 3x3 samples by an
// elliptic kernel, and as much of the history as was judged to hold.
// in: sample planes and decisions (render size), prev_history (output size); out: next_history, output_image, and
// debug_image where a debug view is chosen.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "color.glsl"
#include "samples.glsl"
#include "weighted_history.glsl"
#include "debug_view.glsl"
#include "picture.glsl"
#include "kernel.glsl"

// What the columns and then the rows of the workgroup take from this frame's samples.
shared ivec3 axis_taps[24];     // the three nearest samples; -1 beyond the image
shared vec3 axis_distances[24]; // their distances in units of the kernel
shared vec3 axis_wide[24];      // their wide weights

void fill_axis(uint entry, uint at, int axis) {
    int last = int(params.render_size[axis]) - 1;
    float place = (float(at) + 0.5) * params.render_per_output[axis] + params.jitter_px[axis];
    int nearest = min(max(int(floor(place)), 0), last);
    for (int i = 0; i < 3; i++) {
        int tap = nearest + i - 1;
        float d = float(tap) + 0.5 - place;
        axis_taps[entry][i] = tap < 0 || tap > last ? -1 : tap;
        axis_distances[entry][i] = d * params.kernel_per_render[axis];
        axis_wide[entry][i] = wide_kernel(d * d);
    }
}

// Place of a pixel's decisions: by tokens of 2x2 pixels.
int decision_at(int x, int y) {
    int tokens = (int(params.render_size.x) + 1) >> 1;
    return 4 * ((y >> 1) * tokens + (x >> 1)) + 2 * (y & 1) + (x & 1);
}

// keep: share of the accumulated weight; width: half-size of the clamp in deviations.
History history(vec2 position, float exposure, Stats stats, float keep, float width) {
    Fetched f;
    if (!fetch_history(position, exposure, stats, f)) return no_history();
    vec3 extent = clamp_extent(stats, width);
    bool is_beyond = is_outside(f, stats, extent);
    if (is_beyond) hold(f, exposure, stats, extent);
    return weighted(f, min(stored_weight(f), WEIGHT_MOST) * keep, 0u, is_beyond ? 1.0 : 0.0);
}

void main() {
    ivec2 size = ivec2(params.output_size);
    int width = int(params.render_size.x);
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    uint column = gl_LocalInvocationID.x;
    uint row = gl_WorkGroupSize.x + gl_LocalInvocationID.y;
    uint entry = gl_LocalInvocationIndex;
    if (entry < gl_WorkGroupSize.x) {
        fill_axis(entry, gl_WorkGroupID.x * gl_WorkGroupSize.x + entry, 0);
    } else if (entry < gl_WorkGroupSize.x + gl_WorkGroupSize.y) {
        fill_axis(entry, gl_WorkGroupID.y * gl_WorkGroupSize.y + entry - gl_WorkGroupSize.x, 1);
    }
    barrier();
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    float exposure = uintBitsToFloat(exposure_value[0]);

    // The nearest sample tells the motion, what its neighbourhood looks like, and what was decided here.
    ivec3 columns = axis_taps[column];
    ivec3 rows = axis_taps[row];
    int at_nearest = rows.y * width + columns.y;
    vec2 motion = unpack_halves(sample_motion[at_nearest]);
    Stats stats = unpack_stats(sample_stats[at_nearest]);
    uvec3 decided = decisions[decision_at(columns.y, rows.y)].xyz;
    // Factors of x * x, 2 * x * y and y * y in the kernel.
    vec3 shape = vec3(unpack_halves(decided.x), unpack_halves(decided.y).x);
    vec2 of_history = unpack_halves(decided.z);
    vec2 position = vec2(pixel) + 0.5 + motion * params.output_per_render;
    History h = history(position, exposure, stats, of_history.x, of_history.y);

    vec4 total = vec4(h.color, h.compression);
    float alpha = h.alpha;
    float samples_weight = 0.0;
    for (int j = 0; j < 3; j++) {
        float dy = axis_distances[row][j];
        float along_y = shape.z * dy * dy;
        float twice_y = shape.y * dy * 2.0;
        float wide_y = axis_wide[row][j] * WIDE_SHARE;
        for (int i = 0; i < 3; i++) {
            if (columns[i] < 0 || rows[j] < 0) continue;
            int at = rows[j] * width + columns[i];
            uvec2 words = sample_color[at];
            // A pixel that was not finite has weight 0 in the upper half of its second word.
            if (words.y < 0x10000u) continue;
            float dx = axis_distances[column][i];
            float squared = shape.x * dx * dx + twice_y * dx + along_y;
            float weight = unpack_halves(decisions[decision_at(columns[i], rows[j])].y).y
                * (kernel(squared) + axis_wide[column][i] * wide_y);
            samples_weight += weight;
            vec4 s = unpack_pair(words);
            float w = weight * s.w;
            total.rgb += s.rgb * w;
            total.w += w;
            if (params.alpha_mode == ALPHA_RECONSTRUCT) alpha += unpack_halves(sample_stats[at].w).x * w;
        }
    }
    float total_weight = h.weight + samples_weight;
    store_pixel(pixel, total, alpha, total_weight, 0u, stats.alpha);
    if (params.debug_view != DEBUG_VIEW_NONE) {
        vec3 width_view = min(vec3(shape.x * 0.25, shape.z * 0.25, shape.y * 0.125 + 0.5), vec3(1.0));
        vec3 color = debug_color(at_nearest, motion, stats, h, width_view, samples_weight, total_weight);
        imageStore(debug_image, pixel, vec4(as_halves(color), 1.0));
    }
}
