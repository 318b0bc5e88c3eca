// Rectangles seen from nearby, sampled evenly over their solid angle (Urena et al. 2013): by area, few samples would hold
// most of the light.

// A rectangle from a receiver: its sides along x and y, z0 below it in the direction z.
struct RectangleView {
    vec3 x;
    vec3 y;
    vec3 z;
    vec2 low;
    vec2 high;
    float z0;
    // Heights of the planes through the receiver and the sides along x.
    float b0;
    float b1;
    // Where the inner angles begin.
    float first;
    // Solid angle in sr; 0: far away, seen from behind or not a rectangle, to be sampled by area.
    float angle;
};

RectangleView rectangle_view(vec3 corner, vec3 edge_u, vec3 edge_v, vec3 o) {
    RectangleView r;
    r.angle = 0.0;
    vec3 to_middle = corner + 0.5 * (edge_u + edge_v) - o;
    float u2 = dot(edge_u, edge_u);
    float v2 = dot(edge_v, edge_v);
    float skew = dot(edge_u, edge_v);
    // Small angles are small differences of large ones.
    if (dot(to_middle, to_middle) > u2 + v2 || skew * skew > 1e-6 * u2 * v2) {
        return r;
    }
    vec2 sides = sqrt(vec2(u2, v2));
    r.x = edge_u / sides.x;
    r.y = edge_v / sides.y;
    r.z = cross(r.x, r.y);
    vec3 to = corner - o;
    r.z0 = dot(to, r.z);
    if (r.z0 > -1e-4 * (sides.x + sides.y)) {
        return r;
    }
    r.low = vec2(dot(to, r.x), dot(to, r.y));
    r.high = r.low + sides;
    float z2 = r.z0 * r.z0;
    vec2 from = -r.low / sqrt(z2 + r.low * r.low);
    vec2 until = r.high / sqrt(z2 + r.high * r.high);
    r.b0 = from.y;
    r.b1 = until.y;
    r.first = 2.0 * PI - acos(-until.y * from.x) - acos(-from.x * from.y);
    r.angle = acos(-from.y * until.x) + acos(-until.x * until.y) - r.first;
    // Nearly edge-on.
    r.angle = r.angle < 0.02 ? 0.0 : r.angle;
    return r;
}

// From the receiver to a point of the rectangle.
vec3 rectangle_point(RectangleView r, vec2 u) {
    float angle = u.x * r.angle + r.first;
    float f = (cos(angle) * r.b0 - r.b1) / sin(angle);
    float c = clamp((f > 0.0 ? 1.0 : -1.0) / sqrt(f * f + r.b0 * r.b0), -1.0, 1.0);
    float x = clamp(-c * r.z0 / sqrt(max(1.0 - c * c, 1e-12)), r.low.x, r.high.x);
    float d2 = x * x + r.z0 * r.z0;
    float h0 = r.low.y / sqrt(d2 + r.low.y * r.low.y);
    float h1 = r.high.y / sqrt(d2 + r.high.y * r.high.y);
    float h = mix(h0, h1, u.y);
    float y = clamp(h * sqrt(d2 / max(1.0 - h * h, 1e-12)), r.low.y, r.high.y);
    return r.x * x + r.y * y + r.z * r.z0;
}
