// What a ray has hit: place, normals and material, all the light needs to know.

#include "environment_brdf.glsl"
#include "hits.glsl"
#include "shapes.glsl"
#include "textures.glsl"

// Some material of the wave has an image.
layout(constant_id = 1) const bool HAS_IMAGES = true;

struct Surface {
    vec3 position;
    // World normal of the geometry, on the viewer's side.
    vec3 face;
    // Shading normal, on the viewer's side.
    vec3 normal;
    // Towards the viewer.
    vec3 view;
    float n_dot_v;
    // Diffuse albedo.
    vec3 albedo;
    vec3 f0;
    float f90;
    // Specular albedo: what the coat keeps from the layer below.
    vec3 coat;
    float roughness;
    float subsurface;
    // 1 + f0 * lost energy.
    vec3 gain;
    // Probability that a sampled direction is of the coat.
    float coat_share;
    vec3 emission;
    // Light whose body it is, or NONE.
    uint light;
    uint instance;
    vec3 object_position;
};

bool is_mirror(Surface s) {
    return s.roughness < ROUGHNESS_OF_MIRRORS;
}

// What depends on roughness and view.
void coat_of(inout Surface s) {
    vec2 ab = environment_brdf(s.n_dot_v, s.roughness);
    s.f90 = clamp(dot(s.f0, vec3(25.0)), 0.0, 1.0);
    s.gain = 1.0 + s.f0 * energy_gain_of(ab);
    s.coat = specular_albedo(s.f0, s.n_dot_v, s.roughness);
    float of_coat = luminance(s.coat);
    float below = luminance(s.albedo * (1.0 - s.coat));
    s.coat_share = of_coat + below > 0.0 ? of_coat / (of_coat + below) : 0.0;
    // Neither is ever so rare that its samples shine out.
    if (of_coat > 0.0 && below > 0.0) {
        s.coat_share = clamp(s.coat_share, 0.1, 0.9);
    }
}

// Moves a point near an analytic shape onto it, in object coordinates; `scale`: world lengths of the axes. Its normal,
// and its uv, later scaled to world units.
void shape_at(uint kind, vec3 scale, inout vec3 p, out vec3 n, out vec2 uv, out uvec2 axes) {
    axes = uvec2(0u, 2u);
    if (kind == KIND_SPHERE) {
        n = normalize(p);
        p = n;
        uv = vec2(atan(n.z, n.x), asin(clamp(n.y, -1.0, 1.0)));
        axes = uvec2(0u, 1u);
        return;
    }
    // The nearest face in the world: rounding moves a point far along the axis of a thin shape.
    if (kind == KIND_BOX) {
        vec3 off = abs(abs(p) - 1.0) * scale;
        if (off.x <= off.y && off.x <= off.z) {
            n = vec3(sign(p.x), 0.0, 0.0);
            uv = p.zy;
            axes = uvec2(2u, 1u);
            p.x = n.x;
        } else if (off.y <= off.z) {
            n = vec3(0.0, sign(p.y), 0.0);
            uv = p.xz;
            p.y = n.y;
        } else {
            n = vec3(0.0, 0.0, sign(p.z));
            uv = p.xy;
            axes = uvec2(0u, 1u);
            p.z = n.z;
        }
        return;
    }
    float radius = length(p.xz);
    if (abs(abs(p.y) - 1.0) * scale.y < abs(radius - 1.0) * min(scale.x, scale.z)) {
        n = vec3(0.0, sign(p.y), 0.0);
        uv = p.xz;
        p.y = n.y;
    } else {
        n = vec3(p.x, 0.0, p.z) / radius;
        uv = vec2(atan(p.z, p.x), p.y);
        axes = uvec2(0u, 1u);
        p.xz = n.xz;
    }
}

// `least`: the roughness it has at least.
Surface surface_at(Hit hit, vec3 o, vec3 d, float least) {
    Surface s;
    uint at = picture.instances + hit.instance * FlatInstance_STRIDE;
    mat4x3 to_world = mat4x3(column(at).xyz, column(at + 1u).xyz, column(at + 2u).xyz, column(at + 3u).xyz);
    mat4x3 to_object = mat4x3(column(at + 4u).xyz, column(at + 5u).xyz, column(at + 6u).xyz, column(at + 7u).xyz);
    uvec4 about = scene[at + 12u];
    uvec4 more = scene[at + 13u];
    mat3 of_normals = transpose(mat3(to_object));
    s.instance = hit.instance;
    s.view = -d;
    vec3 own_o = to_object * vec4(o, 1.0);
    vec3 own_d = to_object * vec4(d, 0.0);
    vec3 p = own_o + own_d * hit.distance;
    FlatMaterial m = material_at(about.z);
    s.light = more.x == 0u ? NONE : more.x - 1u;
    vec2 uv;
    vec3 normal;
    vec3 face;
    // Along +u, of normal-mapped triangles.
    vec3 tangent = vec3(0.0);
    float handedness = 1.0;
    if (about.x == KIND_MESH) {
        FlatTriangle t = load_FlatTriangle(picture.triangles + hit.triangle * FlatTriangle_STRIDE);
        // As the ray found them.
        vec2 weights;
        triangle_distance(own_o, own_d, t.position_0.xyz, t.position_1.xyz, t.position_2.xyz, 0.0, FAR_AWAY, weights);
        vec3 w = vec3(1.0 - weights.x - weights.y, weights);
        p = w.x * t.position_0.xyz + w.y * t.position_1.xyz + w.z * t.position_2.xyz;
        vec3 e1 = t.position_1.xyz - t.position_0.xyz;
        vec3 e2 = t.position_2.xyz - t.position_0.xyz;
        face = cross(e1, e2);
        normal = w.x * t.normal_0.xyz + w.y * t.normal_1.xyz + w.z * t.normal_2.xyz;
        uv = w.x * vec2(t.position_0.w, t.normal_0.w) + w.y * vec2(t.position_1.w, t.normal_1.w)
            + w.z * vec2(t.position_2.w, t.normal_2.w);
        if (m.normal_image != 0u) {
            vec2 a = vec2(t.position_1.w - t.position_0.w, t.normal_1.w - t.normal_0.w);
            vec2 b = vec2(t.position_2.w - t.position_0.w, t.normal_2.w - t.normal_0.w);
            float det = a.x * b.y - a.y * b.x;
            handedness = det < 0.0 ? -1.0 : 1.0;
            tangent = (e1 * b.y - e2 * a.y) * handedness;
        }
        if (s.light != NONE && light_at(s.light).kind == LIGHT_TRIANGLE) {
            s.light += hit.triangle - more.y;
        }
    } else {
        uvec2 axes;
        vec3 scale = vec3(length(to_world[0]), length(to_world[1]), length(to_world[2]));
        shape_at(about.x, scale, p, normal, uv, axes);
        face = normal;
        uv *= vec2(scale[axes.x], scale[axes.y]);
    }
    // The normal map's direction; green points up, against v.
    vec3 map = vec3(0.0, 0.0, 1.0);
    vec3 base = mix(m.base_color.rgb, m.second_color.rgb, pattern_at(m.pattern, uv, m.pattern_scale));
    float metallic = m.metallic;
    s.roughness = m.roughness;
    s.emission = m.emission.rgb;
    // One place that reads images: each of them costs compilers as much as all the rest of this function.
    uvec4 of_material = uvec4(m.base_image, m.rough_metal_image, m.normal_image, m.emissive_image);
    for (uint i = 0u; HAS_IMAGES && i < 4u; i++) {
        if (of_material[i] == 0u) {
            continue;
        }
        vec4 texel = image_texel(of_material[i] - 1u, uv);
        if (i == 0u) {
            base *= texel.rgb;
        } else if (i == 1u) {
            s.roughness *= texel.g;
            metallic *= texel.b;
        } else if (i == 2u) {
            map = texel.xyz * 2.0 - 1.0;
        } else {
            s.emission *= texel.rgb;
        }
    }
    s.roughness = max(s.roughness, least);
    if (dot(tangent, tangent) > 0.0) {
        vec3 n = normalize(normal);
        tangent -= n * dot(n, tangent);
        if (dot(tangent, tangent) > 0.0) {
            tangent = normalize(tangent);
            normal = tangent * map.x + cross(n, tangent) * (handedness * map.y) + n * map.z;
        }
    }
    s.object_position = p;
    s.position = to_world * vec4(p, 1.0);
    s.face = normalize(of_normals * face);
    s.normal = normalize(of_normals * normal);
    if (dot(s.face, s.view) < 0.0) {
        s.face = -s.face;
    }
    if (dot(s.normal, s.face) < 0.0) {
        s.normal = -s.normal;
    }
    float facing = dot(s.normal, s.view);
    if (facing < 0.01) {
        s.normal = normalize(s.normal + s.view * (0.01 - facing));
    }
    s.n_dot_v = clamp(dot(s.normal, s.view), 1e-3, 1.0);
    s.subsurface = m.subsurface;
    s.albedo = base * (1.0 - metallic);
    s.f0 = mix(vec3(m.f0), base, metallic);
    coat_of(s);
    return s;
}

// How far a point of a surface may lie from it.
float clearance(vec3 position) {
    vec3 a = abs(position);
    return 4e-5 * (1.0 + max(max(a.x, a.y), a.z));
}

// Where a ray that leaves a surface towards d begins, clear of it.
vec3 start_at(vec3 position, vec3 face, vec3 d) {
    float clear = clearance(position);
    return position + face * (dot(d, face) < 0.0 ? -clear : clear);
}
