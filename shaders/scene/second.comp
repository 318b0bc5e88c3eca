#version 450
// Direct light of the first surface; the second surface, seen from the first, and the two rays that leave it.
// in: hits of all lists; out: light so far, hit distance, rays of the first two lists.

#include "direct.glsl"
#include "planes.glsl"
#include "seen.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
    if (!find_path(gl_WorkGroupID)) {
        return;
    }
    vec4 diffuse = path_value(PATH_DIFFUSE);
    vec4 specular = path_value(PATH_SPECULAR);
    float first_density = diffuse.w;
    float first_cosine = specular.w;
    if (is_hit(hit_of(LIST_AIMED))) {
        diffuse.rgb = vec3(0.0);
        specular.rgb = vec3(0.0);
    }
    bool is_split = has(IS_SPLIT);
    if (is_split && is_lit(LIST_SURROUNDING)) {
        diffuse.rgb += path_value(PATH_AIMED).rgb;
        specular.rgb += path_value(PATH_REFLECTED).rgb;
    }
    if (has(HAS_GUIDES) && path_sample == 0u && path_value(PATH_RAY + 2u * LIST_MIRRORED).w > 0.0) {
        Hit mirrored = hit_of(LIST_MIRRORED);
        put_1(picture.at_hit_distance, path_pixel, is_hit(mirrored) ? min(mirrored.distance, LARGEST) : LARGEST);
    }
    vec4 o = path_value(PATH_RAY + 2u * LIST_REFLECTED);
    vec3 d = path_value(PATH_RAY + 2u * LIST_REFLECTED + 1u).xyz;
    put_no_ray(LIST_AIMED);
    put_no_ray(LIST_REFLECTED);
    if (is_split) {
        put_no_ray(LIST_SURROUNDING);
    }
    if (o.w == 0.0) {
        put_path(PATH_DIFFUSE, diffuse.rgb, 0.0);
        put_path(PATH_SPECULAR, specular.rgb, 0.0);
        return;
    }
    Hit hit = hit_of(LIST_REFLECTED);
    float roughness = path_value(PATH_ALBEDO).w;
    vec3 diffuse_weight = path_value(PATH_DIFFUSE_WEIGHT).rgb;
    vec3 specular_weight = path_value(PATH_SPECULAR_WEIGHT).rgb;
    Surface s;
    vec3 radiance;
    float other;
    if (is_hit(hit)) {
        s = surface_at(hit, o.xyz, d, min(roughness, SOFTENED));
        radiance = seen_radiance(s, o.xyz, d, other);
    } else {
        radiance = surrounding_radiance(d);
        other = surrounding_density(d * first_cosine, d);
    }
    radiance *= balance(first_density, float(picture.candidates) * other);
    // What nothing aims at.
    if (is_hit(hit) && s.light == NONE) {
        radiance = softened(radiance, roughness);
    }
    diffuse.rgb += diffuse_weight * radiance;
    specular.rgb += specular_weight * radiance;
    if (!is_hit(hit) || !has(HAS_INDIRECT)) {
        put_path(PATH_DIFFUSE, diffuse.rgb, 0.0);
        put_path(PATH_SPECULAR, specular.rgb, 0.0);
        return;
    }
    start_random(DIMENSION_SECOND);
    LightSample l;
    Reflected light;
    Candidates among = is_split ? part_of_lights(CANDIDATES_BEHIND, false) : all_lights(CANDIDATES_BEHIND);
    Reservoir kept = choose(s, among, no_choice(), l, light);
    put_aimed_ray(LIST_AIMED, s, l, kept.weight);
    put_path(PATH_AIMED, softened(total_of(s, light) * kept.weight, roughness), 0.0);
    if (is_split) {
        kept = choose(s, part_of_lights(CANDIDATES_BEHIND, true), no_choice(), l, light);
        put_aimed_ray(LIST_SURROUNDING, s, l, kept.weight);
        put_path(PATH_SURROUNDING, softened(total_of(s, light) * kept.weight, roughness), 0.0);
    }
    vec2 choice = random2();
    Bounce next = sample_direction(s, random2(), choice.y);
    vec3 weight = total_of(s, next.weight);
    put_reflected_ray(s, next, weight);
    put_path(PATH_REFLECTED, weight, 0.0);
    put_path(PATH_DIFFUSE, diffuse.rgb, next.density);
    put_path(PATH_SPECULAR, specular.rgb, dot(s.normal, next.direction));
}
