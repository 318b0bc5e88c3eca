// Shows the input instead of a reconstruction: bicubic (Catmull-Rom), which at equal sizes is a copy.
// in: color_image (render size); out: output_image.
#version 450
#include "pass.glsl"
#include "constants.glsl"
#include "color.glsl"
#include "cubic.glsl"

void main() {
    ivec2 size = ivec2(params.output_size);
    ivec2 render_size = ivec2(params.render_size);
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
    if (pixel.x >= size.x || pixel.y >= size.y) return;
    vec2 corner = (vec2(pixel) + 0.5) * params.render_per_output - 0.5;
    vec2 whole = floor(corner);
    ivec2 first = ivec2(whole);
    vec4 wx = cubic_weights(corner.x - whole.x);
    vec4 wy = cubic_weights(corner.y - whole.y);
    vec4 sum = vec4(0.0);
    for (int j = 0; j < 4; j++) {
        int y = clamp(first.y + j - 1, 0, render_size.y - 1);
        vec4 row = vec4(0.0);
        for (int i = 0; i < 4; i++) {
            int x = clamp(first.x + i - 1, 0, render_size.x - 1);
            bool finite;
            vec4 texel = color_at_door(texelFetch(color_image, ivec2(x, y), 0), finite);
            if (!finite) texel.rgb = vec3(0.0);
            row += texel * wx[i];
        }
        sum += row * wy[j];
    }
    vec3 encoded = encode(min(max(sum.rgb, vec3(0.0)), vec3(LARGEST)));
    float alpha = 1.0;
    if (params.alpha_mode != ALPHA_IGNORE) alpha = min(max(sum.a, 0.0), 1.0);
    vec2 rg = unpack_halves(pack_halves(encoded.r, encoded.g));
    vec2 ba = unpack_halves(pack_halves(encoded.b, alpha));
    imageStore(output_image, pixel, vec4(rg, ba));
}
