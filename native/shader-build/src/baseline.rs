//! What every device of the baseline can run: Vulkan 1.1 without optional features.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Capability, Op, StorageClass};

/// Everything else (64-bit and 16-bit types, reads without format, subgroups, float atomics) is optional somewhere.
const CAPABILITIES: &[Capability] = &[Capability::Shader, Capability::ImageQuery];

/// Invocations of a workgroup that every device offers.
const MAX_INVOCATIONS: u32 = 128;

/// Bytes of shared memory that every device of the baseline offers; Vulkan itself promises half of it.
const MAX_SHARED_BYTES: u32 = 32 << 10;

/// What a shader may ask for beyond the baseline, where its host enabled it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Optional {
    /// Capabilities.
    pub capabilities: &'static [Capability],
    /// Extensions of SPIR-V.
    pub extensions: &'static [&'static str],
}

/// Dot products of packed 8-bit integers.
pub const INTEGER_DOT_PRODUCT: Optional = Optional {
    capabilities: &[
        Capability::DotProduct,
        Capability::DotProductInput4x8BitPacked,
    ],
    extensions: &["SPV_KHR_integer_dot_product"],
};

/// Cooperative matrices of bytes.
pub const COOPERATIVE_MATRIX: Optional = Optional {
    capabilities: &[
        Capability::CooperativeMatrixKHR,
        Capability::VulkanMemoryModel,
        Capability::Int8,
        Capability::GroupNonUniform,
    ],
    extensions: &["SPV_KHR_cooperative_matrix", "SPV_KHR_vulkan_memory_model"],
};

/// What the module asks of a device beyond the baseline, as `file: message`.
pub fn violations(module: &Module, file: &str, group: [u32; 3]) -> Vec<String> {
    violations_beyond(module, file, group, Optional::default())
}

/// What the module asks of a device beyond the baseline and `optional`, as `file: message`.
pub fn violations_beyond(
    module: &Module,
    file: &str,
    group: [u32; 3],
    optional: Optional,
) -> Vec<String> {
    let mut found = Vec::new();
    for capability in operands(&module.capabilities) {
        let is_allowed = |c| CAPABILITIES.contains(c) || optional.capabilities.contains(c);
        if !matches!(capability, Operand::Capability(c) if is_allowed(c)) {
            found.push(format!(
                "{file}: needs capability {capability}, expected only {CAPABILITIES:?}"
            ));
        }
    }
    for extension in operands(&module.extensions) {
        if matches!(extension, Operand::LiteralString(name) if optional.extensions.contains(&name.as_str()))
        {
            continue;
        }
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
    let shared: u32 = (module.types_global_values.iter())
        .filter(|v| v.class.opcode == Op::Variable)
        .filter(|v| v.operands.first() == Some(&Operand::StorageClass(StorageClass::Workgroup)))
        .map(|v| bytes(module, pointee(module, v)))
        .sum();
    if shared > MAX_SHARED_BYTES {
        found.push(format!(
            "{file}: {shared} bytes of shared memory, expected at most {MAX_SHARED_BYTES}"
        ));
    }
    found
}

/// The type that a variable holds. Operands of a pointer: storage class, type.
fn pointee(module: &Module, variable: &Instruction) -> u32 {
    let pointer = variable.result_type.unwrap_or(0);
    match definition(module, pointer).operands.get(1) {
        Some(Operand::IdRef(id)) => *id,
        _ => 0,
    }
}

/// Size of a type without padding.
fn bytes(module: &Module, id: u32) -> u32 {
    let kind = definition(module, id);
    let literal = |operand: &Operand| match operand {
        Operand::LiteralBit32(value) => *value,
        _ => 0,
    };
    match (kind.class.opcode, &kind.operands[..]) {
        (Op::TypeInt | Op::TypeFloat, [width, ..]) => literal(width) / 8,
        (Op::TypeBool, _) => 4,
        (Op::TypeVector | Op::TypeMatrix, [Operand::IdRef(of), count]) => {
            bytes(module, *of) * literal(count)
        }
        (Op::TypeArray, [Operand::IdRef(of), Operand::IdRef(count)]) => {
            bytes(module, *of)
                * definition(module, *count)
                    .operands
                    .first()
                    .map_or(0, literal)
        }
        (Op::TypeStruct, members) => (members.iter())
            .map(|member| match member {
                Operand::IdRef(of) => bytes(module, *of),
                _ => 0,
            })
            .sum(),
        _ => 0,
    }
}

fn definition(module: &Module, id: u32) -> &Instruction {
    (module.types_global_values.iter())
        .find(|i| i.result_id == Some(id))
        .expect("the compiler defines every type it uses")
}

fn operands(instructions: &[Instruction]) -> impl Iterator<Item = &Operand> {
    instructions.iter().flat_map(|i| &i.operands)
}

fn is_allowed(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Input
            | StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::UniformConstant
            | StorageClass::Workgroup
            | StorageClass::Private
    )
}
