//! Catmull-Rom weights; mirrors `shaders/inc/cubic.glsl`.

/// Catmull-Rom weights of the four texels around a position `t` behind the second.
pub(super) fn cubic_weights(t: f32) -> [f32; 4] {
    let t2 = t * t;
    let t3 = t2 * t;
    [
        t2 - (t + t3) * 0.5,
        1.0 - t2 * 2.5 + t3 * 1.5,
        t * 0.5 + t2 * 2.0 - t3 * 1.5,
        (t3 - t2) * 0.5,
    ]
}
