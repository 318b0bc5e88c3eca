// The camera: rays through the picture, and points back onto it, now and in the frame before.

mat4 matrix_at(uint at) {
    return mat4(column(at), column(at + 1u), column(at + 2u), column(at + 3u));
}

// View-space direction, z = -1, of a place of the picture in pixels.
vec3 view_ray(vec2 place) {
    vec2 ndc = place / vec2(picture.width, picture.height) * 2.0 - 1.0;
    vec4 x = column(picture.camera + 8u);
    vec4 y = column(picture.camera + 9u);
    vec4 z = column(picture.camera + 10u);
    return vec3((ndc.x + z.x) / x.x, (ndc.y + z.y) / y.y, -1.0);
}

// Place in the picture in pixels of a view-space point; z: distance along the view axis.
vec3 place_of(uint projection, vec3 view) {
    vec4 clip = matrix_at(projection) * vec4(view, 1.0);
    vec2 ndc = clip.xy / max(clip.w, 1e-6);
    return vec3((ndc * 0.5 + 0.5) * vec2(picture.width, picture.height), -view.z);
}

float stored_depth(float view_z) {
    float near = uintBitsToFloat(scene[picture.camera + 20u].x);
    float far = uintBitsToFloat(scene[picture.camera + 20u].y);
    if (picture.depth_kind == DEPTH_HARDWARE) {
        return clamp(far * (view_z - near) / ((far - near) * view_z), 0.0, 1.0);
    }
    if (picture.depth_kind == DEPTH_HARDWARE_REVERSED) {
        return clamp(near * (far - view_z) / ((far - near) * view_z), 0.0, 1.0);
    }
    return picture.depth_kind == DEPTH_HARDWARE_REVERSED_INFINITE ? min(near / view_z, 1.0) : view_z;
}

float stored_depth_of_sky() {
    return picture.depth_kind == DEPTH_HARDWARE ? 1.0 : picture.depth_kind == DEPTH_VIEW_LINEAR ? 65504.0 : 0.0;
}

// Particles over what lies at `view_z`: their light rgb, and the share of what is behind that they hide.
vec4 particles_before(vec3 ray, float view_z) {
    vec4 sum = vec4(0.0);
    mat4 to_view = matrix_at(picture.camera);
    for (uint i = 0u; i < picture.particle_count; i++) {
        vec4 position = column(picture.particles + i * FlatParticle_STRIDE);
        vec3 center = (to_view * vec4(position.xyz, 1.0)).xyz;
        float depth = -center.z;
        vec2 off = (ray.xy * depth - center.xy) / position.w;
        float rest = 1.0 - dot(off, off);
        if (rest <= 0.0 || depth <= 0.05) {
            continue;
        }
        vec4 color = column(picture.particles + i * FlatParticle_STRIDE + 1u);
        // Soft where it dips into a surface.
        float share = color.a * rest * rest * clamp((view_z - depth) / position.w + 0.5, 0.0, 1.0);
        sum = vec4(mix(sum.rgb, color.rgb, share), sum.a + share - sum.a * share);
    }
    return sum;
}
