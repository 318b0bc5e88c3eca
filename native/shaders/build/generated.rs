//! The includes that no file holds: a pass's declaration, and the named constants.

use crate::source::Generated;
use reconstruction_core::convention::{
    Alpha, Bypass, ColorEncoding, DebugView, Depth, ExposureKind,
};
use reconstruction_core::pass::Pass;
use reconstruction_core::tuning::{Constant, CONSTANTS};
use std::fmt::Write as _;

/// The enums whose codes reach a shader's parameter block.
const CODES: &[(&str, &[(&str, u32)])] = &[
    ("Depth", Depth::TABLE),
    ("ColorEncoding", ColorEncoding::TABLE),
    ("ExposureKind", ExposureKind::TABLE),
    ("Alpha", Alpha::TABLE),
    ("Bypass", Bypass::TABLE),
    ("DebugView", DebugView::TABLE),
];

/// What a shader of `pass` may include: `pass.glsl` and `constants.glsl`.
pub fn includes(pass: &Pass) -> Vec<Generated<'static>> {
    // The declaration binds textures without samplers; fetching from them is an extension of GLSL only.
    let declaration = format!(
        "#extension GL_EXT_samplerless_texture_functions : require\n{}",
        pass.glsl()
    );
    vec![
        Generated {
            name: "pass.glsl",
            text: declaration,
        },
        Generated {
            name: "constants.glsl",
            text: constants_glsl(),
        },
    ]
}

/// Every named constant with its value: the tuning constants, then the codes as `ENUM_VARIANT`.
pub fn constants() -> Vec<(String, Constant)> {
    let tuning = CONSTANTS
        .iter()
        .map(|(name, value)| (name.to_string(), *value));
    let codes = CODES.iter().flat_map(|(name, table)| {
        table.iter().map(move |(variant, code)| {
            let name = format!("{}_{}", upper_snake(name), upper_snake(variant));
            (name, Constant::U32(*code))
        })
    });
    tuning.chain(codes).collect()
}

/// Floats are written as bits: the compiler would read a decimal literal as a double.
fn constants_glsl() -> String {
    let mut text = String::new();
    for (name, value) in constants() {
        match value {
            Constant::F32(value) => writeln!(
                text,
                "const float {name} = uintBitsToFloat(0x{:08x}u); // {value:?}",
                value.to_bits()
            ),
            Constant::U32(value) => writeln!(text, "const uint {name} = {value}u;"),
        }
        .expect("writing to a string");
    }
    text
}

fn upper_snake(camel: &str) -> String {
    let mut text = String::new();
    for (i, c) in camel.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            text.push('_');
        }
        text.push(c.to_ascii_uppercase());
    }
    text
}
