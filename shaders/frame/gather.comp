// Reads the inputs at the door, one invocation a render pixel: sample, motion of the nearest of 3x3 depths, whether
// this surface was visible in the previous frame, and the statistics of the 3x3 neighbourhood.
// in: color_image, depth_image, motion_image (render size), prev_surface; out: sample planes and next_surface.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "color.glsl"
#include "samples.glsl"

const ivec2 TILE = ivec2(18, 10); // the workgroup and one pixel around it

shared vec4 tile_color[TILE.x * TILE.y]; // weighted colour in luma/chroma, 1 where the pixel was finite
shared float tile_nearness[TILE.x * TILE.y];

// Depth that grows towards the camera for projected kinds, and minus the distance for the linear kind.
float nearness_at_door(float stored) {
    if (params.depth_kind == DEPTH_VIEW_LINEAR) {
        return -min(max(door(stored, FARTHEST), 0.0), FARTHEST);
    }
    float z = stored;
    if (params.depth_kind == DEPTH_HARDWARE) z = 1.0 - z;
    return min(max(door(z, 0.0), 0.0), 1.0);
}

// Linear colour and weight as halves, and alpha; fills the tile's entry.
uvec2 load_tile(int entry, ivec2 pixel, float exposure, out float alpha) {
    bool finite;
    vec4 c = color_at_door(texelFetch(color_image, pixel, 0), finite);
    alpha = c.a;
    tile_nearness[entry] = nearness_at_door(texelFetch(depth_image, pixel, 0).r);
    tile_color[entry] = vec4(0.0);
    if (!finite) return uvec2(0u);
    uint rg = positive_to_half(c.r) | (positive_to_half(c.g) << 16);
    uint b = positive_to_half(c.b);
    vec3 stored = vec3(unpack_halves(rg), unpack_halves(b).x);
    float exact = reciprocal(1.0 + luma(stored) * exposure * INV_LUMA_COMPRESSION);
    uint bw = b | (positive_to_half(max(exact, SMALLEST)) << 16);
    float weight = unpack_halves(bw).y;
    tile_color[entry] = vec4(to_luma_chroma(stored * weight), 1.0);
    return uvec2(rg, bw);
}

void main() {
    ivec2 size = ivec2(params.render_size);
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    ivec2 local = ivec2(gl_LocalInvocationID.xy);
    ivec2 origin = ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - 1;
    float exposure = uintBitsToFloat(exposure_value[0]);

    // The pixel's own entry first, then the border, one entry an invocation.
    int own = (local.y + 1) * TILE.x + local.x + 1;
    float alpha;
    uvec2 packed_sample = load_tile(own, clamp(pixel, ivec2(0), size - 1), exposure, alpha);
    int border = int(gl_LocalInvocationIndex);
    if (border < 2 * TILE.x + 2 * (TILE.y - 2)) {
        ivec2 at;
        if (border < TILE.x) {
            at = ivec2(border, 0);
        } else if (border < 2 * TILE.x) {
            at = ivec2(border - TILE.x, TILE.y - 1);
        } else if (border < 2 * TILE.x + TILE.y - 2) {
            at = ivec2(0, border - 2 * TILE.x + 1);
        } else {
            at = ivec2(TILE.x - 1, border - 2 * TILE.x - (TILE.y - 2) + 1);
        }
        float unused_alpha;
        load_tile(at.y * TILE.x + at.x, clamp(origin + at, ivec2(0), size - 1), exposure, unused_alpha);
    }
    barrier();
    if (pixel.x >= size.x || pixel.y >= size.y) return;

    int toward_nearest = 0; // in entries of the tile
    float nearness = tile_nearness[own];
    vec4 sum = vec4(0.0);
    vec3 squares = vec3(0.0);
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int toward = dy * TILE.x + dx;
            int entry = own + toward; // beyond the image: its border
            if (tile_nearness[entry] > nearness) {
                toward_nearest = toward;
                nearness = tile_nearness[entry];
            }
            vec4 v = tile_color[entry];
            sum += v;
            squares += v.xyz * v.xyz;
        }
    }
    float share = reciprocal(max(sum.w, 1.0));
    Stats stats;
    stats.mean = sum.xyz * share;
    stats.deviation = vec3(0.0);
    stats.alpha = alpha;
    stats.history = 0.0;
    vec3 variance = squares * share - stats.mean * stats.mean;
    for (int i = 0; i < 3; i++) {
        // 2^-30: the square of half the smallest stored deviation
        if (variance[i] > 9.313226e-10) stats.deviation[i] = min(square_root(variance[i]), LARGEST);
    }
    // Not one finite pixel here: nothing speaks against the history.
    if (sum.w == 0.0) stats.deviation = vec3(LARGEST);

    int row = toward_nearest < -1 ? -1 : toward_nearest > 1 ? 1 : 0;
    ivec2 nearest = clamp(pixel + ivec2(toward_nearest - row * TILE.x, row), ivec2(0), size - 1);
    vec2 stored = texelFetch(motion_image, nearest, 0).rg;
    bool is_motion_finite = is_finite(stored.x) && is_finite(stored.y);
    vec2 motion = vec2(0.0);
    if (is_motion_finite) {
        motion = stored * params.motion_scale;
        motion = vec2(door(motion.x, 0.0), door(motion.y, 0.0));
        motion = min(max(motion, vec2(-LONGEST_MOTION_PX)), vec2(LONGEST_MOTION_PX));
    }

    // Where this surface was sampled in the previous frame's pixel grid.
    vec2 position = vec2(pixel) + 0.5 - params.jitter_px + motion + params.history_jitter_px;
    vec2 whole = floor(position);
    ivec2 from = ivec2(whole);
    vec2 aside = whole + 0.5 - position;
    float low = uintBitsToFloat(0x7f7fffffu);
    float high = 0.0;
    float prev_mean = 0.0;
    float prev_deviation = 0.0;
    for (int dy = -1; dy <= 1; dy++) {
        float wy = max(1.0 - abs(aside.y + float(dy)), 0.0);
        int first = clamp(from.y + dy, 0, size.y - 1) * size.x;
        for (int dx = -1; dx <= 1; dx++) {
            float wx = max(1.0 - abs(aside.x + float(dx)), 0.0);
            uvec2 surface = prev_surface[first + clamp(from.x + dx, 0, size.x - 1)];
            float depth = uintBitsToFloat(surface.x);
            vec2 light = unpack_halves(surface.y);
            low = min(low, depth);
            high = max(high, depth);
            prev_mean += light.x * (wx * wy);
            prev_deviation = max(prev_deviation, light.y);
        }
    }
    float nearest_depth = abs(nearness);
    bool is_seen = nearest_depth >= low - low * DISOCCLUSION_TOLERANCE
        && nearest_depth <= high + high * DISOCCLUSION_TOLERANCE;
    if (is_seen && is_motion_finite && params.is_reset == 0u) {
        float change = abs(stats.mean.x - prev_mean * params.history_scale);
        float usual = max(stats.deviation.x, prev_deviation * params.history_scale)
            + stats.mean.x * CHANGE_FLOOR;
        float steady = 1.0;
        if (change > usual * (CHANGE_LIMIT - 1.0)) {
            steady = max(CHANGE_LIMIT - change * reciprocal(max(usual, SMALLEST)), 0.0);
        }
        stats.history = 1.0 + min(steady, 1.0);
    }

    int index = pixel.y * size.x + pixel.x;
    sample_color[index] = packed_sample;
    sample_motion[index] = pack_halves(motion.x, motion.y);
    sample_stats[index] = pack_stats(stats);
    next_surface[index] = uvec2(floatBitsToUint(abs(tile_nearness[own])),
        positive_to_half(stats.mean.x) | (positive_to_half(stats.deviation.x) << 16));
}
