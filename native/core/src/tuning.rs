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
    LUMA_COMPRESSION: F32(f32) = 4.0;
}
