//! What every device of the baseline can run: Vulkan 1.1 without optional features.

use rspirv::dr::{Module, Operand};
use rspirv::spirv::{Capability, Op, StorageClass};

/// Everything else (64-bit and 16-bit types, reads without format, subgroups, float atomics) is optional somewhere.
const CAPABILITIES: &[Capability] = &[Capability::Shader, Capability::ImageQuery];

/// Invocations of a workgroup that every device offers.
const MAX_INVOCATIONS: u32 = 128;

/// What the module asks of a device beyond the baseline, as `file: message`.
pub fn violations(module: &Module, file: &str, group: [u32; 3]) -> Vec<String> {
    let mut found = Vec::new();
    for capability in operands(&module.capabilities) {
        if !matches!(capability, Operand::Capability(c) if CAPABILITIES.contains(c)) {
            found.push(format!(
                "{file}: needs capability {capability}, expected only {CAPABILITIES:?}"
            ));
        }
    }
    for extension in operands(&module.extensions) {
        found.push(format!(
            "{file}: needs extension {extension}, expected none"
        ));
    }
    for set in operands(&module.ext_inst_imports) {
        if !matches!(set, Operand::LiteralString(name) if name == "GLSL.std.450") {
            found.push(format!(
                "{file}: imports instructions {set}, expected only GLSL.std.450"
            ));
        }
    }
    for variable in &module.types_global_values {
        if variable.class.opcode != Op::Variable {
            continue;
        }
        if let Some(Operand::StorageClass(class)) = variable.operands.first() {
            if !is_allowed(*class) {
                found.push(format!(
                    "{file}: a variable of class {class:?}, expected buffers, images, shared and private variables"
                ));
            }
        }
    }
    let invocations: u32 = group.iter().product();
    if invocations > MAX_INVOCATIONS {
        found.push(format!(
            "{file}: {invocations} invocations in a workgroup, expected at most {MAX_INVOCATIONS}"
        ));
    }
    found
}

fn operands(instructions: &[rspirv::dr::Instruction]) -> impl Iterator<Item = &Operand> {
    instructions.iter().flat_map(|i| &i.operands)
}

fn is_allowed(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Input
            | StorageClass::StorageBuffer
            | StorageClass::UniformConstant
            | StorageClass::Workgroup
            | StorageClass::Private
    )
}
