#version 450
// Follows the rays that left a surface. Lists lie side by side along x, so all of a group's rays want the same.
// in: rays of the paths; out: their hits.

#include "trace.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
    picture = load_Picture(gl_WorkGroupID.z * Picture_STRIDE);
    uint list = gl_WorkGroupID.x / tiles_across();
    if (list == LIST_MIRRORED && !has(HAS_GUIDES) && !has(IS_SPLIT)) {
        return;
    }
    uvec3 tile = gl_WorkGroupID;
    tile.x -= list * tiles_across();
    if (!find_path(tile)) {
        return;
    }
    bool is_aimed = list == LIST_AIMED || (list == LIST_SURROUNDING && has(IS_SPLIT));
    vec4 from = path_value(PATH_RAY + 2u * list);
    vec3 d = path_value(PATH_RAY + 2u * list + 1u).xyz;
    put_hit(list, trace(from.xyz, d, 0.0, from.w, is_aimed));
}
