// Directions: frames around a normal, and points of discs, cones and hemispheres.

// Two unit vectors that make a right-handed frame with unit n (Duff et al. 2017).
void frame_of(vec3 n, out vec3 t, out vec3 b) {
    float s = n.z >= 0.0 ? 1.0 : -1.0;
    float a = -1.0 / (s + n.z);
    float c = n.x * n.y * a;
    t = vec3(1.0 + s * n.x * n.x * a, s * c, -s * n.x);
    b = vec3(c, s + n.y * n.y * a, -n.y);
}

vec3 to_frame(vec3 local, vec3 n) {
    vec3 t, b;
    frame_of(n, t, b);
    return normalize(t * local.x + b * local.y + n * local.z);
}

// Density cos / pi around +z.
vec3 cosine_direction(vec2 u) {
    float r = sqrt(u.x);
    float phi = 2.0 * PI * u.y;
    return vec3(r * cos(phi), r * sin(phi), sqrt(max(1.0 - u.x, 0.0)));
}

// Even over the directions around +z with 1 - cos up to `height`.
vec3 cone_direction(vec2 u, float height) {
    float down = u.x * height;
    float r = sqrt(max(down * (2.0 - down), 0.0));
    float phi = 2.0 * PI * u.y;
    return vec3(r * cos(phi), r * sin(phi), 1.0 - down);
}
