#version 450
// One picture of a world: noisy light with every guide at render size, or many samples for a clean or reference one.
// in: the scene buffer with a picture for each z of the dispatch; out: planes (linear radiance, guides), history.

#include "direct.glsl"
#include "planes.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

// What the ray in flight is for, in order.
const uint RAY_CAMERA = 0u;
const uint RAY_MIRRORED = 1u;
const uint RAY_SHADOW = 2u;
const uint RAY_BOUNCE = 3u;
const uint RAY_LAST = 4u;
const uint RAY_DONE = 5u;

// Roughness that a surface seen in a rough one has at least: caustics would be fireflies.
const float SOFTENED = 0.5;

// Light samples at the second surface.
const uint CANDIDATES_BEHIND = 4u;

// Light that reaches a surface of this roughness over another one, in one sample: the rarest are held back, in one
// sample a pixel as in the reference, since no number of samples makes a reference free of fireflies. Mirrors show all.
vec3 softened(vec3 radiance, float roughness) {
    float most = picture.brightest / max(roughness * roughness, 1e-4);
    float value = luminance(radiance);
    return value > most ? radiance * (most / value) : radiance;
}

// Radiance of a light's body or of the surface itself, and the density with which light samples from `o` find it.
vec3 seen_radiance(Surface body, vec3 o, vec3 d, out float density) {
    density = 0.0;
    if (body.light == NONE) {
        return body.emission;
    }
    FlatLight light = light_at(body.light);
    density = light_density(light, o, d, distance(o, body.position));
    return body_radiance(light, body, d);
}

// The share of samples of `density` beside light samples of `other`; no density: nothing else finds it.
float balance(float density, float other) {
    return density == 0.0 ? 1.0 : density / (density + other);
}

uint object_of(Surface s) {
    return scene[picture.instances + s.instance * FlatInstance_STRIDE + 13u].z;
}

// Guides and motion of the first surface; returns its place in the frame before and its distance then.
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
    keep(pixel, LARGEST, -d, NONE, Reservoir(NONE, vec2(0.0), 0.0, 0.0));
}

// What one sample of a pixel found.
struct Sample {
    // Diffuse light without the first surface's albedo.
    vec3 irradiance;
    vec3 specular;
    vec3 emission;
    vec3 albedo;
    // Distance of the first surface along the view axis.
    float view_z;
};

// The choice of the pixel that showed this surface in the frame before; `previous`: its place, z: hidden then.
Reservoir old_choice(Surface s, vec3 previous) {
    Reservoir none = Reservoir(NONE, vec2(0.0), 0.0, 0.0);
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

Sample light_of(uint pixel, vec2 place, bool has_guides) {
    Sample found = Sample(vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0), LARGEST);
    vec3 ray = view_ray(place);
    mat4 view_to_world = matrix_at(picture.camera + 4u);
    vec3 o = view_to_world[3].xyz;
    vec3 d = normalize(mat3(view_to_world) * ray);
    float per_z = length(ray);
    float low = uintBitsToFloat(scene[picture.camera + 20u].x) * per_z;
    float high = FAR_AWAY;

    uint kind = RAY_CAMERA;
    bool is_aimed = false;
    // The ray that leaves the first surface, or the last ray: what it sees is multiplied by both weights.
    Bounce bounce;
    bounce.roughness = 0.0;
    vec3 last_weight = vec3(1.0);
    // Its density, and where it left.
    float last_density = 0.0;
    vec3 from = o;
    vec3 from_normal = d;
    // The light sample that the shadow ray tests.
    Reflected direct;
    vec3 shadow_direction = d;
    float shadow_distance = 0.0;
    vec3 first_face = d;
    while (kind != RAY_DONE) {
        Hit hit;
        bool is_hit = trace(o, d, low, high, is_aimed, hit);
        low = 0.0;
        if (kind == RAY_MIRRORED) {
            put_1(picture.at_hit_distance, pixel, is_hit ? min(hit.distance, LARGEST) : LARGEST);
        } else if (is_aimed) {
            if (!is_hit) {
                found.irradiance += direct.diffuse;
                found.specular += direct.specular;
            }
            is_aimed = false;
            if (kind == RAY_LAST) {
                return found;
            }
            kind = RAY_BOUNCE;
            d = bounce.direction;
            o = start_at(from, first_face, d);
            high = FAR_AWAY;
            if (luminance(found.albedo * bounce.weight.diffuse + bounce.weight.specular) == 0.0) {
                return found;
            }
            continue;
        } else {
            Surface s;
            vec3 radiance;
            float other = 0.0;
            if (is_hit) {
                s = surface_at(hit, o, d, kind == RAY_BOUNCE ? min(bounce.roughness, SOFTENED) : 0.0);
                radiance = seen_radiance(s, from, d, other);
            } else {
                radiance = surrounding_radiance(d);
                other = surrounding_density(from_normal, d);
            }
            if (kind == RAY_CAMERA) {
                found.emission = radiance;
            } else {
                float samples = float(kind == RAY_BOUNCE ? picture.candidates : CANDIDATES_BEHIND);
                radiance *= last_weight * balance(last_density, samples * other);
                // Light that is reflected twice, or that nothing aims at.
                if (kind == RAY_LAST || (is_hit && s.light == NONE)) {
                    radiance = softened(radiance, bounce.roughness);
                }
                found.irradiance += bounce.weight.diffuse * radiance;
                found.specular += bounce.weight.specular * radiance;
            }
            if (kind == RAY_CAMERA && !is_hit && has_guides) {
                write_sky_guides(pixel, d);
            }
            if (!is_hit || kind == RAY_LAST || (kind == RAY_BOUNCE && !has(HAS_INDIRECT))) {
                return found;
            }

            bool is_first = kind == RAY_CAMERA;
            Reservoir old = Reservoir(NONE, vec2(0.0), 0.0, 0.0);
            if (is_first) {
                found.albedo = s.albedo;
                found.view_z = hit.distance / per_z;
                if (has_guides) {
                    old = old_choice(s, write_guides(pixel, s, found.view_z));
                }
            }
            LightSample l;
            Reflected light;
            Reservoir kept = choose(s, is_first ? picture.candidates : CANDIDATES_BEHIND, old, l, light);
            vec2 choice = random2();
            Bounce next = sample_direction(s, random2(), choice.y);
            from = s.position;
            from_normal = s.normal;
            if (is_first) {
                if (has_guides) {
                    keep(pixel, found.view_z, s.normal, object_of(s), kept);
                }
                bounce = next;
                last_density = next.density;
                direct = Reflected(light.diffuse * kept.weight, light.specular * kept.weight);
                shadow_direction = l.direction;
                shadow_distance = kept.weight > 0.0 ? l.distance : 0.0;
                first_face = s.face;
                kind = RAY_SHADOW;
                if (has_guides && picture.at_hit_distance != NONE) {
                    kind = RAY_MIRRORED;
                    d = reflect(d, s.normal);
                    o = start_at(from, first_face, d);
                    high = FAR_AWAY;
                    continue;
                }
            } else {
                // One ray more: aimed at a light, or as the surface reflects. Each finds its part of the light.
                float aimed = is_mirror(s) ? 0.0 : s.roughness < 0.25 ? 0.5 : 0.7;
                kind = RAY_LAST;
                is_aimed = choice.x < aimed;
                vec3 weight;
                if (is_aimed) {
                    weight = softened(total_of(s, light) * (kept.weight / aimed), bounce.roughness);
                    direct = Reflected(bounce.weight.diffuse * weight, bounce.weight.specular * weight);
                    d = l.direction;
                    high = l.distance == FAR_AWAY ? FAR_AWAY : l.distance * 0.9998;
                } else {
                    weight = total_of(s, next.weight) / (1.0 - aimed);
                    last_weight = weight;
                    last_density = next.density;
                    d = next.direction;
                    high = FAR_AWAY;
                }
                if (luminance(weight) == 0.0) {
                    return found;
                }
                o = start_at(from, s.face, d);
                continue;
            }
        }
        kind = RAY_SHADOW;
        is_aimed = true;
        d = shadow_direction;
        o = start_at(from, first_face, d);
        high = shadow_distance == FAR_AWAY ? FAR_AWAY : shadow_distance * 0.9998;
    }
    return found;
}

void main() {
    picture = load_Picture(gl_GlobalInvocationID.z * Picture_STRIDE);
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= picture.width || at.y >= picture.height) {
        return;
    }
    uint pixel = at.y * picture.width + at.x;
    vec3 color = vec3(0.0);
    vec3 before_particles = vec3(0.0);
    vec3 emissive = vec3(0.0);
    vec3 irradiance = vec3(0.0);
    vec3 specular = vec3(0.0);
    float cover = 0.0;
    for (uint i = picture.sample_first; i < picture.sample_first + picture.sample_count; i++) {
        random_start(picture.seed, picture.frame, pixel, i, picture.sample_total == 1u);
        vec2 place = vec2(at) + 0.5 - vec2(picture.jitter_x, picture.jitter_y);
        if (has(IS_BOX_FILTERED)) {
            place = vec2(at) + random2();
        }
        Sample found = light_of(pixel, place, has(HAS_GUIDES) && i == 0u);
        vec3 light = found.albedo * found.irradiance + found.specular + found.emission;
        vec4 particles = particles_before(view_ray(place), found.view_z);
        color += light * (1.0 - particles.a) + particles.rgb;
        before_particles += light;
        emissive += found.emission * (1.0 - particles.a) + particles.rgb;
        cover += particles.a;
        irradiance += found.irradiance;
        specular += found.specular;
    }
    float total = float(picture.sample_total);
    if (picture.at_sum != NONE) {
        uint sum = picture.at_sum + pixel * 3u;
        if (picture.sample_first > 0u) {
            color += vec3(
                uintBitsToFloat(planes[sum]), uintBitsToFloat(planes[sum + 1u]), uintBitsToFloat(planes[sum + 2u])
            );
        }
        planes[sum] = floatBitsToUint(color.x);
        planes[sum + 1u] = floatBitsToUint(color.y);
        planes[sum + 2u] = floatBitsToUint(color.z);
    }
    put_4(picture.at_color, pixel, vec4(color / total, 1.0));
    put_4(picture.at_before_particles, pixel, vec4(before_particles / total, 1.0));
    put_4(picture.at_emissive, pixel, vec4(emissive, cover) / total);
    put_4(picture.at_irradiance, pixel, vec4(irradiance / total, 1.0));
    put_4(picture.at_specular_light, pixel, vec4(specular / total, 1.0));
}
