// Lights, sun and sky: what they emit, points on them, and how densely those are sampled.

#include "brdf.glsl"
#include "rectangle.glsl"

// A direction in which light comes, from one light or from the sky.
struct LightSample {
    vec3 direction;
    // FAR_AWAY for the sky.
    float distance;
    // Solid-angle density with the probability of the light; 0: no light from there.
    float density;
    vec3 radiance;
    // Rays that leave the surface can meet it as well.
    bool is_visible;
};

vec3 sky_radiance(vec3 d) {
    vec3 zenith = column(picture.sky).rgb;
    vec3 horizon = column(picture.sky + 1u).rgb;
    vec3 ground = column(picture.sky + 2u).rgb;
    float y = clamp(d.y, -1.0, 1.0);
    return y >= 0.0 ? mix(horizon, zenith, sqrt(y)) : mix(horizon, ground, min(1.0, -4.0 * y));
}

bool is_in_sun(FlatLight sun, vec3 d) {
    // Twice the squared half chord is 1 - cos.
    vec3 chord = d - sun.position.xyz;
    return 0.5 * dot(chord, chord) < 2.0 * pow(sin(0.5 * sun.position.w), 2.0);
}

float sun_solid_angle(FlatLight sun) {
    return 4.0 * PI * pow(sin(0.5 * sun.position.w), 2.0);
}

// Sky and sun together.
vec3 surrounding_radiance(vec3 d) {
    vec3 radiance = sky_radiance(d);
    if (picture.sun != 0u) {
        FlatLight sun = light_at(picture.sun - 1u);
        if (is_in_sun(sun, d)) {
            radiance += sun.radiance.rgb;
        }
    }
    return radiance;
}

float surrounding_density(vec3 normal, vec3 d) {
    float density = picture.sky_share * max(dot(normal, d), 0.0) / PI;
    if (picture.sun != 0u) {
        FlatLight sun = light_at(picture.sun - 1u);
        if (is_in_sun(sun, d)) {
            density += (1.0 - picture.sky_share) * sun.pick / sun_solid_angle(sun);
        }
    }
    return density;
}

// Radiance towards a receiver that sees the light in direction d from `normal` of the light's surface.
vec3 light_radiance(FlatLight light, vec3 d) {
    float falloff = 1.0;
    if (light.edge_u.w <= 1.0) {
        falloff = smoothstep(light.edge_v.w, light.edge_u.w, -dot(d, light.direction.xyz));
    }
    return light.radiance.rgb * falloff;
}

// Solid-angle density with which sample_light finds a point of a light, seen from `o` in direction d at `distance`.
float light_density(FlatLight light, vec3 o, vec3 d, float distance) {
    float pick = (1.0 - picture.sky_share) * light.pick;
    if (light.kind == LIGHT_SPHERE) {
        vec3 to = light.position.xyz - o;
        float q = light.position.w * light.position.w / dot(to, to);
        // Inside there is nothing to aim at.
        return q < 1.0 ? pick / (2.0 * PI * (q / (1.0 + sqrt(1.0 - q)))) : 0.0;
    }
    vec3 n = cross(light.edge_u.xyz, light.edge_v.xyz);
    if (light.kind == LIGHT_RECTANGLE) {
        float angle = rectangle_view(light.position.xyz, light.edge_u.xyz, light.edge_v.xyz, o).angle;
        if (angle > 0.0) {
            return dot(d, n) < 0.0 ? pick / angle : 0.0;
        }
    }
    float twice = length(n);
    float area = light.kind == LIGHT_TRIANGLE ? 0.5 * twice : twice;
    float cosine = -dot(d, n) / twice;
    return cosine > 1e-6 ? pick * distance * distance / (cosine * area) : 0.0;
}

// What a ray from `o` sees on a body of a light: its radiance, black on the back.
vec3 body_radiance(FlatLight light, Surface body, vec3 d) {
    if (light.kind != LIGHT_SPHERE) {
        vec3 n = normalize(cross(light.edge_u.xyz, light.edge_v.xyz));
        if (dot(body.face, n) < 0.99) {
            return vec3(0.0);
        }
    }
    return light_radiance(light, d);
}

// The light in whose share of 0..1 `u` lies; the sky is picture.light_count. `u` becomes its place within the share.
uint pick_light(inout float u) {
    if (u >= 1.0 - picture.sky_share) {
        u = (u - (1.0 - picture.sky_share)) / picture.sky_share;
        return picture.light_count;
    }
    u /= 1.0 - picture.sky_share;
    uint low = 0u;
    uint high = picture.light_count - 1u;
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (u < uintBitsToFloat(scene[picture.lights + middle * FlatLight_STRIDE + 5u].w)) {
            high = middle;
        } else {
            low = middle + 1u;
        }
    }
    return low;
}

LightSample sample_light(Surface s, uint index, vec2 u) {
    LightSample l;
    l.density = 0.0;
    l.distance = FAR_AWAY;
    l.is_visible = true;
    l.direction = s.normal;
    l.radiance = vec3(0.0);
    if (index >= picture.light_count) {
        l.direction = to_frame(cosine_direction(u), s.normal);
        l.density = surrounding_density(s.normal, l.direction);
        l.radiance = surrounding_radiance(l.direction);
        return l;
    }
    FlatLight light = light_at(index);
    if (light.kind == LIGHT_SUN) {
        float height = 2.0 * pow(sin(0.5 * light.position.w), 2.0);
        l.direction = to_frame(cone_direction(u, height * 0.9999), light.position.xyz);
        l.density = surrounding_density(s.normal, l.direction);
        l.radiance = surrounding_radiance(l.direction);
        return l;
    }
    l.is_visible = light.instance != 0u;
    if (light.kind == LIGHT_SPHERE) {
        vec3 to = light.position.xyz - s.position;
        float q = light.position.w * light.position.w / dot(to, to);
        if (q >= 1.0) {
            return l;
        }
        l.direction = to_frame(cone_direction(u, q / (1.0 + sqrt(1.0 - q))), normalize(to));
        float along = dot(to, l.direction);
        vec3 nearest = to - l.direction * along;
        float half_chord = sqrt(max(light.position.w * light.position.w - dot(nearest, nearest), 0.0));
        l.distance = along - half_chord;
    } else {
        if (light.kind == LIGHT_TRIANGLE && u.x + u.y > 1.0) {
            u = 1.0 - u;
        }
        vec3 to = light.position.xyz + light.edge_u.xyz * u.x + light.edge_v.xyz * u.y - s.position;
        if (light.kind == LIGHT_RECTANGLE) {
            RectangleView r = rectangle_view(light.position.xyz, light.edge_u.xyz, light.edge_v.xyz, s.position);
            if (r.angle > 0.0) {
                to = rectangle_point(r, u);
            }
        }
        l.distance = length(to);
        l.direction = to / l.distance;
    }
    l.density = light_density(light, s.position, l.direction, l.distance);
    l.radiance = light_radiance(light, l.direction);
    return l;
}
