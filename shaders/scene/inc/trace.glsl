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

// Entries of the stacks: a tree's depth, less the leaf.
const uint STACK = 31u;

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

void trace_mesh(uint root, uint material, bool has_cutoff, bool is_any, vec3 o, vec3 d, float low, uint instance,
    inout Hit hit) {
    uint stack[STACK];
    uint depth = 0u;
    vec3 inverse = inverse_of(d);
    uint node = root;
    while (true) {
        uvec4 a = scene[picture.nodes + node * 2u];
        uvec4 b = scene[picture.nodes + node * 2u + 1u];
        if (b.w == 0u) {
            uint left = picture.nodes + a.w * 2u;
            vec3 low_0 = uintBitsToFloat(scene[left].xyz);
            vec3 high_0 = uintBitsToFloat(scene[left + 1u].xyz);
            vec3 low_1 = uintBitsToFloat(scene[left + 2u].xyz);
            vec3 high_1 = uintBitsToFloat(scene[left + 3u].xyz);
            vec2 span_0 = node_span(low_0, high_0, o, inverse);
            vec2 span_1 = node_span(low_1, high_1, o, inverse);
            bool is_0 = span_0.x <= span_0.y && span_0.x < hit.distance && span_0.y > low;
            bool is_1 = span_1.x <= span_1.y && span_1.x < hit.distance && span_1.y > low;
            if (is_0 && is_1) {
                bool is_swapped = span_1.x < span_0.x;
                stack[min(depth, STACK - 1u)] = a.w + (is_swapped ? 0u : 1u);
                depth += 1u;
                node = a.w + (is_swapped ? 1u : 0u);
                continue;
            }
            if (is_0 || is_1) {
                node = a.w + (is_0 ? 0u : 1u);
                continue;
            }
        } else {
            for (uint i = a.w; i < a.w + b.w; i++) {
                uint at = picture.triangles + i * FlatTriangle_STRIDE;
                vec2 weights;
                float t = triangle_distance(o, d, column(at).xyz, column(at + 1u).xyz, column(at + 2u).xyz, low,
                    hit.distance, weights);
                if (t < hit.distance && !(has_cutoff && is_cut_out(i, weights, material))) {
                    hit = Hit(t, instance, i, weights);
                    if (is_any) {
                        return;
                    }
                }
            }
        }
        if (depth == 0u) {
            return;
        }
        depth -= 1u;
        node = stack[min(depth, STACK - 1u)];
    }
}

void trace_instance(uint instance, vec3 o, vec3 d, float low, bool is_any, inout Hit hit) {
    uint at = picture.instances + instance * FlatInstance_STRIDE;
    // Affine: the fourth row is (0, 0, 0, 1).
    mat4x3 to_object = mat4x3(column(at + 4u).xyz, column(at + 5u).xyz, column(at + 6u).xyz, column(at + 7u).xyz);
    uvec4 about = scene[at + 12u];
    vec3 oo = to_object * vec4(o, 1.0);
    vec3 dd = to_object * vec4(d, 0.0);
    if (about.x == KIND_MESH) {
        trace_mesh(about.y, about.z, (about.w & INSTANCE_HAS_CUTOFF) != 0u, is_any, oo, dd, low, instance, hit);
        return;
    }
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
}

// The nearest surface between `low` and `high`, or with `is_any` some surface there. d is unit.
bool trace(vec3 o, vec3 d, float low, float high, bool is_any, out Hit hit) {
    hit = Hit(high, NONE, 0u, vec2(0.0));
    if (!has(HAS_INSTANCES) || high <= low) {
        return false;
    }
    uint stack[STACK];
    uint depth = 0u;
    vec3 inverse = inverse_of(d);
    uint node = 0u;
    while (true) {
        uvec4 a = scene[picture.top + node * 2u];
        uvec4 b = scene[picture.top + node * 2u + 1u];
        vec2 span = node_span(uintBitsToFloat(a.xyz), uintBitsToFloat(b.xyz), o, inverse);
        if (span.x <= span.y && span.x < hit.distance && span.y > low) {
            if (b.w == 0u) {
                // The child on the near side along the node's longest axis comes first.
                vec3 extent = uintBitsToFloat(b.xyz) - uintBitsToFloat(a.xyz);
                bool is_x = extent.x >= extent.y && extent.x >= extent.z;
                float along = is_x ? d.x : (extent.y >= extent.z ? d.y : d.z);
                stack[min(depth, STACK - 1u)] = a.w + (along < 0.0 ? 0u : 1u);
                depth += 1u;
                node = a.w + (along < 0.0 ? 1u : 0u);
                continue;
            }
            for (uint i = a.w; i < a.w + b.w; i++) {
                trace_instance(i, o, d, low, is_any, hit);
                if (is_any && hit.instance != NONE) {
                    return true;
                }
            }
        }
        if (depth == 0u) {
            break;
        }
        depth -= 1u;
        node = stack[min(depth, STACK - 1u)];
    }
    return hit.instance != NONE;
}
