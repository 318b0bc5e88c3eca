// A turning triangle, projected at this angle and at the last one; only the raster position is jittered.
layout(location=0) in vec3 position;
uniform float angle;
uniform float oldAngle;
uniform vec2 jitter;
uniform float inputWidth;
uniform float inputHeight;
out vec4 nowClip;
out vec4 oldClip;

vec4 turned(float a) {
    float aspect = inputHeight / inputWidth;
    return vec4((position.x * cos(a) - position.y * sin(a)) * aspect, position.x * sin(a) + position.y * cos(a), position.z, 1.0);
}

void main() {
    nowClip = turned(angle);
    oldClip = turned(oldAngle);
    gl_Position = nowClip;
    gl_Position.xy += vec2(2*jitter.x/inputWidth, -2*jitter.y/inputHeight)
    * gl_Position.w;
}
