// Colour, and what the reconstruction needs to follow it.
in vec4 nowClip;
in vec4 oldClip;
uniform vec2 inputSize;
layout(location=0) out vec4 color;
layout(location=1) out float depth;
layout(location=2) out vec2 motion;

void main() {
    color = vec4(1.6, 0.7, 0.2, 1.0);
    vec2 nowUV = nowClip.xy / nowClip.w * vec2(.5, -.5) + .5;
    vec2 prevUV = oldClip.xy / oldClip.w * vec2(.5, -.5) + .5;
    motion = (prevUV - nowUV) * inputSize;
    depth = gl_FragCoord.z;
}
