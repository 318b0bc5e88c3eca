//! Weights of a sample by its distance on one axis; mirrors `shaders/inc/kernel.glsl`.

use reconstruction_core::tuning::KERNEL_FALLOFF;

/// Weight of a sample on one axis at a squared distance: (1 - d^2 / 2)^4, zero from sqrt 2 on.
pub(super) fn kernel(squared: f32) -> f32 {
    let mut q = (1.0 - squared * KERNEL_FALLOFF).max(0.0);
    q = q * q;
    q * q
}

/// The same by render pixels, where the sharp kernel leaves gaps: (1 - d^2)^2, zero from 1 on.
pub(super) fn wide_kernel(squared: f32) -> f32 {
    let q = (1.0 - squared).max(0.0);
    q * q
}
