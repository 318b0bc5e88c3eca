//! One shader from its file to checked SPIR-V.

use crate::reflect::{self, Interface};
use crate::source::Source;
use crate::{baseline, compile, exactness, generated, interface};
use reconstruction_core::pass::{Needs, Pass};
use rspirv::binary::Assemble;
use std::path::Path;

/// A shader that passed every check.
pub struct Built {
    pub words: Vec<u32>,
    pub interface: Interface,
}

/// Builds `file` below `root` as the shader of `pass`.
///
/// # Errors
/// Every violation, as `file:line: message` or `file: message`.
pub fn build(root: &Path, file: &str, pass: &Pass) -> Result<Built, Vec<String>> {
    let text =
        std::fs::read_to_string(root.join(file)).map_err(|e| vec![format!("{file}: {e}")])?;
    let includes = generated::includes(pass);
    let source = Source::expand(root, file, &text, &includes).map_err(|e| vec![e])?;
    build_source(&source, file, pass)
}

/// Builds a shader whose includes are expanded.
///
/// # Errors
/// As [`build`].
pub fn build_source(source: &Source, file: &str, pass: &Pass) -> Result<Built, Vec<String>> {
    let mut module = compile::compile(source)?;
    let interface = reflect::interface(&module).map_err(|e| vec![format!("{file}: {e}")])?;
    let optional = match pass.needs {
        Needs::Baseline => baseline::Optional::default(),
        Needs::IntegerDotProduct => baseline::INTEGER_DOT_PRODUCT,
        Needs::CooperativeMatrix => baseline::COOPERATIVE_MATRIX,
    };
    let mut found = baseline::violations_beyond(&module, file, interface.group, optional);
    found.extend(interface::violations(&interface, file, pass));
    if pass.is_exact {
        found.extend(exactness::violations(&module, file, source));
        exactness::forbid_contraction(&mut module);
    }
    if !found.is_empty() {
        return Err(found);
    }
    Ok(Built {
        words: module.assemble(),
        interface,
    })
}
