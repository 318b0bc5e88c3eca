// Rays through the two levels of trees.

#include "scene.glsl"
#include "shapes.glsl"
#include "textures.glsl"

struct Hit {
    float distance;
    uint instance;
    // Index of a mesh's triangle.
    uint triangle;
    // Barycentric weights of the triangle's second and third corner.
    vec2 weights;
};

// Far children of both levels, and the mark of the level's change.
const uint STACK = 63u;

// A node on its way: first child or item, and above it the number of items.
const uint ITEMS_SHIFT = 27u;
const uint FIRST_MASK = (1u << ITEMS_SHIFT) - 1u;
// The mesh is done.
const uint LEAVE = 0xffffffffu;

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
// One loop for both levels, so that neighbouring rays stay together whichever they are in.
bool trace(vec3 o, vec3 d, float low, float high, bool is_any, out Hit hit) {
    hit = Hit(high, NONE, 0u, vec2(0.0));
    if (!has(HAS_INSTANCES) || high <= low) {
        return false;
    }
    uint stack[STACK];
    uint depth = 0u;
    // The ray in the space of the level.
    vec3 oo = o;
    vec3 dd = d;
    vec3 inverse = inverse_of(d);
    uint nodes = picture.top;
    bool is_in_mesh = false;
    uint instance = NONE;
    uint material = 0u;
    bool has_cutoff = false;
    uint entry = scene[nodes].w | scene[nodes + 1u].w << ITEMS_SHIFT;
    while (true) {
        uint first = entry & FIRST_MASK;
        uint count = entry >> ITEMS_SHIFT;
        bool is_next_known = false;
        if (entry == LEAVE) {
            oo = o;
            dd = d;
            inverse = inverse_of(d);
            nodes = picture.top;
            is_in_mesh = false;
        } else if (count == 0u) {
            uint at = nodes + first * 2u;
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
            is_next_known = is_0 || is_1;
            if (is_0 && is_1) {
                stack[min(depth, STACK - 1u)] = is_swapped ? entry_0 : entry_1;
                depth += 1u;
            }
        } else if (is_in_mesh) {
            for (uint i = first; i < first + count; i++) {
                uint at = picture.triangles + i * FlatTriangle_STRIDE;
                vec2 weights;
                float t = triangle_distance(oo, dd, column(at).xyz, column(at + 1u).xyz, column(at + 2u).xyz, low,
                    hit.distance, weights);
                if (t < hit.distance && !(has_cutoff && is_cut_out(i, weights, material))) {
                    hit = Hit(t, instance, i, weights);
                }
            }
        } else {
            instance = first;
            if (count > 1u) {
                stack[min(depth, STACK - 1u)] = (first + 1u) | (count - 1u) << ITEMS_SHIFT;
                depth += 1u;
            }
            uint at = picture.instances + instance * FlatInstance_STRIDE;
            // Affine: the fourth row is (0, 0, 0, 1).
            mat4x3 to_object =
                mat4x3(column(at + 4u).xyz, column(at + 5u).xyz, column(at + 6u).xyz, column(at + 7u).xyz);
            uvec4 about = scene[at + 12u];
            oo = to_object * vec4(o, 1.0);
            dd = to_object * vec4(d, 0.0);
            if (about.x == KIND_MESH) {
                stack[min(depth, STACK - 1u)] = LEAVE;
                depth += 1u;
                inverse = inverse_of(dd);
                material = about.z;
                has_cutoff = (about.w & INSTANCE_HAS_CUTOFF) != 0u;
                is_in_mesh = true;
                nodes = picture.nodes;
                uint root = nodes + about.y * 2u;
                entry = scene[root].w | scene[root + 1u].w << ITEMS_SHIFT;
                is_next_known = true;
            } else {
                float t = hit.distance;
                if (about.x == KIND_SPHERE) {
                    t = sphere_distance(oo, dd, low, hit.distance);
                } else if (about.x == KIND_BOX) {
                    t = box_distance(oo, inverse_of(dd), low, hit.distance);
                } else {
                    t = cylinder_distance(oo, dd, low, hit.distance);
                }
                if (t < hit.distance) {
                    hit = Hit(t, instance, 0u, vec2(0.0));
                }
                oo = o;
                dd = d;
            }
        }
        if (!is_next_known) {
            if (depth == 0u || (is_any && hit.instance != NONE)) {
                break;
            }
            depth -= 1u;
            entry = stack[min(depth, STACK - 1u)];
        }
    }
    return hit.instance != NONE;
}
