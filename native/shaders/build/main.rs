//! Compiles every pass's shader, checks it, and writes the tables that the crate embeds.

#[path = "../tests/contract/cases.rs"]
mod cases;

mod contract;
mod exactness;
mod generated;
mod interface;
mod reflect;
mod shader;
mod table;

use reconstruction_core::passes;
use reconstruction_shader_build::{baseline, compile, source};
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let root = here.join("../../shaders");
    let cases = here.join("tests/contract");
    for folder in [&root, &cases, &here.join("build")] {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    for error in run(&root, &cases, &out) {
        println!("cargo::error={error}");
    }
}

/// Builds everything; returns the errors of every shader, since an author wants to see them all.
fn run(root: &Path, cases: &Path, out: &Path) -> Vec<String> {
    let mut errors = Vec::new();
    let mut built = Vec::new();
    for (index, pass) in passes::ALL.iter().enumerate() {
        let file = format!("{}/{}.comp", pass.area, pass.name);
        if !root.join(&file).exists() {
            println!("cargo::warning=no shader {file} for pass {}", pass.name);
            continue;
        }
        match shader::build(root, &file, pass) {
            Ok(shader) => built.push((index, shader)),
            Err(found) => errors.extend(found.into_iter().map(|e| format!("shaders/{e}"))),
        }
    }
    match contract::run(cases) {
        Ok(outcome) => write(out, "contract.rs", &table::contract(&outcome)),
        Err(found) => errors.extend(found),
    }
    write(out, "shaders.rs", &table::shaders(&built));
    write(out, "interfaces.rs", &table::interfaces(&built));
    errors
}

fn write(out: &Path, name: &str, text: &str) {
    std::fs::write(out.join(name), text).expect("the output folder can be written");
}
