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

// Guides and motion of the first surface; returns its place in the frame before and its distance then.
vec3 write_guides(uint pixel, Surface s, vec3 view) {
    uint at = picture.instances + s.instance * FlatInstance_STRIDE;
    uvec4 about = scene[at + 12u];
    uint object = scene[at + 13u].z;
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
    put_1(picture.at_depth, pixel, stored_depth(-view.z));
    put_2(picture.at_motion, pixel, clamp(motion, -16384.0, 16384.0));
    put_4(picture.at_normal, pixel, vec4(s.normal, s.roughness));
    put_4(picture.at_diffuse, pixel, vec4(s.albedo, s.subsurface));
    put_4(picture.at_specular, pixel, vec4(s.coat, hidden));
    return vec3(place_before.xy, hidden);
}

void write_sky_guides(uint pixel, vec2 place, vec3 d) {
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

Sample light_of(uint pixel, vec2 place, bool has_guides) {
    Sample found = Sample(vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0), LARGEST);
    vec3 ray = view_ray(place);
    mat4 view_to_world = matrix_at(picture.camera + 4u);
    vec3 o = view_to_world[3].xyz;
    vec3 d = normalize(mat3(view_to_world) * ray);
    float per_z = length(ray);
    float near = uintBitsToFloat(scene[picture.camera + 20u].x);
    float low = near * per_z;
    float high = FAR_AWAY;

    Surface first;
    Reflected direct;
    LightSample light;
    Bounce bounce;
    // What the last ray brings is multiplied by; the density of its direction.
    vec3 last_weight = vec3(0.0);
    float last_density = 0.0;
    float last_choice = 0.0;
    bool is_last_aimed = false;
    vec3 last_radiance = vec3(0.0);
    uint kind = RAY_CAMERA;
    while (kind != RAY_DONE) {
        bool is_any = kind == RAY_SHADOW || (kind == RAY_LAST && is_last_aimed);
        Hit hit;
        bool is_hit = trace(o, d, low, high, is_any, hit);
        low = 0.0;
        Surface s;
        if (is_hit && !is_any && kind != RAY_MIRRORED) {
            s = surface_at(hit, o, d);
        }
        if (kind == RAY_CAMERA) {
            if (!is_hit) {
                found.emission = surrounding_radiance(d);
                if (has_guides) {
                    write_sky_guides(pixel, place, d);
                }
                return found;
            }
            first = s;
            float unused;
            found.emission = seen_radiance(s, o, d, unused);
            found.albedo = s.albedo;
            found.view_z = hit.distance / per_z;
            Reservoir kept = choose(s, picture.candidates);
            if (has_guides) {
                vec3 view = (matrix_at(picture.camera) * vec4(s.position, 1.0)).xyz;
                vec3 previous = write_guides(pixel, s, view);
                if (has(IS_REUSING) && previous.z == 0.0) {
                    ivec2 old = ivec2(floor(previous.xy + vec2(picture.prev_jitter_x, picture.prev_jitter_y)));
                    old = clamp(old, ivec2(0), ivec2(picture.width, picture.height) - 1);
                    uint old_pixel = uint(old.y) * picture.width + uint(old.x);
                    uvec4 was = history[picture.history_prev + old_pixel * 2u];
                    uint object = scene[picture.instances + s.instance * FlatInstance_STRIDE + 13u].z;
                    if (was.z == object && dot(unpacked_normal(was.y), s.normal) > 0.9) {
                        kept = reuse(s, kept, old_pixel);
                    }
                }
                uint object = scene[picture.instances + s.instance * FlatInstance_STRIDE + 13u].z;
                keep(pixel, -view.z, s.normal, object, kept);
            }
            direct = Reflected(vec3(0.0), vec3(0.0));
            light.distance = 0.0;
            light.direction = s.normal;
            if (kept.weight > 0.0) {
                light = sample_light(s, kept.light, kept.u);
                direct = candidate_light(s, light);
                direct.diffuse *= kept.weight;
                direct.specular *= kept.weight;
            }
            vec2 u = random2();
            bounce = sample_direction(s, u, random2().x);
            kind = RAY_SHADOW;
            if (has_guides && picture.at_hit_distance != NONE) {
                kind = RAY_MIRRORED;
                d = reflect(d, s.normal);
                o = start_of(s, d);
                high = FAR_AWAY;
                continue;
            }
        } else if (kind == RAY_MIRRORED) {
            put_1(picture.at_hit_distance, pixel, is_hit ? min(hit.distance, LARGEST) : LARGEST);
            kind = RAY_SHADOW;
        } else if (kind == RAY_SHADOW) {
            if (!is_hit) {
                found.irradiance += direct.diffuse;
                found.specular += direct.specular;
            }
            kind = RAY_BOUNCE;
            d = bounce.direction;
            o = start_of(first, d);
            high = luminance(total_of(first, bounce.weight)) > 0.0 ? FAR_AWAY : 0.0;
            if (high == 0.0) {
                kind = RAY_DONE;
            }
            continue;
        } else if (kind == RAY_BOUNCE) {
            vec3 radiance = vec3(0.0);
            float other = 0.0;
            if (is_hit) {
                radiance = seen_radiance(s, first.position, d, other);
            } else {
                radiance = surrounding_radiance(d);
                other = surrounding_density(first, d);
            }
            radiance *= balance(bounce.density, other);
            found.irradiance += bounce.weight.diffuse * radiance;
            found.specular += bounce.weight.specular * radiance;
            if (!is_hit || !has(HAS_INDIRECT)) {
                kind = RAY_DONE;
                continue;
            }
            float least = min(bounce.roughness, SOFTENED);
            if (s.roughness < least) {
                s.roughness = least;
                coat_of(s);
            }
            // One ray more, aimed at a light or as the surface reflects; its density is that of both.
            float aimed = is_mirror(s) ? 0.0 : s.roughness < 0.25 ? 0.5 : 0.75;
            vec2 choice = random2();
            vec2 u = random2();
            is_last_aimed = choice.x < aimed;
            Reflected r;
            if (is_last_aimed) {
                LightSample l = sample_light(s, pick_light(choice.y), u);
                last_radiance = l.radiance;
                float total = aimed * l.density
                    + (l.is_visible ? (1.0 - aimed) * direction_density(s, l.direction) : 0.0);
                r = reflected(s, l.direction);
                last_weight = l.density > 0.0 ? total_of(s, r) / total : vec3(0.0);
                d = l.direction;
                high = l.distance == FAR_AWAY ? FAR_AWAY : l.distance * 0.9998;
            } else {
                Bounce b = sample_direction(s, u, choice.y);
                last_weight = total_of(s, b.weight) / (1.0 - aimed);
                last_density = b.density * (1.0 - aimed);
                last_choice = aimed;
                d = b.direction;
                high = FAR_AWAY;
            }
            first.position = s.position;
            first.normal = s.normal;
            kind = luminance(last_weight) > 0.0 ? RAY_LAST : RAY_DONE;
            o = start_of(s, d);
            continue;
        } else {
            vec3 radiance = last_radiance;
            if (is_last_aimed) {
                radiance = is_hit ? vec3(0.0) : radiance;
            } else {
                float other = 0.0;
                if (is_hit) {
                    radiance = seen_radiance(s, first.position, d, other);
                } else {
                    radiance = surrounding_radiance(d);
                    other = surrounding_density(first, d);
                }
                radiance *= balance(last_density, last_choice * other);
            }
            radiance *= last_weight;
            found.irradiance += bounce.weight.diffuse * radiance;
            found.specular += bounce.weight.specular * radiance;
            kind = RAY_DONE;
            continue;
        }
        // The shadow ray is next.
        d = light.direction;
        o = start_of(first, d);
        high = light.distance == FAR_AWAY ? FAR_AWAY : light.distance * 0.9998;
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
