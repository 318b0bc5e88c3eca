// Projects each point twice, unjittered, for motion; only the raster position is jittered.
#version 450
layout(location=0) in vec3 position;
layout(location=1) in vec3 normal; // of a wire: its direction
layout(location=2) in vec2 uv;     // of a wire: x is the way to this edge, metres

uniform mat4 camera;    // world to clip, clip y up, of this frame
uniform mat4 oldCamera; // and of the frame recorded before
uniform mat4 model;
uniform mat4 oldModel;
uniform vec3 eye;
uniform vec3 oldEye;
uniform int pattern;    // 0 sky, 6 wire, others solid
uniform vec2 jitter;    // pixels, x right, y down
uniform vec2 inputSize; // pixels

layout(location=0) out vec4 nowClip;
layout(location=1) out vec4 oldClip;
layout(location=2) out vec3 place;
layout(location=3) out vec3 facing;
layout(location=4) out vec2 surface;

vec3 placeOf(mat4 m, vec3 from) {
    vec3 at = (m * vec4(position, 1.0)).xyz;
    if (pattern != 6) return at;
    // A wire is widened towards the eye; with the old matrices this gives where the same corner was.
    return at + normalize(cross(mat3(m) * normal, from - at)) * uv.x;
}

void main() {
    place = placeOf(model, eye);
    facing = mat3(model) * normal;
    surface = uv;
    if (pattern == 0) {
        // The sky turns with the camera but never comes nearer: directions, w = 0, at the far end of depth.
        place = position;
        nowClip = camera * vec4(position, 0.0);
        oldClip = oldCamera * vec4(position, 0.0);
        nowClip.z = nowClip.w;
    } else {
        nowClip = camera * vec4(place, 1.0);
        oldClip = oldCamera * vec4(placeOf(oldModel, oldEye), 1.0);
    }
    gl_Position = nowClip;
    gl_Position.xy += vec2(2.0 * jitter.x / inputSize.x, -2.0 * jitter.y / inputSize.y) * gl_Position.w;
}
