// Hits among the paths.

#include "paths.glsl"

struct Hit {
    float distance;
    // NONE: nothing was hit.
    uint instance;
    // Index of a mesh's triangle.
    uint triangle;
};

void put_hit(uint list, Hit hit) {
    paths[(PATH_HIT + list) * picture.path_stride + path] =
        uvec4(floatBitsToUint(hit.distance), hit.instance, hit.triangle, 0u);
}

Hit hit_of(uint list) {
    uvec4 hit = paths[(PATH_HIT + list) * picture.path_stride + path];
    return Hit(uintBitsToFloat(hit.x), hit.y, hit.z);
}

bool is_hit(Hit hit) {
    return hit.instance != NONE;
}
