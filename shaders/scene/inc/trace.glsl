// Rays through the two levels of trees.

#include "hits.glsl"
#include "shapes.glsl"
#include "textures.glsl"

// Far children of both levels, the rest of a leaf, the mark of the level's change, the end.
const uint STACK = 2u * MAX_TREE_DEPTH + 1u;

// A node on its way: first child or item, and above it the number of items.
const uint ITEMS_SHIFT = 27u;
const uint FIRST_MASK = (1u << ITEMS_SHIFT) - 1u;
// The mesh is done.
const uint LEAVE = 0xffffffffu;
// Everything is done.
const uint DONE = 0xfffffffeu;

// 1 / d without infinities times zero.
vec3 inverse_of(vec3 d) {
    vec3 tiny = vec3(1e-20);
    return 1.0 / mix(d, tiny, lessThan(abs(d), tiny));
}

bool is_cut_out(uint triangle, vec2 weights, uint material) {
    uint at = picture.triangles + triangle * FlatTriangle_STRIDE;
    vec3 w = vec3(1.0 - weights.x - weights.y, weights);
    vec2 uv = w.x * vec2(column(at).w, column(at + 3u).w) + w.y * vec2(column(at + 1u).w, column(at + 4u).w)
        + w.z * vec2(column(at + 2u).w, column(at + 5u).w);
    FlatMaterial m = material_at(material);
    float alpha = m.base_color.a;
    if (m.base_image != 0u) {
        alpha *= image_texel(m.base_image - 1u, uv).a;
    }
    return alpha < m.alpha_cutoff;
}

// The nearest surface between `low` and `high`, or with `is_any` some surface there. d is unit.
// Inner nodes of both levels take a loop of their own, so that neighbouring rays reach the dear leaves together.
Hit trace(vec3 o, vec3 d, float low, float high, bool is_any) {
    Hit hit = Hit(high, NONE, 0u);
    if (!has(HAS_INSTANCES) || high <= low) {
        return hit;
    }
    uint stack[STACK];
    stack[0] = DONE;
    uint depth = 1u;
    // The ray in the space of the level.
    vec3 oo = o;
    vec3 dd = d;
    vec3 inverse = inverse_of(d);
    uint nodes = picture.top;
    bool is_in_mesh = false;
    uint instance = NONE;
    uint material = NONE;
    uint entry = scene[nodes].w | scene[nodes + 1u].w << ITEMS_SHIFT;
    while (entry != DONE) {
        while (entry <= FIRST_MASK) {
            uint at = nodes + entry * 2u;
            uvec4 a0 = scene[at];
            uvec4 b0 = scene[at + 1u];
            uvec4 a1 = scene[at + 2u];
            uvec4 b1 = scene[at + 3u];
            vec2 span_0 = node_span(uintBitsToFloat(a0.xyz), uintBitsToFloat(b0.xyz), oo, inverse);
            vec2 span_1 = node_span(uintBitsToFloat(a1.xyz), uintBitsToFloat(b1.xyz), oo, inverse);
            bool is_0 = span_0.x <= span_0.y && span_0.x < hit.distance && span_0.y > low;
            bool is_1 = span_1.x <= span_1.y && span_1.x < hit.distance && span_1.y > low;
            uint entry_0 = a0.w | b0.w << ITEMS_SHIFT;
            uint entry_1 = a1.w | b1.w << ITEMS_SHIFT;
            bool is_swapped = !is_0 || (is_1 && span_1.x < span_0.x);
            entry = is_swapped ? entry_1 : entry_0;
            if (is_0 && is_1) {
                stack[depth] = is_swapped ? entry_0 : entry_1;
                depth += 1u;
            } else if (!is_0 && !is_1) {
                depth -= 1u;
                entry = stack[depth];
            }
        }
        uint first = entry & FIRST_MASK;
        uint count = entry >> ITEMS_SHIFT;
        bool is_next_known = false;
        if (entry == LEAVE) {
            oo = o;
            dd = d;
            inverse = inverse_of(d);
            nodes = picture.top;
            is_in_mesh = false;
        } else if (entry == DONE) {
            is_next_known = true;
        } else if (is_in_mesh) {
            for (uint i = first; i < first + count; i++) {
                uint at = picture.triangles + i * FlatTriangle_STRIDE;
                vec2 weights;
                float t = triangle_distance(oo, dd, column(at).xyz, column(at + 1u).xyz, column(at + 2u).xyz, low,
                    hit.distance, weights);
                if (t < hit.distance && !(material != NONE && is_cut_out(i, weights, material))) {
                    hit = Hit(t, instance, i);
                }
            }
        } else {
            instance = first;
            if (count > 1u) {
                stack[depth] = (first + 1u) | (count - 1u) << ITEMS_SHIFT;
                depth += 1u;
            }
            uint at = picture.instances + instance * FlatInstance_STRIDE;
            // Affine: the fourth row is (0, 0, 0, 1).
            mat4x3 to_object =
                mat4x3(column(at + 4u).xyz, column(at + 5u).xyz, column(at + 6u).xyz, column(at + 7u).xyz);
            uvec4 about = scene[at + 12u];
            vec3 own_o = to_object * vec4(o, 1.0);
            vec3 own_d = to_object * vec4(d, 0.0);
            if (about.x == KIND_MESH) {
                stack[depth] = LEAVE;
                depth += 1u;
                oo = own_o;
                dd = own_d;
                inverse = inverse_of(dd);
                material = (about.w & INSTANCE_HAS_CUTOFF) != 0u ? about.z : NONE;
                is_in_mesh = true;
                nodes = picture.nodes;
                uint root = nodes + about.y * 2u;
                entry = scene[root].w | scene[root + 1u].w << ITEMS_SHIFT;
                is_next_known = true;
            } else {
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
        }
        if (!is_next_known) {
            depth -= 1u;
            entry = is_any && hit.instance != NONE ? DONE : stack[depth];
        }
    }
    return hit;
}
