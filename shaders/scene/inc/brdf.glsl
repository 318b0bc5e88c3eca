// The material model: diffuse below a GGX coat. Guides, light and reference all use it.

#include "surface.glsl"
#include "directions.glsl"

// Reflectance times cosine of one direction: `diffuse` without the albedo, `specular` complete.
struct Reflected {
    vec3 diffuse;
    vec3 specular;
};

vec3 total_of(Surface s, Reflected r) {
    return s.albedo * r.diffuse + r.specular;
}

float smith_lambda(float cosine, float alpha) {
    float c2 = cosine * cosine;
    return 0.5 * (sqrt(1.0 + alpha * alpha * (1.0 - c2) / c2) - 1.0);
}

// Density of half vectors; no difference of nearly equal numbers at small alpha.
float ggx_density(vec3 n, vec3 h, float alpha) {
    float c = dot(n, h);
    vec3 across = cross(n, h);
    float d = dot(across, across) + alpha * alpha * c * c;
    return alpha * alpha / (PI * d * d);
}

// For all directions but the mirrored one of a perfect mirror.
Reflected reflected(Surface s, vec3 l) {
    Reflected r = Reflected(vec3(0.0), vec3(0.0));
    float n_dot_l = dot(s.normal, l);
    bool is_behind = dot(s.face, l) <= 0.0;
    vec3 below = 1.0 - s.coat;
    if (is_behind) {
        if (n_dot_l < 0.0) {
            r.diffuse = below * (0.5 * s.subsurface / PI) * -n_dot_l;
        }
        return r;
    }
    if (n_dot_l <= 0.0) {
        return r;
    }
    r.diffuse = below * ((1.0 - 0.5 * s.subsurface) / PI) * n_dot_l;
    if (!is_mirror(s)) {
        vec3 h = normalize(l + s.view);
        float alpha = s.roughness * s.roughness;
        float v_dot_h = clamp(dot(s.view, h), 0.0, 1.0);
        float m = 1.0 - v_dot_h;
        float m2 = m * m;
        vec3 fresnel = s.f0 + (s.f90 - s.f0) * (m2 * m2 * m);
        float shadowing = 1.0 / (1.0 + smith_lambda(s.n_dot_v, alpha) + smith_lambda(n_dot_l, alpha));
        r.specular = fresnel * s.gain * (ggx_density(s.normal, h, alpha) * shadowing / (4.0 * s.n_dot_v));
    }
    return r;
}

// Solid-angle density of sample_direction, without a perfect mirror's one direction.
float direction_density(Surface s, vec3 l) {
    float n_dot_l = dot(s.normal, l);
    float diffuse = (n_dot_l > 0.0 ? 1.0 - 0.5 * s.subsurface : -0.5 * s.subsurface) * n_dot_l / PI;
    float density = (1.0 - s.coat_share) * diffuse;
    if (!is_mirror(s) && n_dot_l > 0.0) {
        vec3 h = normalize(l + s.view);
        float alpha = s.roughness * s.roughness;
        float masking = 1.0 / (1.0 + smith_lambda(s.n_dot_v, alpha));
        density += s.coat_share * masking * ggx_density(s.normal, h, alpha) / (4.0 * s.n_dot_v);
    }
    return density;
}

// A half vector among those that the viewer sees (Dupuy and Benyoub 2023); the viewer's direction in the normal's frame.
vec3 visible_half_vector(vec3 view, float alpha, vec2 u) {
    vec3 stretched = normalize(vec3(alpha * view.xy, view.z));
    float phi = 2.0 * PI * u.x;
    float z = (1.0 - u.y) * (1.0 + stretched.z) - stretched.z;
    float across = sqrt(clamp(1.0 - z * z, 0.0, 1.0));
    vec3 h = vec3(across * cos(phi), across * sin(phi), z) + stretched;
    return normalize(vec3(alpha * h.xy, max(h.z, 1e-7)));
}

// A direction with its weight, reflectance / density.
struct Bounce {
    vec3 direction;
    Reflected weight;
    // Density for multiple importance sampling; 0: the one direction of a mirror, which nothing else samples.
    float density;
    // Roughness of what was sampled: the coat's, or 1.
    float roughness;
};

Bounce sample_direction(Surface s, vec2 u, float choice) {
    Bounce b;
    b.weight = Reflected(vec3(0.0), vec3(0.0));
    b.density = 0.0;
    b.roughness = 1.0;
    if (choice < s.coat_share) {
        b.roughness = s.roughness;
        if (is_mirror(s)) {
            b.direction = reflect(-s.view, s.normal);
            b.weight.specular = dot(b.direction, s.face) > 0.0 ? s.coat / s.coat_share : vec3(0.0);
            return b;
        }
        vec3 t, bt;
        frame_of(s.normal, t, bt);
        vec3 local = vec3(dot(s.view, t), dot(s.view, bt), s.n_dot_v);
        vec3 h = visible_half_vector(local, s.roughness * s.roughness, u);
        b.direction = reflect(-s.view, normalize(t * h.x + bt * h.y + s.normal * h.z));
    } else {
        vec3 n = s.normal;
        float rest = (choice - s.coat_share) / (1.0 - s.coat_share);
        if (rest < 0.5 * s.subsurface) {
            n = -n;
        }
        b.direction = to_frame(cosine_direction(u), n);
    }
    b.density = direction_density(s, b.direction);
    if (b.density > 0.0) {
        Reflected r = reflected(s, b.direction);
        b.weight = Reflected(r.diffuse / b.density, r.specular / b.density);
    } else {
        b.density = 1e-20;
    }
    return b;
}
