// The debug views; needs the binding sample_color. Mirrors native/shaders/src/cpu/debug_view.rs.

// at: the nearest sample; width: what the view of the kernel's width shows; own_weight: of this frame's samples.
vec3 debug_color(int at, vec2 motion, Stats stats, History h, vec3 width, float own_weight, float total_weight) {
    float grey = 0.0;
    switch (params.debug_view) {
    case DEBUG_VIEW_INPUTS:
        return unpack_pair(sample_color[at]).rgb;
    case DEBUG_VIEW_MOTION:
        return vec3(min(max(0.5 + motion * 0.0625, vec2(0.0)), vec2(1.0)), 0.5);
    case DEBUG_VIEW_HISTORY_REPROJECTED:
        return h.fetched;
    case DEBUG_VIEW_HISTORY_VALIDITY:
        grey = stats.history * 0.5;
        break;
    case DEBUG_VIEW_TRUST:
        grey = h.weight * reciprocal(max(total_weight, SMALLEST));
        break;
    case DEBUG_VIEW_SAMPLE_WEIGHT:
        grey = min(own_weight, 1.0);
        break;
    case DEBUG_VIEW_KERNEL_WIDTH:
        return width;
    case DEBUG_VIEW_REJECTED:
        grey = h.is_corrected;
        break;
    case DEBUG_VIEW_PHASE_COVERAGE:
        grey = min(total_weight * 0.125, 1.0);
        break;
    }
    return vec3(grey);
}
