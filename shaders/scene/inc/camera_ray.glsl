// Rays that leave the camera.

#include "paths.glsl"
#include "camera.glsl"

struct CameraRay {
    vec3 o;
    vec3 d;
    // Length at the near plane.
    float low;
    // Length along the ray over distance along the view axis.
    float per_z;
};

CameraRay camera_ray(vec2 place) {
    vec3 ray = view_ray(place);
    mat4 view_to_world = matrix_at(picture.camera + 4u);
    float per_z = length(ray);
    vec3 d = normalize(mat3(view_to_world) * ray);
    return CameraRay(view_to_world[3].xyz, d, uintBitsToFloat(scene[picture.camera + 20u].x) * per_z, per_z);
}
