#version 450
// The first surface of every path: guides, emitted light, particles before it, one chosen light, and the rays that leave it.
// in: the camera's hits; out: planes of guides, history, rays of all lists, what they may bring.

#include "camera_ray.glsl"
#include "direct.glsl"
#include "guides.glsl"
#include "seen.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void finish(vec3 emission) {
    put_path(PATH_EMISSION, emission, 0.0);
    put_path(PATH_ALBEDO, vec3(0.0), 0.0);
    put_path(PATH_DIFFUSE, vec3(0.0), 0.0);
    put_path(PATH_SPECULAR, vec3(0.0), 0.0);
    put_no_ray(LIST_AIMED);
    put_no_ray(LIST_REFLECTED);
    put_no_ray(LIST_MIRRORED);
}

void main() {
    if (!find_path(gl_WorkGroupID)) {
        return;
    }
    bool has_guides = has(HAS_GUIDES) && path_sample == 0u;
    vec2 place = sample_place();
    CameraRay ray = camera_ray(place);
    Hit hit = hit_of(LIST_REFLECTED);
    float view_z = is_hit(hit) ? hit.distance / ray.per_z : LARGEST;
    if (picture.particle_count > 0u) {
        vec4 particles = particles_before(view_ray(place), view_z);
        put_path(PATH_PARTICLES, particles.rgb, particles.a);
    }
    if (!is_hit(hit)) {
        if (has_guides) {
            write_sky_guides(path_pixel, ray.d);
        }
        finish(surrounding_radiance(ray.d));
        return;
    }
    Surface s = surface_at(hit, ray.o, ray.d, 0.0);
    Reservoir old = no_choice();
    if (has_guides) {
        old = old_choice(s, write_guides(path_pixel, s, view_z));
    }
    float density;
    put_path(PATH_EMISSION, seen_radiance(s, ray.o, ray.d, density), 0.0);

    start_random(DIMENSION_FIRST);
    LightSample l;
    Reflected light;
    bool is_split = has(IS_SPLIT);
    Candidates among = is_split ? part_of_lights(picture.candidates, false) : all_lights(picture.candidates);
    Reservoir kept = choose(s, among, old, l, light);
    if (has_guides) {
        keep(path_pixel, view_z, s.normal, object_of(s), kept);
    }
    put_aimed_ray(LIST_AIMED, s, l, kept.weight);
    if (is_split) {
        LightSample far;
        Reflected far_light;
        Reservoir other = choose(s, part_of_lights(picture.candidates, true), no_choice(), far, far_light);
        put_aimed_ray(LIST_SURROUNDING, s, far, other.weight);
        put_path(PATH_AIMED, far_light.diffuse * other.weight, 0.0);
        put_path(PATH_REFLECTED, far_light.specular * other.weight, 0.0);
    }
    vec2 choice = random2();
    Bounce bounce = sample_direction(s, random2(), choice.y);
    put_reflected_ray(s, bounce, s.albedo * bounce.weight.diffuse + bounce.weight.specular);
    put_path(PATH_ALBEDO, s.albedo, bounce.roughness);
    put_path(PATH_DIFFUSE, light.diffuse * kept.weight, bounce.density);
    put_path(PATH_SPECULAR, light.specular * kept.weight, dot(s.normal, bounce.direction));
    put_path(PATH_DIFFUSE_WEIGHT, bounce.weight.diffuse, 0.0);
    put_path(PATH_SPECULAR_WEIGHT, bounce.weight.specular, 0.0);
    if (has_guides && picture.at_hit_distance != NONE) {
        vec3 d = reflect(ray.d, s.normal);
        put_ray(LIST_MIRRORED, start_at(s.position, s.face, d), d, FAR_AWAY);
    } else if (has(HAS_GUIDES)) {
        put_no_ray(LIST_MIRRORED);
    }
}
