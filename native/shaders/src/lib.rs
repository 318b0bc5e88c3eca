//! The compute shaders of the reconstruction as SPIR-V.
//!
//! The build compiles `shaders/<area>/<name>.comp` for every pass and refuses a shader whose bindings differ from
//! the pass's declaration, that needs more of a device than the pass says, or, where the pass is exact, that
//! uses an operation whose result may differ between devices.
#![forbid(unsafe_code)]

pub mod cpu;

use reconstruction_core::pass::Pass;

/// A compiled shader. Entry point `main`, descriptor set 0, SPIR-V 1.3.
#[derive(Debug, Clone, Copy)]
pub struct Shader {
    /// The pass that it runs.
    pub pass: &'static Pass,
    /// The module's words.
    pub spirv: &'static [u32],
}

/// Every shader, in the order of [`reconstruction_core::passes::ALL`].
pub static SHADERS: &[Shader] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// The shader of a pass; none where the library was built without it.
pub fn shader(pass: &Pass) -> Option<&'static Shader> {
    SHADERS
        .iter()
        .find(|shader| shader.pass.key() == pass.key())
}
