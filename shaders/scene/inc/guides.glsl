// Guides of the first surface, motion, and what the frame before knew of it.

#include "history.glsl"
#include "planes.glsl"

uint object_of(Surface s) {
    return scene[picture.instances + s.instance * FlatInstance_STRIDE + 13u].z;
}

// Guides and motion of the first surface; returns its place in the frame before, z: hidden then.
vec3 write_guides(uint pixel, Surface s, float view_z) {
    uint at = picture.instances + s.instance * FlatInstance_STRIDE;
    uvec4 about = scene[at + 12u];
    uint object = object_of(s);
    vec4 local = vec4(s.object_position, 1.0);
    bool is_new = (about.w & INSTANCE_NEW) != 0u;
    vec4 now = matrix_at(at) * local;
    vec4 before = is_new ? now : matrix_at(at + 8u) * local;
    vec3 place_now = place_of(picture.camera + 8u, (matrix_at(picture.camera) * now).xyz);
    vec3 place_before = place_of(picture.camera + 16u, (matrix_at(picture.camera + 12u) * before).xyz);
    bool is_cut = has(IS_CUT);
    // Behind the camera there is no place.
    bool is_nowhere = place_before.z <= 0.0;
    vec2 motion = is_cut ? vec2(0.0) : is_nowhere ? vec2(-LARGEST) : place_before.xy - place_now.xy;
    float hidden = is_cut || is_new || is_nowhere ? 1.0
        : has(HAS_HISTORY) ? disocclusion(place_before.xy, place_before.z, object) : 1.0;
    put_1(picture.at_depth, pixel, stored_depth(view_z));
    put_2(picture.at_motion, pixel, clamp(motion, -16384.0, 16384.0));
    put_4(picture.at_normal, pixel, vec4(s.normal, s.roughness));
    put_4(picture.at_diffuse, pixel, vec4(s.albedo, s.subsurface));
    put_4(picture.at_specular, pixel, vec4(s.coat, hidden));
    return vec3(place_before.xy, hidden);
}

void write_sky_guides(uint pixel, vec3 d) {
    vec3 then = mat3(matrix_at(picture.camera + 12u)) * d;
    vec3 now = mat3(matrix_at(picture.camera)) * d;
    vec3 before = place_of(picture.camera + 16u, then);
    bool is_nowhere = before.z <= 0.0;
    vec2 motion = has(IS_CUT) ? vec2(0.0) : is_nowhere ? vec2(-LARGEST)
        : before.xy - place_of(picture.camera + 8u, now).xy;
    float hidden = has(IS_CUT) || is_nowhere || !has(HAS_HISTORY) ? 1.0 : disocclusion(before.xy, LARGEST, NONE);
    put_1(picture.at_depth, pixel, stored_depth_of_sky());
    put_2(picture.at_motion, pixel, clamp(motion, -16384.0, 16384.0));
    put_4(picture.at_normal, pixel, vec4(-d, 1.0));
    put_4(picture.at_diffuse, pixel, vec4(0.0));
    put_4(picture.at_specular, pixel, vec4(vec3(0.0), hidden));
    put_1(picture.at_hit_distance, pixel, LARGEST);
    keep(pixel, LARGEST, -d, NONE, no_choice());
}

// The choice of the pixel that showed this surface in the frame before; `previous`: its place, z: hidden then.
Reservoir old_choice(Surface s, vec3 previous) {
    Reservoir none = no_choice();
    if (!has(IS_REUSING) || previous.z != 0.0) {
        return none;
    }
    ivec2 place = ivec2(floor(previous.xy + vec2(picture.prev_jitter_x, picture.prev_jitter_y)));
    place = clamp(place, ivec2(0), ivec2(picture.width, picture.height) - 1);
    uint pixel = uint(place.y) * picture.width + uint(place.x);
    uvec4 was = history[picture.history_prev + pixel * 2u];
    if (was.z != object_of(s) || dot(unpacked_normal(was.y), s.normal) < 0.9) {
        return none;
    }
    Reservoir old = kept_reservoir(pixel);
    // So old a choice may not outlive its truth.
    old.count = min(old.count, 20.0 * float(picture.candidates));
    return old;
}
