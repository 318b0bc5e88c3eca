// Colour at the door and in luma/chroma; mirrors native/shaders/src/cpu/color.rs.

#include "exact.glsl"

float luma(vec3 c) {
    return (c.r + c.b) * 0.25 + c.g * 0.5;
}

vec3 to_luma_chroma(vec3 c) {
    return vec3(luma(c), (c.r - c.b) * 0.5, c.g * 0.5 - (c.r + c.b) * 0.25);
}

vec3 from_luma_chroma(vec3 y) {
    float rest = y.x - y.z;
    return vec3(rest + y.y, y.x + y.z, rest - y.y);
}

// IEC 61966-2-1, v in [0, 1]
float srgb_to_linear(float v) {
    if (v <= 0.04045) return v * 0.07739938;
    return exact_exp2(exact_log2((v + 0.055) * 0.9478673) * 2.4);
}

// IEC 61966-2-1, v in [0, 65504]
float linear_to_srgb(float v) {
    if (v <= 0.0031308) return v * 12.92;
    return exact_exp2(exact_log2(max(v, SMALLEST)) * 0.41666666) * 1.055 - 0.055;
}

// Linear light in [0, 65504], alpha in [0, 1]. Where not every channel of the light is finite, it means nothing.
vec4 color_at_door(vec4 stored, out bool finite) {
    finite = is_finite(stored.r) && is_finite(stored.g) && is_finite(stored.b);
    vec4 c = stored;
    if (params.is_color_unorm8 != 0u) {
        // The exact 8-bit value, whatever the driver's division by 255 gave.
        c = roundEven(c * 255.0) * 0.003921569;
    }
    c.a = min(max(door(c.a, 0.0), 0.0), 1.0);
    c.rgb = vec3(positive_door(c.r), positive_door(c.g), positive_door(c.b));
    if (params.color_encoding == COLOR_ENCODING_SRGB_LDR) {
        c.r = door(srgb_to_linear(c.r), 0.0);
        c.g = door(srgb_to_linear(c.g), 0.0);
        c.b = door(srgb_to_linear(c.b), 0.0);
    }
    return c;
}

// Linear light in the encoding of the output.
vec3 encode(vec3 c) {
    if (params.color_encoding == COLOR_ENCODING_SRGB_LDR) {
        return vec3(linear_to_srgb(c.r), linear_to_srgb(c.g), linear_to_srgb(c.b));
    }
    return c;
}
