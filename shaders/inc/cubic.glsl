// Catmull-Rom weights of the four texels around a position t behind the second; mirrors native/shaders/src/cpu/cubic.rs.

vec4 cubic_weights(float t) {
    float t2 = t * t;
    float t3 = t2 * t;
    return vec4(t2 - (t + t3) * 0.5, 1.0 - t2 * 2.5 + t3 * 1.5,
        t * 0.5 + t2 * 2.0 - t3 * 1.5, (t3 - t2) * 0.5);
}
