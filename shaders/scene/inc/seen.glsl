// Light that rays see at their end, and the rays that leave a surface.

#include "hits.glsl"
#include "lights.glsl"

// Roughness that a surface seen in a rough one has at least: caustics would be fireflies.
const float SOFTENED = 0.5;

// Light samples at the second surface.
const uint CANDIDATES_BEHIND = 4u;

// Light that reaches a surface of this roughness over another one, in one sample: the rarest are held back, in one
// sample a pixel as in the reference, since no number of samples makes a reference free of fireflies. Mirrors show all.
vec3 softened(vec3 radiance, float roughness) {
    float most = picture.brightest / max(roughness, 1e-2);
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

// A ray towards a chosen light; none where it would bring nothing. It goes from where it begins to the point itself: a
// parallel one would end in the body of a light that is near.
void put_aimed_ray(uint list, Surface s, LightSample l, float weight) {
    vec3 o = start_at(s.position, s.face, l.direction);
    vec3 d = l.direction;
    float high = FAR_AWAY;
    if (l.distance != FAR_AWAY) {
        vec3 to = s.position + l.direction * l.distance - o;
        float length_to = length(to);
        d = to / length_to;
        high = max(length_to * 0.9998 - clearance(s.position), 1e-7);
    }
    put_ray(list, o, d, weight > 0.0 ? high : 0.0);
}

// Whether an aimed ray was followed and nothing was in between.
bool is_lit(uint list) {
    return path_value(PATH_RAY + 2u * list).w > 0.0 && !is_hit(hit_of(list));
}

// A ray as the surface reflects; none where it would bring nothing.
void put_reflected_ray(Surface s, Bounce bounce, vec3 weight) {
    vec3 o = start_at(s.position, s.face, bounce.direction);
    put_ray(LIST_REFLECTED, o, bounce.direction, luminance(weight) > 0.0 ? FAR_AWAY : 0.0);
}
