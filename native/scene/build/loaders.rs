//! GLSL for the blocks: their structs, and functions that read them from an array of 16-byte units.

use crate::{blocks, flat};
use reconstruction_core::block::{BlockLayout, MemberLayout, MemberType};
use reconstruction_core::convention::Depth;
use std::fmt::Write as _;

const BLOCKS: &[BlockLayout] = &[
    flat::FlatTriangle::LAYOUT,
    flat::FlatMaterial::LAYOUT,
    flat::FlatImage::LAYOUT,
    flat::FlatLight::LAYOUT,
    blocks::Picture::LAYOUT,
    blocks::WideNode::LAYOUT,
    blocks::Shape::LAYOUT,
];

/// Blocks that shaders read member by member: only their size is given.
const SIZES: &[BlockLayout] = &[flat::FlatInstance::LAYOUT, flat::FlatParticle::LAYOUT];

macro_rules! named {
    ($($module:ident::$name:ident),* $(,)?) => { &[$((stringify!($name), $module::$name)),*] };
}

const CONSTANTS: &[(&str, u32)] = named![
    flat::KIND_SPHERE,
    flat::KIND_BOX,
    flat::KIND_CYLINDER,
    flat::KIND_MESH,
    flat::INSTANCE_NEW,
    flat::PATTERN_CHECKER,
    flat::PATTERN_STRIPES,
    flat::PATTERN_GRID,
    flat::PATTERN_NOISE,
    flat::PATTERN_GLYPHS,
    flat::LIGHT_SPHERE,
    flat::LIGHT_RECTANGLE,
    flat::LIGHT_TRIANGLE,
    flat::LIGHT_SUN,
    blocks::HAS_INSTANCES,
    blocks::IS_BOX_FILTERED,
    blocks::HAS_INDIRECT,
    blocks::HAS_GUIDES,
    blocks::HAS_HISTORY,
    blocks::IS_REUSING,
    blocks::IS_CUT,
    blocks::IS_SPLIT,
    blocks::MAX_WAITING,
];

/// Structs, sizes in units of 16 bytes, and named constants.
pub fn blocks() -> String {
    let mut text = String::new();
    for block in BLOCKS {
        text += &block.glsl();
    }
    for block in BLOCKS.iter().chain(SIZES) {
        writeln!(
            text,
            "const uint {}_STRIDE = {}u;",
            block.name,
            units(block)
        )
        .expect("writing to a string");
    }
    for (name, value) in CONSTANTS {
        writeln!(text, "const uint {name} = {value}u;").expect("writing to a string");
    }
    for (name, depth) in [
        ("HARDWARE", Depth::Hardware),
        ("HARDWARE_REVERSED", Depth::HardwareReversed),
        (
            "HARDWARE_REVERSED_INFINITE",
            Depth::HardwareReversedInfinite,
        ),
        ("VIEW_LINEAR", Depth::ViewLinear),
    ] {
        writeln!(text, "const uint DEPTH_{name} = {}u;", depth.code())
            .expect("writing to a string");
    }
    text
}

/// `NAME load_NAME(uint at)` for each block, from `scene[at]` on.
pub fn loaders() -> String {
    let mut text = String::new();
    for block in BLOCKS {
        writeln!(text, "{0} load_{0}(uint at) {{\n    {0} b;", block.name)
            .expect("writing to a string");
        for unit in 0..units(block) {
            writeln!(text, "    uvec4 u{unit} = scene[at + {unit}u];")
                .expect("writing to a string");
        }
        for member in block.members {
            writeln!(text, "    b.{} = {};", member.name, value(member))
                .expect("writing to a string");
        }
        text.push_str("    return b;\n}\n");
    }
    text
}

fn value(member: &MemberLayout) -> String {
    let unit = format!("u{}", member.offset / 16);
    let lane = ["x", "y", "z", "w"][(member.offset % 16 / 4) as usize];
    match member.kind {
        MemberType::F32 => format!("uintBitsToFloat({unit}.{lane})"),
        MemberType::U32 => format!("{unit}.{lane}"),
        MemberType::Vec4 => format!("uintBitsToFloat({unit})"),
        other => panic!("{}: no loader for {other:?}", member.name),
    }
}

fn units(block: &BlockLayout) -> u32 {
    assert!(
        block.size % 16 == 0,
        "{}: whole units of 16 bytes",
        block.name
    );
    block.size / 16
}
