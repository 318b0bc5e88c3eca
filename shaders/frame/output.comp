// Draws the picture, one invocation an output pixel: this frame's samples by their distance, plus the history that
// deserves trust. in: sample planes (render size), prev_history (output size); out: next_history, output_image, and
// debug_image where a debug view is chosen.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "color.glsl"
#include "samples.glsl"
#include "cubic.glsl"

// Weight of a sample on one axis at a squared distance: (1 - d^2 / 2)^4, zero from sqrt 2 on.
float kernel(float squared) {
    float q = max(1.0 - squared * KERNEL_FALLOFF, 0.0);
    q = q * q;
    return q * q;
}

// The same by render pixels, where the sharp kernel leaves gaps: (1 - d^2)^2, zero from 1 on.
float wide_kernel(float squared) {
    float q = max(1.0 - squared, 0.0);
    return q * q;
}

vec3 texel_at(int at) {
    uvec2 words = prev_history[at];
    return vec3(unpack_halves(words.x), unpack_halves(words.y).x);
}

vec3 outer_row(int y, ivec4 x, vec4 w) {
    vec3 row = texel_at(y + x.x) * w.x;
    row += texel_at(y + x.y) * w.y;
    row += texel_at(y + x.z) * w.z;
    return row + texel_at(y + x.w) * w.w;
}

vec3 inner_row(int y, ivec4 x, vec4 w, inout vec3 low, inout vec3 high) {
    vec3 b = texel_at(y + x.y);
    vec3 c = texel_at(y + x.z);
    low = min(low, min(b, c));
    high = max(high, max(b, c));
    vec3 row = texel_at(y + x.x) * w.x;
    row += b * w.y;
    row += c * w.z;
    return row + texel_at(y + x.w) * w.w;
}

vec3 cubic_sum(ivec4 y, ivec4 x, vec4 wx, vec4 wy) {
    vec3 low = vec3(LARGEST);
    vec3 high = vec3(0.0);
    vec3 sum = outer_row(y.x, x, wx) * wy.x;
    sum += inner_row(y.y, x, wx, low, high) * wy.y;
    sum += inner_row(y.z, x, wx, low, high) * wy.z;
    sum += outer_row(y.w, x, wx) * wy.w;
    return min(max(sum, low), high);
}

// History at a place of the output grid, bicubic, kept between the four nearest texels.
vec3 history_at(vec2 position, ivec2 size) {
    vec2 corner = position - 0.5;
    vec2 whole = floor(corner);
    ivec2 first = ivec2(whole);
    vec2 t = corner - whole;
    // On a texel the weights are 0, 1, 0, 0: the same value, one fetch.
    if (t.x == 0.0 && t.y == 0.0) return texel_at(first.y * size.x + first.x);
    vec4 wx = cubic_weights(t.x);
    vec4 wy = cubic_weights(t.y);
    const ivec4 around = ivec4(0, 1, 2, 3);
    first -= 1;
    // Away from the border the four columns are constants behind one address.
    bool is_inner = first.x >= 0 && first.y >= 0 && first.x + 3 < size.x && first.y + 3 < size.y;
    if (is_inner) return cubic_sum(first.y * size.x + first.x + around * size.x, around, wx, wy);
    ivec4 x = clamp(first.x + around, ivec4(0), ivec4(size.x - 1));
    ivec4 y = clamp(first.y + around, ivec4(0), ivec4(size.y - 1)) * size.x;
    return cubic_sum(y, x, wx, wy);
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
    vec2 motion = unpack_halves(sample_motion[at_nearest]);
    Stats stats = unpack_stats(sample_stats[at_nearest]);
    vec2 position = centre + motion * params.output_per_render;
    History h = history(position, motion, exposure, stats);

    // The two nearest samples on each axis, by a kernel of output pixels (sharp) and one of render pixels (wide).
    ivec2 first = ivec2(offset.x > 0.0 ? -1 : 0, offset.y > 0.0 ? -1 : 0);
    int columns[2];
    int rows[2];
    vec2 sharp[2];
    vec2 wide[2];
    for (int i = 0; i < 2; i++) {
        ivec2 step = first + i;
        ivec2 tap = clamp(nearest + step, ivec2(0), render_size - 1);
        columns[i] = tap.x;
        rows[i] = tap.y * render_size.x;
        vec2 d = offset + vec2(step);
        vec2 d_kernel = d * params.kernel_per_render;
        sharp[i] = vec2(kernel(d_kernel.x * d_kernel.x), kernel(d_kernel.y * d_kernel.y));
        wide[i] = vec2(wide_kernel(d.x * d.x), wide_kernel(d.y * d.y));
    }
    uvec2 samples[4];
    float sharp_weight = 0.0;
    float wide_weight = 0.0;
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 2; i++) {
            uvec2 words = sample_color[rows[j] + columns[i]];
            samples[2 * j + i] = words;
            if (words.y >> 16 != 0u) {
                sharp_weight += sharp[i].x * sharp[j].y;
                wide_weight += wide[i].x * wide[j].y;
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
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < 2; i++) {
            vec4 s = unpack_pair(samples[2 * j + i]);
            float share = sharp[i].x * sharp[j].y * trust + wide[i].x * wide[j].y * wide_share;
            float w = share * s.w;
            total.rgb += s.rgb * w;
            total.w += w;
            if (params.alpha_mode == ALPHA_RECONSTRUCT) {
                alpha += unpack_halves(sample_stats[rows[j] + columns[i]].w).x * w;
            }
        }
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
    uint rg = positive_to_half(linear.r) | (positive_to_half(linear.g) << 16);
    uint b = positive_to_half(linear.b);
    next_history[index] = uvec2(rg, b | (((steps << 3) | h.misses) << 16));

    vec4 shown = vec4(unpack_halves(rg), unpack_halves(b).x, 1.0);
    if (params.alpha_mode == ALPHA_RECONSTRUCT) {
        uint stored = to_half(opacity);
        next_alpha[index] = stored;
        shown.a = unpack_halves(stored).x;
    }
    if (params.alpha_mode == ALPHA_COPY_NEAREST) shown.a = stats.alpha;
    if (params.color_encoding != COLOR_ENCODING_LINEAR_HDR) shown.rgb = as_halves(encode(shown.rgb));
    imageStore(output_image, pixel, shown);
    if (params.debug_view != DEBUG_VIEW_NONE) {
        vec3 color = debug_color(at_nearest, motion, stats, h, sharp_weight, total_weight);
        imageStore(debug_image, pixel, vec4(as_halves(color), 1.0));
    }
}
