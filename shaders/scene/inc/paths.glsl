// Paths on their way through the kernels of a wave: one array for each quantity, one element for each path.

#include "random.glsl"
#include "scene.glsl"

layout(set = 0, binding = 3, std430) buffer Paths { uvec4 paths[]; };

// Lists of rays that one dispatch follows; each path has at most one ray in each.
// Towards a chosen light: what matters is whether something is in between.
const uint LIST_AIMED = 0u;
// As a surface reflects: the nearest surface is wanted.
const uint LIST_REFLECTED = 1u;
// As a perfect mirror would: for the guide.
const uint LIST_MIRRORED = 2u;
// In pictures of many samples, which have no guides: towards a chosen place of sun or sky.
const uint LIST_SURROUNDING = 2u;

// Arrays. Rays take two for each list: origin and length, direction. Length 0: there is no ray.
const uint PATH_RAY = 0u;
// Hits, one for each list.
const uint PATH_HIT = 6u;
// Light that the first surface or the sky emits.
const uint PATH_EMISSION = 9u;
// Albedo of the first surface, roughness of what reflected the ray that left it.
const uint PATH_ALBEDO = 10u;
// Diffuse light without the albedo, and specular light. Before the aimed ray was followed: what it may bring.
// Fourth: density of the reflected ray, and its cosine with the normal.
const uint PATH_DIFFUSE = 11u;
const uint PATH_SPECULAR = 12u;
// Weights of the ray that left the first surface.
const uint PATH_DIFFUSE_WEIGHT = 13u;
const uint PATH_SPECULAR_WEIGHT = 14u;
// At the second surface: light of the aimed ray, weight of the reflected one. Before: diffuse and specular light that
// sun or sky may bring to the first.
const uint PATH_AIMED = 15u;
const uint PATH_REFLECTED = 16u;
// Light of the particles before the first surface, and the share of what is behind that they hide; where there are any.
const uint PATH_PARTICLES = 17u;
// At the second surface: light that sun or sky may bring.
const uint PATH_SURROUNDING = 18u;

// Each kernel draws its own random numbers, from its dimension on.
const uint DIMENSION_FIRST = 1u;
// Behind two numbers for each of 2 x 65 light samples.
const uint DIMENSION_SECOND = 320u;

// The path of this invocation.
uint path;
uvec2 path_place;
uint path_pixel;
// Index of its sample among those of the pixel.
uint path_sample;

// Finds the path; false where there is none. A group has 8 x 8 pixels of one sample; `tile`: its place among them.
bool find_path(uvec3 tile) {
    picture = load_Picture(tile.z * Picture_STRIDE);
    uint tiles = (picture.row_count + 7u) / 8u;
    uint part = tile.y / tiles;
    uvec2 at = uvec2(tile.x, tile.y - part * tiles) * 8u + gl_LocalInvocationID.xy;
    if (at.x >= picture.width || at.y >= picture.row_count) {
        return false;
    }
    path = picture.path_first + (part * picture.row_count + at.y) * picture.width + at.x;
    path_place = at + uvec2(0u, picture.row_first);
    path_pixel = path_place.y * picture.width + at.x;
    path_sample = picture.sample_first + part;
    return true;
}

uint tiles_across() {
    return (picture.width + 7u) / 8u;
}

vec4 path_value(uint array) {
    return uintBitsToFloat(paths[array * picture.path_stride + path]);
}

void put_path(uint array, vec3 value, float more) {
    paths[array * picture.path_stride + path] = floatBitsToUint(vec4(value, more));
}

void put_ray(uint list, vec3 o, vec3 d, float high) {
    put_path(PATH_RAY + 2u * list, o, high);
    put_path(PATH_RAY + 2u * list + 1u, d, 0.0);
}

void put_no_ray(uint list) {
    put_path(PATH_RAY + 2u * list, vec3(0.0), 0.0);
}

void start_random(uint dimension) {
    random_start(picture.seed, picture.frame, path_pixel, path_sample, picture.sample_total == 1u);
    random_dimension = dimension;
}

// Where the sample lies in the picture, in pixels.
vec2 sample_place() {
    if (has(IS_BOX_FILTERED)) {
        start_random(0u);
        return vec2(path_place) + random2();
    }
    return vec2(path_place) + 0.5 - vec2(picture.jitter_x, picture.jitter_y);
}
