#version 450
// Light that reaches the second surface.
// in: hits of the aimed and the reflected rays; out: light of the paths.

#include "brdf.glsl"
#include "seen.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

// What a ray that left the second surface sees; most surfaces are dark, and their materials need not be read.
vec3 radiance_behind(Hit hit, vec3 o, vec3 d, float cosine, out float density) {
    if (!is_hit(hit)) {
        density = surrounding_density(d * cosine, d);
        return surrounding_radiance(d);
    }
    density = 0.0;
    uint at = picture.instances + hit.instance * FlatInstance_STRIDE;
    vec3 emission = column(picture.materials + scene[at + 12u].z * FlatMaterial_STRIDE + 2u).rgb;
    if (scene[at + 13u].x == 0u && emission == vec3(0.0)) {
        return vec3(0.0);
    }
    return seen_radiance(surface_at(hit, o, d, 0.0), o, d, density);
}

void main() {
    if (!find_path(gl_WorkGroupID)) {
        return;
    }
    vec4 o = path_value(PATH_RAY + 2u * LIST_REFLECTED);
    vec3 found = vec3(0.0);
    if (is_lit(LIST_AIMED)) {
        found = path_value(PATH_AIMED).rgb;
    }
    if (has(IS_SPLIT) && is_lit(LIST_SURROUNDING)) {
        found += path_value(PATH_SURROUNDING).rgb;
    }
    vec4 diffuse = path_value(PATH_DIFFUSE);
    vec4 specular = path_value(PATH_SPECULAR);
    if (o.w > 0.0) {
        vec3 d = path_value(PATH_RAY + 2u * LIST_REFLECTED + 1u).xyz;
        float density;
        vec3 radiance = radiance_behind(hit_of(LIST_REFLECTED), o.xyz, d, specular.w, density);
        vec3 weight = path_value(PATH_REFLECTED).rgb * balance(diffuse.w, float(CANDIDATES_BEHIND) * density);
        found += softened(radiance * weight, path_value(PATH_ALBEDO).w);
    }
    if (found != vec3(0.0)) {
        put_path(PATH_DIFFUSE, diffuse.rgb + path_value(PATH_DIFFUSE_WEIGHT).rgb * found, 0.0);
        put_path(PATH_SPECULAR, specular.rgb + path_value(PATH_SPECULAR_WEIGHT).rgb * found, 0.0);
    }
}
