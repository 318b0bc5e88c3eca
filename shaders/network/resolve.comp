// Draws the picture from what the network decided, one invocation an output pixel: the nearest 3x3 samples by an
// elliptic kernel, and as much of the history as was judged to hold.
// in: sample planes and decisions (render size), prev_history (output size); out: next_history, output_image, and
// debug_image where a debug view is chosen.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "color.glsl"
#include "samples.glsl"
#include "reprojection.glsl"
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

// What history adds to a pixel.
struct History {
    vec3 color;         // weighted colour times weight
    float compression;  // compression weight times weight
    float weight;       // accumulated
    float is_corrected; // 1 where the clamp corrected it
    vec3 fetched;       // as fetched, for the debug view
    float alpha;        // alpha times compression weight times weight
};

// keep: share of the accumulated weight; width: half-size of the clamp in deviations.
History history(vec2 position, float exposure, Stats stats, float keep, float width) {
    History h = History(vec3(0.0), 0.0, 0.0, 0.0, vec3(0.0), 0.0);
    ivec2 size = ivec2(params.output_size);
    ivec2 nearest = ivec2(floor(position));
    bool is_inside = uint(nearest.x) < uint(size.x) && uint(nearest.y) < uint(size.y);
    if (stats.history == 0.0 || !is_inside) return h;
    int texel = nearest.y * size.x + nearest.x;
    uvec2 words = prev_history[texel];
    h.fetched = min(history_at(position, size, history_color(words)) * params.history_scale, vec3(LARGEST));
    vec3 yc = to_luma_chroma(h.fetched);
    float compression = reciprocal(1.0 + yc.x * exposure * INV_LUMA_COMPRESSION);
    vec3 kept = h.fetched * compression;
    yc *= compression;
    vec3 extent = stats.deviation * width + stats.mean.x * CLAMP_FLOOR;
    vec3 away = abs(yc - stats.mean);
    if (away.x > extent.x || away.y > extent.y || away.z > extent.z) {
        yc = min(max(yc, stats.mean - extent), stats.mean + extent);
        kept = max(from_luma_chroma(yc), vec3(0.0));
        compression = max(1.0 - luma(kept) * exposure * INV_LUMA_COMPRESSION, SMALLEST);
        h.is_corrected = 1.0;
    }
    h.weight = min(float(words.y >> 19) * INV_WEIGHT_STEPS, WEIGHT_MOST) * keep;
    h.color = kept * h.weight;
    h.compression = compression * h.weight;
    if (params.alpha_mode == ALPHA_RECONSTRUCT) {
        h.alpha = unpack_halves(prev_alpha[texel]).x * h.compression;
    }
    return h;
}

// shape: factors of x * x, 2 * x * y and y * y in the kernel
vec3 debug_color(int at, vec2 motion, Stats stats, History h, vec3 shape, float own_weight, float total_weight) {
    float grey = 0.0;
    switch (params.debug_view) {
    case DEBUG_VIEW_INPUTS:
        return unpack_pair(sample_color[at]).rgb;
    case DEBUG_VIEW_MOTION:
        return vec3(min(max(0.5 + motion * 0.0625, vec2(0.0)), vec2(1.0)), 0.5);
    case DEBUG_VIEW_HISTORY_REPROJECTED:
        return h.fetched;
    case DEBUG_VIEW_HISTORY_VALIDITY:
        grey = stats.history * 0.5;
        break;
    case DEBUG_VIEW_TRUST:
        grey = h.weight * reciprocal(max(total_weight, SMALLEST));
        break;
    case DEBUG_VIEW_SAMPLE_WEIGHT:
        grey = min(own_weight, 1.0);
        break;
    case DEBUG_VIEW_KERNEL_WIDTH:
        return min(vec3(shape.x * 0.25, shape.z * 0.25, shape.y * 0.125 + 0.5), vec3(1.0));
    case DEBUG_VIEW_REJECTED:
        grey = h.is_corrected;
        break;
    case DEBUG_VIEW_PHASE_COVERAGE:
        grey = min(total_weight * 0.125, 1.0);
        break;
    }
    return vec3(grey);
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
        vec3 color = debug_color(at_nearest, motion, stats, h, shape, samples_weight, total_weight);
        imageStore(debug_image, pixel, vec4(as_halves(color), 1.0));
    }
}
