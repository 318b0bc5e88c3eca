// Rays against the shapes of an instance, in its own space. Each gives the smallest distance in (low, high), or high.

float sphere_distance(vec3 o, vec3 d, float low, float high) {
    float a = dot(d, d);
    float b = dot(o, d);
    // The distance of the line from the centre, not a difference of large squares.
    vec3 nearest = o - d * (b / a);
    float rest = 1.0 - dot(nearest, nearest);
    if (rest < 0.0) {
        return high;
    }
    float root = sqrt(a * rest);
    float q = b < 0.0 ? root - b : -root - b;
    float c = dot(o, o) - 1.0;
    float t0 = b < 0.0 ? c / q : q / a;
    float t1 = b < 0.0 ? q / a : c / q;
    float t = t0 > low ? t0 : t1;
    return t > low && t < high ? t : high;
}

float box_distance(vec3 o, vec3 inverse, float low, float high) {
    vec3 a = (-1.0 - o) * inverse;
    vec3 b = (1.0 - o) * inverse;
    vec3 smaller = min(a, b);
    vec3 larger = max(a, b);
    float t0 = max(max(smaller.x, smaller.y), smaller.z);
    float t1 = min(min(larger.x, larger.y), larger.z);
    if (!(t0 <= t1)) {
        return high;
    }
    float t = t0 > low ? t0 : t1;
    return t > low && t < high ? t : high;
}

float cylinder_distance(vec3 o, vec3 d, float low, float high) {
    float best = high;
    float a = dot(d.xz, d.xz);
    if (a > 0.0) {
        float b = dot(o.xz, d.xz);
        vec2 nearest = o.xz - d.xz * (b / a);
        float rest = 1.0 - dot(nearest, nearest);
        if (rest < 0.0) {
            return high;
        }
        float root = sqrt(a * rest);
        float q = b < 0.0 ? root - b : -root - b;
        float c = dot(o.xz, o.xz) - 1.0;
        float t0 = b < 0.0 ? c / q : q / a;
        float t1 = b < 0.0 ? q / a : c / q;
        if (t0 > low && t0 < best && abs(o.y + d.y * t0) <= 1.0) {
            best = t0;
        } else if (t1 > low && t1 < best && abs(o.y + d.y * t1) <= 1.0) {
            best = t1;
        }
    }
    for (float side = -1.0; side <= 1.0; side += 2.0) {
        float t = (side - o.y) / d.y;
        vec2 p = o.xz + d.xz * t;
        if (t > low && t < best && dot(p, p) <= 1.0) {
            best = t;
        }
    }
    return best;
}

// Barycentric weights of the second and third corner in uv.
float triangle_distance(vec3 o, vec3 d, vec3 p0, vec3 p1, vec3 p2, float low, float high, out vec2 uv) {
    vec3 e1 = p1 - p0;
    vec3 e2 = p2 - p0;
    vec3 h = cross(d, e2);
    float det = dot(e1, h);
    float inverse = 1.0 / det;
    vec3 s = o - p0;
    vec3 q = cross(s, e1);
    uv = vec2(dot(s, h), dot(d, q)) * inverse;
    float t = dot(e2, q) * inverse;
    bool is_inside = det != 0.0 && uv.x >= 0.0 && uv.y >= 0.0 && uv.x + uv.y <= 1.0;
    return is_inside && t > low && t < high ? t : high;
}
