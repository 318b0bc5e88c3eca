//! Compiles the scene's shaders, with the blocks of both languages generated from their one declaration.

// The crate's own declarations; what else they hold is for the crate.
#[allow(dead_code, missing_docs)]
#[path = "../src/renderer/blocks.rs"]
mod blocks;
#[allow(dead_code, missing_docs)]
#[path = "../src/flat.rs"]
mod flat;

mod loaders;

use reconstruction_shader_build::source::{Generated, Source};
use reconstruction_shader_build::{baseline, compile};
use rspirv::binary::Assemble;
use std::path::{Path, PathBuf};

/// Files below shaders/scene and the size of their workgroups.
const SHADERS: &[(&str, [u32; 3])] = &[
    ("camera.comp", [8, 8, 1]),
    ("trace.comp", [8, 8, 1]),
    ("first.comp", [8, 8, 1]),
    ("second.comp", [8, 8, 1]),
    ("last.comp", [8, 8, 1]),
    ("sum.comp", [8, 8, 1]),
];

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = here.join("../../shaders/scene");
    for path in [
        &root,
        &here.join("build"),
        &here.join("src/flat.rs"),
        &here.join("src/renderer/blocks.rs"),
    ] {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    for (file, group) in SHADERS {
        match build(&root, file, *group) {
            Ok(words) => {
                let path = out.join(file).with_extension("spv.rs");
                std::fs::write(path, format!("&{words:?}"))
                    .expect("the output folder can be written");
            }
            Err(errors) => {
                for error in errors {
                    println!("cargo::error=shaders/scene/{error}");
                }
            }
        }
    }
}

fn build(root: &Path, file: &str, group: [u32; 3]) -> Result<Vec<u32>, Vec<String>> {
    let text =
        std::fs::read_to_string(root.join(file)).map_err(|e| vec![format!("{file}: {e}")])?;
    let includes = [
        Generated {
            name: "blocks.glsl",
            text: loaders::blocks(),
        },
        Generated {
            name: "loaders.glsl",
            text: loaders::loaders(),
        },
    ];
    let source = Source::expand(root, file, &text, &includes).map_err(|e| vec![e])?;
    let module = compile::compile(&source)?;
    let found = baseline::violations(&module, file, group);
    if found.is_empty() {
        Ok(module.assemble())
    } else {
        Err(found)
    }
}
