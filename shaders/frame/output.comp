// Draws the picture, one invocation an output pixel: this frame's samples by their distance, plus the history that
// deserves trust. in: sample planes (render size), prev_history (output size); out: next_history, output_image, and
// debug_image where a debug view is chosen.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "color.glsl"
#include "samples.glsl"
#include "cubic.glsl"

// Weight of a sample at a squared distance: (1 - d^2 / 2)^4, zero from sqrt 2 on.
float kernel(float squared) {
    float q = max(1.0 - squared * KERNEL_FALLOFF, 0.0);
    q = q * q;
    return q * q;
}

// History at a place of the output grid, bicubic, kept between the four nearest texels.
vec3 history_at(vec2 position, ivec2 size) {
    vec2 corner = position - 0.5;
    vec2 whole = floor(corner);
    ivec2 first = ivec2(whole);
    vec4 wx = cubic_weights(corner.x - whole.x);
    vec4 wy = cubic_weights(corner.y - whole.y);
    vec3 sum = vec3(0.0);
    vec3 low = vec3(LARGEST);
    vec3 high = vec3(0.0);
    for (int j = 0; j < 4; j++) {
        int y = clamp(first.y + j - 1, 0, size.y - 1);
        vec3 row = vec3(0.0);
        for (int i = 0; i < 4; i++) {
            int x = clamp(first.x + i - 1, 0, size.x - 1);
            vec3 texel = unpack_pair(prev_history[y * size.x + x]).rgb;
            row += texel * wx[i];
            if ((i == 1 || i == 2) && (j == 1 || j == 2)) {
                low = min(low, texel);
                high = max(high, texel);
            }
        }
        sum += row * wy[j];
    }
    return min(max(sum, low), high);
}

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

History history(vec2 position, vec2 motion, float exposure, Stats stats) {
    History h = History(vec3(0.0), 0.0, 0.0, 0u, 0.0, vec3(0.0), 0.0);
    ivec2 size = ivec2(params.output_size);
    bool is_inside = position.x >= 0.0 && position.y >= 0.0
        && position.x < float(size.x) && position.y < float(size.y);
    if (stats.history == 0.0 || !is_inside) return h;
    ivec2 nearest = min(ivec2(floor(position)), size - 1);
    int texel = nearest.y * size.x + nearest.x;
    uint state = prev_history[texel].y >> 16;
    h.fetched = min(history_at(position, size) * params.history_scale, vec3(LARGEST));
    float compression = reciprocal(1.0 + luma(h.fetched) * exposure * INV_LUMA_COMPRESSION);
    vec3 kept = h.fetched * compression;
    vec3 yc = to_luma_chroma(kept);
    float speed = max(abs(motion.x), abs(motion.y));
    float steady = stats.history - 1.0;
    float still = max(1.0 - speed * INV_MOVING_PX, 0.0) * steady;
    vec3 extent = stats.deviation * (CLAMP_MOVING + still * CLAMP_STILL_EXTRA)
        + stats.mean.x * CLAMP_FLOOR;
    vec3 clamped = min(max(yc, stats.mean - extent), stats.mean + extent);
    bool is_outside = clamped.x != yc.x || clamped.y != yc.y || clamped.z != yc.z;
    h.misses = is_outside ? min((state & 7u) + 1u, 7u) : 0u;
    float still2 = still * still;
    float limit = WEIGHT_REJECTED + steady * WEIGHT_STEADY_EXTRA + still2 * still2 * WEIGHT_STILL_EXTRA;
    h.weight = min(float(state >> 3) * INV_WEIGHT_STEPS, limit);
    bool is_protected = still > 0.5 && h.misses <= params.grace_frames && h.weight > WEIGHT_PROTECTED;
    if (is_outside && !is_protected) {
        extent = stats.deviation * CLAMP_MOVING + stats.mean.x * CLAMP_FLOOR;
        yc = min(max(yc, stats.mean - extent), stats.mean + extent);
        kept = max(from_luma_chroma(yc), vec3(0.0));
        compression = max(1.0 - luma(kept) * exposure * INV_LUMA_COMPRESSION, SMALLEST);
        h.weight = min(h.weight, WEIGHT_REJECTED * steady);
        h.is_corrected = 1.0;
    }
    h.color = kept * h.weight;
    h.compression = compression * h.weight;
    if (params.alpha_mode == ALPHA_RECONSTRUCT) {
        h.alpha = unpack_halves(prev_alpha[texel]).x * h.compression;
    }
    return h;
}

vec3 debug_color(int at, vec2 motion, Stats stats, History h, float sharp_weight, float total_weight) {
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
        grey = min(sharp_weight, 1.0);
        break;
    case DEBUG_VIEW_KERNEL_WIDTH:
        grey = 1.0 - min(h.weight * INV_WEIGHT_SHARP, 1.0);
        break;
    case DEBUG_VIEW_REJECTED:
        grey = h.is_corrected;
        break;
    case DEBUG_VIEW_PHASE_COVERAGE:
        grey = min(total_weight * 0.125, 1.0);
        break;
    }
    return vec3(grey);
}

// A colour whose channels are exactly representable as halves, so that the store has nothing left to round.
vec3 as_halves(vec3 c) {
    return vec3(unpack_halves(pack_halves(c.r, c.g)), unpack_halves(pack_halves(c.b, 0.0)).x);
}

void main() {
    ivec2 size = ivec2(params.output_size);
    ivec2 render_size = ivec2(params.render_size);
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    float exposure = uintBitsToFloat(exposure_value[0]);

    // The pixel's place in the grid of this frame's samples, and the nearest sample.
    vec2 centre = vec2(pixel) + 0.5;
    vec2 place = centre * params.render_per_output + params.jitter_px;
    ivec2 nearest = clamp(ivec2(floor(place)), ivec2(0), render_size - 1);
    vec2 offset = vec2(nearest) + 0.5 - place;
    int at_nearest = nearest.y * render_size.x + nearest.x;
    vec2 motion = uintBitsToFloat(sample_motion[at_nearest]);
    Stats stats = unpack_stats(sample_stats[at_nearest]);
    vec2 position = centre + motion * params.output_per_render;
    History h = history(position, motion, exposure, stats);

    // The samples around, by a kernel of output pixels (sharp) and one of render pixels (wide).
    vec4 sharp = vec4(0.0);
    vec4 wide = vec4(0.0);
    float sharp_alpha = 0.0;
    float wide_alpha = 0.0;
    float sharp_weight = 0.0;
    float wide_weight = 0.0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            vec2 d = offset + vec2(i, j);
            vec2 d_out = d * params.output_per_render;
            ivec2 tap = clamp(nearest + ivec2(i, j), ivec2(0), render_size - 1);
            int at = tap.y * render_size.x + tap.x;
            vec4 s = unpack_pair(sample_color[at]);
            if (s.w > 0.0) {
                float w = kernel(d_out.x * d_out.x + d_out.y * d_out.y);
                float v = kernel(d.x * d.x + d.y * d.y);
                sharp_weight += w;
                wide_weight += v;
                float ws = w * s.w;
                float vs = v * s.w;
                sharp.rgb += s.rgb * ws;
                wide.rgb += s.rgb * vs;
                sharp.w += ws;
                wide.w += vs;
                if (params.alpha_mode == ALPHA_RECONSTRUCT) {
                    float alpha = unpack_halves(sample_stats[at].w).x;
                    sharp_alpha += alpha * ws;
                    wide_alpha += alpha * vs;
                }
            }
        }
    }

    // Little history: the wide kernel fills what the sharp one leaves open.
    float trust = min(h.weight * INV_WEIGHT_SHARP, 1.0);
    float weight = max(sharp_weight, WEIGHT_SAMPLES_MIN);
    vec4 total = vec4(h.color, h.compression);
    float alpha = h.alpha;
    float total_weight = h.weight;
    if (wide_weight > SMALLEST) {
        float fill = (weight - sharp_weight) * trust + max(weight, WEIGHT_FIRST) * (1.0 - trust);
        float wide_share = fill * reciprocal(wide_weight);
        total += sharp * trust + wide * wide_share;
        alpha += sharp_alpha * trust + wide_alpha * wide_share;
        total_weight += weight * trust + max(weight, WEIGHT_FIRST) * (1.0 - trust);
    }
    vec3 linear = vec3(0.0);
    float opacity = 1.0;
    if (total.w > 0.0) {
        float share = reciprocal(total.w);
        linear = min(max(total.rgb * share, vec3(0.0)), vec3(LARGEST));
        opacity = min(max(alpha * share, 0.0), 1.0);
    }
    int index = pixel.y * size.x + pixel.x;
    uint steps = uint(roundEven(min(total_weight * WEIGHT_STEPS, 8191.0)));
    uint rg = pack_halves(linear.r, linear.g);
    uint b = to_half(linear.b);
    next_history[index] = uvec2(rg, b | (((steps << 3) | h.misses) << 16));

    vec4 shown = vec4(unpack_halves(rg), unpack_halves(b).x, 1.0);
    if (params.alpha_mode == ALPHA_RECONSTRUCT) {
        uint stored = to_half(opacity);
        next_alpha[index] = stored;
        shown.a = unpack_halves(stored).x;
    }
    if (params.alpha_mode == ALPHA_COPY_NEAREST) shown.a = stats.alpha;
    imageStore(output_image, pixel, vec4(as_halves(encode(shown.rgb)), shown.a));
    if (params.debug_view != DEBUG_VIEW_NONE) {
        vec3 color = debug_color(at_nearest, motion, stats, h, sharp_weight, total_weight);
        imageStore(debug_image, pixel, vec4(as_halves(color), 1.0));
    }
}
