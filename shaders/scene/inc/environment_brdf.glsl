// How much of an even surrounding a GGX coat reflects: the specular albedo of a pixel.
// Scalars in, scalars out, no bindings: to be copied into any renderer.

// Smoother surfaces are perfect mirrors.
const float ROUGHNESS_OF_MIRRORS = 0.03;

// Of height-correlated Smith GGX with alpha = r * r, single scattering, Schlick's Fresnel: reflectance is f0 * A + B.
// n_dot_v: cosine between normal and view, 0..1. r: linear roughness, 0..1.
// Polynomials fitted to 41 x 49 integrals of 8192 samples: A + B within 0.5 % of its value, B within 0.011.
vec2 environment_brdf(float n_dot_v, float r) {
    float y = 1.0 - n_dot_v;
    float y2 = y * y;
    if (r < ROUGHNESS_OF_MIRRORS) {
        return vec2(1.0 - y2 * y2 * y, y2 * y2 * y);
    }
    float alpha = r * r;
    float x = n_dot_v / max(n_dot_v + 0.7 * alpha, 1e-6);
    float near_grazing = ((((-12.5889) * r
        + -9.3676 * x + 10.2037) * r
        + (0.4335 * x + 7.0415) * x + -5.1266) * r
        + ((0.2112 * x + 0.4604) * x + -3.7427) * x + 1.2401) * r
        + (((-5.3007 * x + 6.9727) * x + -2.5974) * x + 0.9289) * x + -0.1275;
    float everywhere = ((((-0.3923) * r
        + -9.5366 * x + 3.6124) * r
        + (-6.1280 * x + 16.3374) * x + 3.7484) * r
        + ((5.5527 * x + -1.5624) * x + -10.9300) * x + -0.7263) * r
        + (((-0.3518 * x + -2.1795) * x + -1.7460) * x + 5.2954) * x + 0.1688;
    float lost = clamp((1.0 - x) * near_grazing + alpha * everywhere, 0.0, 0.75);
    float b = y2 * (1.0496 * y2 * y
        + ((((-1.8974) * r
        + -2.6076 * x + 3.3859) * r
        + (-7.1339 * x + 8.7586) * x + -0.6350) * r
        + ((-5.4209 * x + 13.0040) * x + -5.7420) * x + -1.7055) * r
        + (((-2.5427 * x + 6.8528) * x + -5.9467) * x + 1.7601) * x + -0.1620);
    b = clamp(b, 0.0, 1.0 - lost);
    return vec2(1.0 - lost - b, b);
}

// What single scattering loses is given back in the colour of the coat: a white metal reflects everything.
float energy_gain_of(vec2 ab) {
    return 1.0 / (ab.x + ab.y) - 1.0;
}

// The specular albedo: f0 of metals is their base colour, of dielectrics usually 0.04; f0 of 0 means no coat.
vec3 specular_albedo(vec3 f0, float n_dot_v, float r) {
    vec2 ab = environment_brdf(n_dot_v, r);
    float f90 = clamp(dot(f0, vec3(25.0)), 0.0, 1.0);
    return min((f0 * ab.x + f90 * ab.y) * (1.0 + f0 * energy_gain_of(ab)), vec3(1.0));
}
