// Weights of a sample by its distance on one axis; mirrors native/shaders/src/cpu/kernel.rs.

// Weight of a sample on one axis at a squared distance: (1 - d^2 / 2)^4, zero from sqrt 2 on.
float kernel(float squared) {
    float q = max(1.0 - squared * KERNEL_FALLOFF, 0.0);
    q = q * q;
    return q * q;
}

// The same by render pixels, where the sharp kernel leaves gaps: (1 - d^2)^2, zero from 1 on.
float wide_kernel(float squared) {
    float q = max(1.0 - squared, 0.0);
    return q * q;
}
