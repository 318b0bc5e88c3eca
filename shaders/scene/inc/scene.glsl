// Everything that rays and light read: one buffer of arrays, found by the picture's offsets, in units of 16 bytes.

#include "blocks.glsl"

layout(set = 0, binding = 0, std430) readonly buffer SceneData { uvec4 scene[]; };
// The planes of all pictures, 32-bit words.
layout(set = 0, binding = 1, std430) buffer Planes { uint planes[]; };
// Two pixels' worth of 16 bytes for each pixel of a frame: its surface, and its chosen light sample.
layout(set = 0, binding = 2, std430) buffer History { uvec4 history[]; };

#include "loaders.glsl"

const float PI = 3.14159265358979;
// Longer than any ray.
const float FAR_AWAY = 1e30;
// Offset of what is absent.
const uint NONE = 0xffffffffu;

Picture picture;

FlatMaterial material_at(uint index) {
    return load_FlatMaterial(picture.materials + index * FlatMaterial_STRIDE);
}

FlatLight light_at(uint index) {
    return load_FlatLight(picture.lights + index * FlatLight_STRIDE);
}

vec4 column(uint at) {
    return uintBitsToFloat(scene[at]);
}

bool has(uint flag) {
    return (picture.flags & flag) != 0u;
}

float luminance(vec3 color) {
    return dot(color, vec3(0.25, 0.5, 0.25));
}
