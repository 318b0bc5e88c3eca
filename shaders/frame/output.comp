// Draws the picture, one invocation an output pixel: this frame's samples by their distance, plus the history that
// deserves trust. in: sample planes (render size), prev_history (output size); out: next_history, output_image, and
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
shared ivec4 axis_taps[24];   // the nearest sample, the two nearest from low to high
shared vec4 axis_weights[24]; // sharp weights of the two, wide weights of the two

void fill_axis(uint entry, uint at, int axis) {
    int last = int(params.render_size[axis]) - 1;
    float place = (float(at) + 0.5) * params.render_per_output[axis] + params.jitter_px[axis];
    int nearest = clamp(int(floor(place)), 0, last);
    float offset = float(nearest) + 0.5 - place;
    int low = offset > 0.0 ? -1 : 0;
    vec2 d = offset + vec2(low, low + 1);
    vec2 d_kernel = d * params.kernel_per_render[axis];
    axis_taps[entry] = ivec4(nearest, clamp(nearest + ivec2(low, low + 1), ivec2(0), ivec2(last)), 0);
    axis_weights[entry] = vec4(kernel(d_kernel.x * d_kernel.x), kernel(d_kernel.y * d_kernel.y),
        wide_kernel(d.x * d.x), wide_kernel(d.y * d.y));
}

History history(vec2 position, vec2 motion, float exposure, Stats stats) {
    Fetched f;
    if (!fetch_history(position, exposure, stats, f)) return no_history();
    float speed = max(abs(motion.x), abs(motion.y));
    float steady = stats.history - 1.0;
    float still = max(1.0 - speed * INV_MOVING_PX, 0.0) * steady;
    bool is_beyond = is_outside(f, stats, clamp_extent(stats, CLAMP_MOVING + still * CLAMP_STILL_EXTRA));
    uint misses = is_beyond ? min((f.state & 7u) + 1u, 7u) : 0u;
    float still2 = still * still;
    float limit = WEIGHT_REJECTED + steady * WEIGHT_STEADY_EXTRA + still2 * still2 * WEIGHT_STILL_EXTRA;
    float weight = min(stored_weight(f), limit);
    bool is_protected = still > 0.5 && misses <= params.grace_frames && weight > WEIGHT_PROTECTED;
    if (!is_beyond || is_protected) return weighted(f, weight, misses, 0.0);
    hold(f, exposure, stats, clamp_extent(stats, CLAMP_MOVING));
    return weighted(f, min(weight, WEIGHT_REJECTED * steady), misses, 1.0);
}

void main() {
    ivec2 size = ivec2(params.output_size);
    ivec2 render_size = ivec2(params.render_size);
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

    // The nearest sample tells the motion, and what its neighbourhood looks like.
    ivec4 x = axis_taps[column];
    ivec4 y = axis_taps[row] * render_size.x;
    int at_nearest = y.x + x.x;
    vec2 motion = unpack_halves(sample_motion[at_nearest]);
    Stats stats = unpack_stats(sample_stats[at_nearest]);
    vec2 position = vec2(pixel) + 0.5 + motion * params.output_per_render;
    History h = history(position, motion, exposure, stats);

    // The two nearest samples on each axis, by a kernel of output pixels (sharp) and one of render pixels (wide).
    int at[4] = int[4](y.y + x.y, y.y + x.z, y.z + x.y, y.z + x.z);
    uvec2 samples[4] = uvec2[4](sample_color[at[0]], sample_color[at[1]], sample_color[at[2]], sample_color[at[3]]);
    vec4 wx = axis_weights[column];
    vec4 wy = axis_weights[row];
    float sharp_weight = (wx.x + wx.y) * (wy.x + wy.y);
    float wide_weight = (wx.z + wx.w) * (wy.z + wy.w);
    // A pixel that was not finite has weight 0 in the upper half of its second word.
    if (min(min(samples[0].y, samples[1].y), min(samples[2].y, samples[3].y)) < 0x10000u) {
        sharp_weight = 0.0;
        wide_weight = 0.0;
        for (int i = 0; i < 4; i++) {
            if (samples[i].y >= 0x10000u) {
                sharp_weight += wx[i & 1] * wy[i >> 1];
                wide_weight += wx[2 + (i & 1)] * wy[2 + (i >> 1)];
            }
        }
    }

    // Little history: the wide kernel fills what the sharp one leaves open.
    float trust = min(h.weight * INV_WEIGHT_SHARP, 1.0);
    float weight = max(sharp_weight, WEIGHT_SAMPLES_MIN);
    float first_weight = max(weight, WEIGHT_FIRST) * (1.0 - trust);
    float wide_share = 0.0;
    float total_weight = h.weight;
    if (wide_weight > SMALLEST) {
        float fill = (weight - sharp_weight) * trust + first_weight;
        wide_share = fill * reciprocal(wide_weight);
        total_weight += weight * trust + first_weight;
    }
    vec4 total = vec4(h.color, h.compression);
    float alpha = h.alpha;
    vec2 sharp_rows = wy.xy * trust;
    vec4 shares = vec4(wx.xy * sharp_rows.x, wx.xy * sharp_rows.y);
    if (wide_share != 0.0) {
        vec2 wide_rows = wy.zw * wide_share;
        shares += vec4(wx.zw * wide_rows.x, wx.zw * wide_rows.y);
    }
    for (int i = 0; i < 4; i++) {
        vec4 s = unpack_pair(samples[i]);
        float w = shares[i] * s.w;
        total.rgb += s.rgb * w;
        total.w += w;
        if (params.alpha_mode == ALPHA_RECONSTRUCT) alpha += unpack_halves(sample_stats[at[i]].w).x * w;
    }
    store_pixel(pixel, total, alpha, total_weight, h.misses, stats.alpha);
    if (params.debug_view != DEBUG_VIEW_NONE) {
        vec3 width = vec3(1.0 - min(h.weight * INV_WEIGHT_SHARP, 1.0));
        vec3 color = debug_color(at_nearest, motion, stats, h, width, sharp_weight, total_weight);
        imageStore(debug_image, pixel, vec4(as_halves(color), 1.0));
    }
}
