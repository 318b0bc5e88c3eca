#version 450
// Sums a pixel's paths, in the order of its samples, behind the particles.
// in: light of the paths; out: planes of light, or the sum that later waves go on with.

#include "paths.glsl"
#include "planes.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
    if (!find_path(gl_WorkGroupID)) {
        return;
    }
    vec3 color = vec3(0.0);
    vec3 before_particles = vec3(0.0);
    vec3 emissive = vec3(0.0);
    vec3 irradiance = vec3(0.0);
    vec3 specular = vec3(0.0);
    float cover = 0.0;
    for (uint i = 0u; i < picture.sample_count; i++) {
        vec3 emission = path_value(PATH_EMISSION).rgb;
        vec3 of_diffuse = path_value(PATH_DIFFUSE).rgb;
        vec3 of_specular = path_value(PATH_SPECULAR).rgb;
        vec3 light = path_value(PATH_ALBEDO).rgb * of_diffuse + of_specular + emission;
        vec4 particles = vec4(0.0);
        if (picture.particle_count > 0u) {
            particles = path_value(PATH_PARTICLES);
        }
        color += light * (1.0 - particles.a) + particles.rgb;
        before_particles += light;
        emissive += emission * (1.0 - particles.a) + particles.rgb;
        cover += particles.a;
        irradiance += of_diffuse;
        specular += of_specular;
        path += picture.width * picture.row_count;
    }
    float total = float(picture.sample_total);
    if (picture.at_sum != NONE) {
        uint sum = picture.at_sum + path_pixel * 3u;
        if (picture.sample_first > 0u) {
            color += vec3(
                uintBitsToFloat(planes[sum]), uintBitsToFloat(planes[sum + 1u]), uintBitsToFloat(planes[sum + 2u])
            );
        }
        planes[sum] = floatBitsToUint(color.x);
        planes[sum + 1u] = floatBitsToUint(color.y);
        planes[sum + 2u] = floatBitsToUint(color.z);
    }
    put_4(picture.at_color, path_pixel, vec4(color / total, 1.0));
    put_4(picture.at_before_particles, path_pixel, vec4(before_particles / total, 1.0));
    put_4(picture.at_emissive, path_pixel, vec4(emissive, cover) / total);
    put_4(picture.at_irradiance, path_pixel, vec4(irradiance / total, 1.0));
    put_4(picture.at_specular_light, path_pixel, vec4(specular / total, 1.0));
}
