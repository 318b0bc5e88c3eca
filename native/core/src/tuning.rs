//! Numbers of the reconstruction that shaders and CPU references share, each written once.
//!
//! The build of the shaders turns [`CONSTANTS`] into a GLSL include and checks that the compiler kept every bit.

/// The value of a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// `float`
    F32(f32),
    /// `uint`
    U32(u32),
}

macro_rules! tuning {
    ($( $(#[doc = $doc:literal])* $name:ident: $kind:ident($type:ty) = $value:expr; )*) => {
        $( $(#[doc = $doc])* pub const $name: $type = $value; )*

        /// Every constant with its name, in the order of declaration.
        pub const CONSTANTS: &[(&str, Constant)] = &[
            $( (stringify!($name), Constant::$kind($name)), )*
        ];
    };
}

tuning! {
    /// Exposed luma at which a sample weighs half as much as a black one: weight = 1 / (1 + luma / this).
    LUMA_COMPRESSION: F32(f32) = 16.0;
    /// Its reciprocal.
    INV_LUMA_COMPRESSION: F32(f32) = 1.0 / LUMA_COMPRESSION;
    /// Exposed value of the geometric mean of luma under automatic exposure.
    AUTO_EXPOSURE_KEY: F32(f32) = 0.25;
    /// The smallest magnitude that is not zero, in inputs and in stored halves: 2^-14.
    SMALLEST: F32(f32) = 0.000_061_035_156;
    /// The largest finite half.
    LARGEST: F32(f32) = 65504.0;
    /// Depth farther than everything, as a distance.
    FARTHEST: F32(f32) = 65504.0;
    /// Motion is clamped to this many render pixels.
    LONGEST_MOTION_PX: F32(f32) = 16384.0;
    /// Share by which a surface's depth may leave the range of depths found at its previous place.
    DISOCCLUSION_TOLERANCE: F32(f32) = 0.05;
    /// Kernels are (1 - d^2 / 2)^4 on each axis: near a Gaussian of sigma 0.5, zero from d = sqrt 2. This is the 1 / 2.
    KERNEL_FALLOFF: F32(f32) = 0.5;
    /// Least units of the sharp kernel per render pixel: with the square root of 2, just exceeded, no kernel reaches
    /// beyond the two nearest samples on each axis.
    KERNEL_PER_RENDER_MIN: F32(f32) = 1.4143;
    /// Speed in render pixels a frame from which history counts as moving, inverted.
    INV_MOVING_PX: F32(f32) = 8.0;
    /// Half-size of the history clamp in deviations of the 3x3 neighbourhood, moving.
    CLAMP_MOVING: F32(f32) = 1.0;
    /// What stillness adds to it.
    CLAMP_STILL_EXTRA: F32(f32) = 1.0;
    /// Share of the neighbourhood's mean luma that the clamp always leaves open.
    CLAMP_FLOOR: F32(f32) = 0.02;
    /// Largest accumulated weight of history that was corrected (where the picture changes, none), or that changes.
    WEIGHT_REJECTED: F32(f32) = 0.3;
    /// What a steady picture adds to it.
    WEIGHT_STEADY_EXTRA: F32(f32) = 1.2;
    /// What stillness adds to that.
    WEIGHT_STILL_EXTRA: F32(f32) = 62.5;
    /// Accumulated weight from which still history outlives the clamp for the frames of grace.
    WEIGHT_PROTECTED: F32(f32) = 0.5;
    /// Change of the neighbourhood's mean luma, in deviations, at which a picture no longer counts as standing still.
    CHANGE_LIMIT: F32(f32) = 2.0;
    /// Share of the mean luma by which it may change without counting.
    CHANGE_FLOOR: F32(f32) = 0.04;
    /// Least weight of the current samples.
    WEIGHT_SAMPLES_MIN: F32(f32) = 0.05;
    /// Weight of the first frame of a pixel.
    WEIGHT_FIRST: F32(f32) = 0.5;
    /// Accumulated weight from which the sharp kernel is used alone, inverted.
    INV_WEIGHT_SHARP: F32(f32) = 1.666_666_6;
    /// Largest accumulated weight of history that a network may keep.
    WEIGHT_MOST: F32(f32) = 64.0;
    /// Share of the wide kernel beside a network's, so that no pixel is without samples: 2^-10.
    WIDE_SHARE: F32(f32) = 0.000_976_562_5;
    /// Steps of the stored weight per unit.
    WEIGHT_STEPS: F32(f32) = 64.0;
    /// Its reciprocal.
    INV_WEIGHT_STEPS: F32(f32) = 1.0 / WEIGHT_STEPS;
}
