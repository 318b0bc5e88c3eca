// Rays through the two levels of trees.

#include "hits.glsl"
#include "shapes.glsl"
#include "textures.glsl"

// Some material of the wave has holes.
layout(constant_id = 0) const bool HAS_HOLES = true;

// Processors find waiting entries in shared memory sooner, GPUs in private memory.
layout(constant_id = 2) const bool IS_ON_PROCESSOR = true;
layout(constant_id = 3) const uint GROUP_ENTRIES = 64u * (2u * MAX_WAITING + 3u);
shared uint group_waiting[GROUP_ENTRIES];
uint own_waiting[2u * MAX_WAITING + 3u];

// A node or leaf on its way: first node or item, and above it the number of items.
const uint ITEMS_SHIFT = 27u;
const uint FIRST_MASK = (1u << ITEMS_SHIFT) - 1u;
// The mesh is done.
const uint LEAVE = 0xffffffffu;
// Everything is done.
const uint DONE = 0xfffffffeu;
// Bits above the distance of a child that is missed.
const uint MISSED = 0xffffffffu;

// 1 / d without infinities times zero.
vec3 inverse_of(vec3 d) {
    vec3 tiny = vec3(1e-20);
    return 1.0 / mix(d, tiny, lessThan(abs(d), tiny));
}

// Whether there is a hole at a place of a triangle. `shape`: where the shape lies.
bool is_hole(uint shape, uint triangle, vec2 weights) {
    uvec4 holes = scene[shape + 4u];
    uint at = picture.triangles + triangle * FlatTriangle_STRIDE;
    vec3 w = vec3(1.0 - weights.x - weights.y, weights);
    vec2 uv = w.x * vec2(column(at).w, column(at + 3u).w) + w.y * vec2(column(at + 1u).w, column(at + 4u).w)
        + w.z * vec2(column(at + 2u).w, column(at + 5u).w);
    float alpha = 1.0;
    if (holes.x != 0u) {
        alpha = image_alpha(FlatImage(holes.x, holes.y, holes.z, 0u), uv);
    }
    return alpha < uintBitsToFloat(holes.w);
}

// Where a ray enters the children of a node: bits of the distance, its last two the child's; MISSED where it does not.
uvec4 entered(uint node, vec3 o, vec3 inverse, float low, float high) {
    vec3 start = -o * inverse;
    // 1 where the ray meets the high side first.
    uvec3 back = floatBitsToUint(inverse) >> 31u;
    vec4 near = max(
        max(column(node + back.x) * inverse.x + start.x, column(node + 2u + back.y) * inverse.y + start.y),
        max(column(node + 4u + back.z) * inverse.z + start.z, vec4(low))
    );
    vec4 far = min(
        min(column(node + 1u - back.x) * inverse.x + start.x, column(node + 3u - back.y) * inverse.y + start.y),
        min(column(node + 5u - back.z) * inverse.z + start.z, vec4(high))
    );
    uvec4 keys = floatBitsToUint(near) & ~3u | uvec4(0u, 1u, 2u, 3u);
    // More than what rounding takes.
    return mix(uvec4(MISSED), keys, lessThanEqual(near, far * 1.000002));
}

uint entry_of(uvec4 entries, uint key) {
    uint low = (key & 1u) == 0u ? entries.x : entries.y;
    uint high = (key & 1u) == 0u ? entries.z : entries.w;
    return (key & 2u) == 0u ? low : high;
}

// `depth`: entries that wait. In shared memory those of a ray lie a group apart.
void push(inout uint depth, uint entry) {
    if (IS_ON_PROCESSOR) {
        group_waiting[depth * 64u + gl_LocalInvocationIndex] = entry;
    } else {
        own_waiting[depth] = entry;
    }
    depth += 1u;
}

uint pop(inout uint depth) {
    depth -= 1u;
    if (IS_ON_PROCESSOR) {
        return group_waiting[depth * 64u + gl_LocalInvocationIndex];
    }
    return own_waiting[depth];
}

// The entry after an inner node: its nearest child, or else the last that waits. Further children wait.
uint after_node(uint node, vec3 o, vec3 inverse, float low, float high, inout uint depth) {
    uvec4 keys = entered(node, o, inverse, low, high);
    uvec4 entries = scene[node + 6u];
    // Nearest first: a network of five comparisons.
    keys = uvec4(min(keys.xz, keys.yw), max(keys.xz, keys.yw)).xzyw;
    keys = uvec4(min(keys.xy, keys.zw), max(keys.xy, keys.zw));
    keys.yz = uvec2(min(keys.y, keys.z), max(keys.y, keys.z));
    if (keys.w != MISSED) {
        push(depth, entry_of(entries, keys.w));
    }
    if (keys.z != MISSED) {
        push(depth, entry_of(entries, keys.z));
    }
    if (keys.y != MISSED) {
        push(depth, entry_of(entries, keys.y));
    }
    return keys.x != MISSED ? entry_of(entries, keys.x) : pop(depth);
}

// The nearest surface between `low` and `high`, or with `is_any` some surface there. d is unit.
Hit trace(vec3 o, vec3 d, float low, float high, bool is_any) {
    Hit hit = Hit(high, NONE, 0u);
    if (!has(HAS_INSTANCES) || high <= low) {
        return hit;
    }
    uint depth = 0u;
    push(depth, DONE);
    // The ray in the space of the level.
    vec3 oo = o;
    vec3 dd = d;
    vec3 inverse = inverse_of(d);
    uint nodes = picture.top;
    bool is_in_mesh = false;
    uint instance = NONE;
    bool has_holes = false;
    uint entry = picture.top_entry;
    while (true) {
        if (entry == LEAVE) {
            oo = o;
            dd = d;
            inverse = inverse_of(d);
            nodes = picture.top;
            is_in_mesh = false;
            entry = pop(depth);
        }
        if (entry == DONE) {
            break;
        }
        if (entry <= FIRST_MASK) {
            // A processor runs both sides of a branch for all rays of a vector: they reach the dear leaves together.
            do {
                entry = after_node(nodes + entry * WideNode_STRIDE, oo, inverse, low, hit.distance, depth);
            } while (IS_ON_PROCESSOR && entry <= FIRST_MASK);
            if (!IS_ON_PROCESSOR || entry >= DONE) {
                continue;
            }
        }
        uint first = entry & FIRST_MASK;
        uint count = entry >> ITEMS_SHIFT;
        if (is_in_mesh) {
            for (uint i = first; i < first + count; i++) {
                uint at = picture.triangles + i * FlatTriangle_STRIDE;
                vec2 weights;
                float t = triangle_distance(oo, dd, column(at).xyz, column(at + 1u).xyz, column(at + 2u).xyz, low,
                    hit.distance, weights);
                if (t < hit.distance) {
                    if (HAS_HOLES && has_holes && is_hole(picture.shapes + instance * Shape_STRIDE, i, weights)) {
                        continue;
                    }
                    hit = Hit(t, instance, i);
                }
            }
        } else {
            instance = first;
            if (count > 1u) {
                push(depth, (first + 1u) | (count - 1u) << ITEMS_SHIFT);
            }
            uint at = picture.shapes + instance * Shape_STRIDE;
            vec4 x = column(at);
            vec4 y = column(at + 1u);
            vec4 z = column(at + 2u);
            uvec4 about = scene[at + 3u];
            vec3 own_o = vec3(dot(x.xyz, o) + x.w, dot(y.xyz, o) + y.w, dot(z.xyz, o) + z.w);
            vec3 own_d = vec3(dot(x.xyz, d), dot(y.xyz, d), dot(z.xyz, d));
            if (about.x == KIND_MESH) {
                push(depth, LEAVE);
                oo = own_o;
                dd = own_d;
                inverse = inverse_of(dd);
                has_holes = about.z != 0u;
                is_in_mesh = true;
                nodes = picture.nodes;
                entry = about.y;
                continue;
            }
            float t = hit.distance;
            if (about.x == KIND_SPHERE) {
                t = sphere_distance(own_o, own_d, low, hit.distance);
            } else if (about.x == KIND_BOX) {
                t = box_distance(own_o, inverse_of(own_d), low, hit.distance);
            } else {
                t = cylinder_distance(own_o, own_d, low, hit.distance);
            }
            if (t < hit.distance) {
                hit = Hit(t, instance, 0u);
            }
        }
        entry = is_any && hit.instance != NONE ? DONE : pop(depth);
    }
    return hit;
}
