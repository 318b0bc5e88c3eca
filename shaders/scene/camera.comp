#version 450
// The first ray of every path.
// in: the scene buffer with a picture for each z; out: the hit of the reflected list.

#include "camera_ray.glsl"
#include "trace.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

void main() {
    if (!find_path(gl_WorkGroupID)) {
        return;
    }
    CameraRay ray = camera_ray(sample_place());
    put_hit(LIST_REFLECTED, trace(ray.o, ray.d, ray.low, FAR_AWAY, false));
}
