//! Runs the contract's cases through the same code as the real shaders, for `tests/contract` to judge.

use crate::cases::REFUSED;
use crate::shader::{self, Built};
use crate::source::Source;
use crate::{compile, generated};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::pass::{Binding, BindingKind, Element, Needs, Pass};
use reconstruction_core::tuning::Constant;
use rspirv::dr::{Module, Operand};
use rspirv::spirv::Op;
use std::path::Path;

const fn bind(name: &'static str, kind: BindingKind) -> Binding {
    Binding { name, kind }
}

/// A pass with a binding of every kind.
static PROBE: Pass = Pass {
    area: "contract",
    name: "probe",
    variant: "",
    defines: &[],
    group: [16, 8, 1],
    block: &FrameParams::LAYOUT,
    bindings: &[
        bind("words_in", BindingKind::Input(Element::U32)),
        bind("pairs_in", BindingKind::Input(Element::UVec2)),
        bind("quads_out", BindingKind::Output(Element::UVec4)),
        bind("counts", BindingKind::Atomic(Element::U32)),
        bind("picture", BindingKind::Sampled),
        bind("drawing", BindingKind::Storage),
    ],
    is_exact: true,
    needs: Needs::Baseline,
};

/// What became of the cases.
pub struct Outcome {
    /// The probe as it is, which must pass.
    pub probe: Built,
    /// Errors of each refused case, by name.
    pub refused: Vec<(&'static str, Vec<String>)>,
}

/// Builds the probe below `root`, and each case as an edit of it.
///
/// # Errors
/// When the probe itself is refused, or a constant does not reach a shader with all its bits.
pub fn run(root: &Path) -> Result<Outcome, Vec<String>> {
    let file = "probe.comp";
    let text =
        std::fs::read_to_string(root.join(file)).map_err(|e| vec![format!("{file}: {e}")])?;
    let expand = || {
        let includes = generated::includes(&PROBE);
        Source::expand(root, file, &text, &includes).map_err(|e| vec![e])
    };
    let probe = shader::build_source(&expand()?, file, &PROBE)?;
    let mut refused = Vec::new();
    for case in REFUSED {
        let mut source = expand()?;
        if !source.text.contains(case.replace) {
            return Err(vec![format!("case {}: nothing to replace", case.name)]);
        }
        source.text = source.text.replacen(case.replace, case.by, 1);
        let errors = match shader::build_source(&source, file, &PROBE) {
            Ok(_) => Vec::new(),
            Err(errors) => errors,
        };
        refused.push((case.name, errors));
    }
    check_constants(root)?;
    Ok(Outcome { probe, refused })
}

/// Compiles a shader that stores every constant's bits, and compares what it stores with the declaration.
fn check_constants(root: &Path) -> Result<(), Vec<String>> {
    let constants = generated::constants();
    let mut text = String::from(
        "#version 450\n#include \"constants.glsl\"\n\
         layout(local_size_x = 1) in;\nlayout(binding = 0) buffer Bits { uint bits[]; };\nvoid main() {\n",
    );
    for (i, (name, value)) in constants.iter().enumerate() {
        text += &match value {
            Constant::F32(_) => format!("bits[{i}] = floatBitsToUint({name});\n"),
            Constant::U32(_) => format!("bits[{i}] = {name};\n"),
        };
    }
    text.push_str("}\n");
    let includes = generated::includes(&PROBE);
    let source = Source::expand(root, "constants.comp", &text, &includes).map_err(|e| vec![e])?;
    let stored = stored_constants(&compile::compile(&source)?);
    let declared: Vec<Option<u32>> = (constants.iter())
        .map(|(_, value)| match value {
            Constant::F32(value) => Some(value.to_bits()),
            Constant::U32(value) => Some(*value),
        })
        .collect();
    if stored == declared {
        return Ok(());
    }
    let differing = constants.iter().zip(declared.iter().zip(&stored));
    let differing = differing.filter(|(_, (declared, stored))| declared != stored);
    let mut errors: Vec<String> = differing
        .map(|((name, _), (declared, stored))| {
            format!(
                "constant {name}: expected bits {declared:x?}, the compiler made {stored:x?} of it"
            )
        })
        .collect();
    if errors.is_empty() {
        errors.push(format!(
            "constants: expected {} stores, got {}",
            declared.len(),
            stored.len()
        ));
    }
    Err(errors)
}

/// The values of the stores in order; none where the value is computed when the shader runs.
fn stored_constants(module: &Module) -> Vec<Option<u32>> {
    let value = |id: u32| {
        let constant = module
            .types_global_values
            .iter()
            .find(|c| c.class.opcode == Op::Constant && c.result_id == Some(id))?;
        match constant.operands.first() {
            Some(Operand::LiteralBit32(bits)) => Some(*bits),
            _ => None,
        }
    };
    (module.all_inst_iter())
        .filter(|i| i.class.opcode == Op::Store)
        .map(|store| match store.operands.get(1) {
            Some(Operand::IdRef(id)) => value(*id),
            _ => None,
        })
        .collect()
}
