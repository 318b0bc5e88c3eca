// Images and patterns on surfaces.

#include "random.glsl"

float linear_of(float encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

// Index of a texel beside the picture's first; x and y lie within one size of the image.
uint texel_index(FlatImage image, ivec2 place) {
    ivec2 size = ivec2(image.width, image.height);
    place -= mix(ivec2(0), size, greaterThanEqual(place, size));
    return image.first_texel + uint(place.y) * image.width + uint(place.x);
}

vec4 texel_at(FlatImage image, ivec2 place) {
    uint index = texel_index(image, place);
    vec4 texel = unpackUnorm4x8(scene[picture.texels + index / 4u][index % 4u]);
    if (image.is_srgb != 0u) {
        texel.rgb = vec3(linear_of(texel.r), linear_of(texel.g), linear_of(texel.b));
    }
    return texel;
}

// The texel at the lower corner of a place, and the place within it. Repeating.
ivec2 lower_texel(FlatImage image, vec2 uv, out vec2 part) {
    vec2 size = vec2(image.width, image.height);
    vec2 place = (uv - floor(uv)) * size - 0.5;
    vec2 corner = floor(place);
    part = place - corner;
    // Rounding may bring uv - floor(uv) to 1.
    ivec2 whole = min(ivec2(corner), ivec2(size) - 1);
    return whole + mix(ivec2(0), ivec2(size), lessThan(whole, ivec2(0)));
}

// Bilinear.
vec4 image_texel(uint index, vec2 uv) {
    FlatImage image = load_FlatImage(picture.images + index * FlatImage_STRIDE);
    vec2 part;
    ivec2 corner = lower_texel(image, uv, part);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; i++) {
        ivec2 step = ivec2(i & 1, i >> 1);
        vec2 share = mix(1.0 - part, part, vec2(step));
        sum += texel_at(image, corner + step) * (share.x * share.y);
    }
    return sum;
}

float texel_alpha(FlatImage image, ivec2 place) {
    uint index = texel_index(image, place);
    return float(scene[picture.texels + index / 4u][index % 4u] >> 24u) / 255.0;
}

float image_alpha(FlatImage image, vec2 uv) {
    vec2 part;
    ivec2 corner = lower_texel(image, uv, part);
    vec2 left = vec2(texel_alpha(image, corner), texel_alpha(image, corner + ivec2(0, 1)));
    vec2 right = vec2(texel_alpha(image, corner + ivec2(1, 0)), texel_alpha(image, corner + ivec2(1, 1)));
    vec2 both = mix(left, right, part.x);
    return mix(both.x, both.y, part.y);
}

float cell_noise(vec2 cell) {
    ivec2 i = ivec2(cell);
    return to_unit(mix_bits(uint(i.x) * 0x8da6b343u ^ mix_bits(uint(i.y))));
}

float value_noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = p - cell;
    f = f * f * (3.0 - 2.0 * f);
    return mix(
        mix(cell_noise(cell), cell_noise(cell + vec2(1.0, 0.0)), f.x),
        mix(cell_noise(cell + vec2(0.0, 1.0)), cell_noise(cell + vec2(1.0, 1.0)), f.x),
        f.y
    );
}

// Strokes on a raster of 4 x 6 in each cell: columns and rows chosen by the cell, margins left free.
float glyph(vec2 p) {
    vec2 cell = floor(p);
    ivec2 dot_at = ivec2((p - cell) * vec2(4.0, 6.0));
    if (dot_at.x == 3 || dot_at.y == 5 || cell_noise(cell * 7.0) < 0.15) {
        return 0.0;
    }
    uint bits = mix_bits(floatBitsToUint(cell_noise(cell)));
    bool is_column = (bits >> uint(dot_at.x) & 1u) != 0u;
    bool is_row = dot_at.y % 2 == 0 && (bits >> (4u + uint(dot_at.y) / 2u) & 1u) != 0u;
    return is_column || is_row ? 1.0 : 0.0;
}

// Share of the second colour.
float pattern_at(uint pattern, vec2 uv, float scale) {
    vec2 p = uv / max(scale, 1e-6);
    vec2 part = p - floor(p);
    if (pattern == PATTERN_CHECKER) {
        return (part.x < 0.5) == (part.y < 0.5) ? 0.0 : 1.0;
    }
    if (pattern == PATTERN_STRIPES) {
        return part.x < 0.5 ? 0.0 : 1.0;
    }
    if (pattern == PATTERN_GRID) {
        return min(part.x, part.y) < 0.08 ? 1.0 : 0.0;
    }
    if (pattern == PATTERN_NOISE) {
        float sum = 0.0;
        float share = 0.5;
        for (int octave = 0; octave < 4; octave++) {
            sum += value_noise(p) * share;
            p *= 2.0;
            share *= 0.5;
        }
        return sum / 0.9375;
    }
    return pattern == PATTERN_GLYPHS ? glyph(p) : 0.0;
}
