//! The rules that make a shader give the same bits on every device, enforced on its SPIR-V.
//!
//! Vulkan leaves the precision of most float operations open and lets a driver contract a multiply and an add.
//! So multiplies, adds and subtracts are decorated, and every operation outside [`OPS`] and [`EXTENDED`] is refused.

use crate::source::Source;
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, GlslStd450Op, Op};

/// Float operations that a driver may not contract with another.
const ROUNDED: &[Op] = &[
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::VectorTimesScalar,
    Op::FNegate,
];

/// What a function of an exact shader may do besides [`ROUNDED`].
#[rustfmt::skip]
const OPS: &[Op] = &[
    // structure
    Op::Function, Op::FunctionParameter, Op::FunctionEnd, Op::FunctionCall, Op::Label, Op::Branch,
    Op::BranchConditional, Op::Switch, Op::LoopMerge, Op::SelectionMerge, Op::Phi, Op::Return,
    Op::ReturnValue, Op::Unreachable,
    // memory
    Op::Variable, Op::Load, Op::Store, Op::AccessChain, Op::ArrayLength, Op::ImageFetch, Op::ImageRead,
    Op::ImageWrite, Op::Image, Op::ImageQuerySize, Op::ImageQuerySizeLod, Op::ControlBarrier, Op::MemoryBarrier,
    // values, moved
    Op::Undef, Op::CopyObject, Op::CompositeConstruct, Op::CompositeExtract, Op::CompositeInsert,
    Op::VectorShuffle, Op::VectorExtractDynamic, Op::VectorInsertDynamic, Op::Bitcast, Op::Select,
    // conversions
    Op::ConvertFToS, Op::ConvertFToU, Op::ConvertSToF, Op::ConvertUToF,
    // float comparisons
    Op::FOrdEqual, Op::FOrdNotEqual, Op::FOrdLessThan, Op::FOrdGreaterThan, Op::FOrdLessThanEqual,
    Op::FOrdGreaterThanEqual, Op::FUnordEqual, Op::FUnordNotEqual, Op::FUnordLessThan,
    Op::FUnordGreaterThan, Op::FUnordLessThanEqual, Op::FUnordGreaterThanEqual,
    // integers
    Op::SDot, Op::CooperativeMatrixLoadKHR, Op::CooperativeMatrixStoreKHR, Op::CooperativeMatrixMulAddKHR, Op::IAdd, Op::ISub, Op::IMul, Op::SNegate, Op::UDiv, Op::UMod, Op::UMulExtended,
    Op::IAddCarry, Op::ISubBorrow, Op::ShiftLeftLogical, Op::ShiftRightLogical, Op::ShiftRightArithmetic,
    Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor, Op::Not, Op::BitFieldInsert, Op::BitFieldSExtract,
    Op::BitFieldUExtract, Op::BitReverse, Op::BitCount, Op::IEqual, Op::INotEqual, Op::ULessThan,
    Op::UGreaterThan, Op::ULessThanEqual, Op::UGreaterThanEqual, Op::SLessThan, Op::SGreaterThan,
    Op::SLessThanEqual, Op::SGreaterThanEqual,
    // booleans
    Op::LogicalAnd, Op::LogicalOr, Op::LogicalNot, Op::LogicalEqual, Op::LogicalNotEqual, Op::Any, Op::All,
    // atomics; the capabilities of a baseline device leave only integers
    Op::AtomicLoad, Op::AtomicStore, Op::AtomicExchange, Op::AtomicCompareExchange, Op::AtomicIAdd,
    Op::AtomicISub, Op::AtomicSMin, Op::AtomicUMin, Op::AtomicSMax, Op::AtomicUMax, Op::AtomicAnd,
    Op::AtomicOr, Op::AtomicXor,
];

/// The extended instructions that an exact shader may use.
#[rustfmt::skip]
const EXTENDED: &[GlslStd450Op] = &[
    // FMin, FMax and FClamp agree wherever no operand is a NaN, and the inputs were rid of those by bits.
    GlslStd450Op::FAbs, GlslStd450Op::Floor, GlslStd450Op::RoundEven, GlslStd450Op::FMin,
    GlslStd450Op::FMax, GlslStd450Op::FClamp,
    // Exact for normal halves, and halves that we store are never denormal.
    GlslStd450Op::UnpackHalf2x16,
    GlslStd450Op::SAbs, GlslStd450Op::SSign, GlslStd450Op::UMin, GlslStd450Op::SMin, GlslStd450Op::UMax,
    GlslStd450Op::SMax, GlslStd450Op::UClamp, GlslStd450Op::SClamp, GlslStd450Op::FindILsb,
    GlslStd450Op::FindSMsb, GlslStd450Op::FindUMsb,
];

/// Decorates every rounded operation with NoContraction, inside functions too, where `precise` does not reach.
pub fn forbid_contraction(module: &mut Module) {
    module.annotations.retain(|a| !is_no_contraction(a));
    let rounded: Vec<u32> = module
        .all_inst_iter()
        .filter(|i| ROUNDED.contains(&i.class.opcode))
        .filter_map(|i| i.result_id)
        .collect();
    module.annotations.extend(rounded.into_iter().map(|id| {
        let operands = vec![
            Operand::IdRef(id),
            Operand::Decoration(Decoration::NoContraction),
        ];
        Instruction::new(Op::Decorate, None, None, operands)
    }));
}

fn is_no_contraction(annotation: &Instruction) -> bool {
    annotation
        .operands
        .contains(&Operand::Decoration(Decoration::NoContraction))
}

/// Every operation whose result may differ between devices, as `file:line: message`. The module holds no lines,
/// so the line is that of the function, and the message ends with the lines that spell such an operation.
pub fn violations(module: &Module, file: &str, source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    for constant in &module.types_global_values {
        if constant.class.opcode == Op::SpecConstantOp {
            found.push(format!(
                "{file}: OpSpecConstantOp is computed by the driver; use a plain constant"
            ));
        }
    }
    for function in &module.functions {
        let name = function_name(module, function);
        let place = source
            .locate_function(name)
            .unwrap_or_else(|| file.to_string());
        for instruction in function.all_inst_iter() {
            if let Some(operation) = refused(instruction) {
                let lines = source.locate_in_function(name, |line| spells(line, &operation));
                let mut message = format!(
                    "{place}: {operation} in function {name} of {file} may differ between devices; \
                     expected the operations listed in native/shaders/build/exactness.rs"
                );
                if !lines.is_empty() {
                    message += &format!("; perhaps at {}", lines.join(", "));
                }
                if !found.contains(&message) {
                    found.push(message);
                }
            }
        }
    }
    found
}

/// The name of an operation that is not on the lists.
fn refused(instruction: &Instruction) -> Option<String> {
    let op = instruction.class.opcode;
    if op == Op::ExtInst {
        // operands: the set (only GLSL.std.450 can be imported), then the instruction
        let Some(Operand::LiteralExtInstInteger(code)) = instruction.operands.get(1) else {
            return Some("an extended instruction without a number".to_string());
        };
        return match GlslStd450Op::from_u32(*code) {
            Some(known) if EXTENDED.contains(&known) => None,
            Some(known) => Some(format!("{known:?}")),
            None => Some(format!("extended instruction {code}")),
        };
    }
    let is_allowed = ROUNDED.contains(&op) || OPS.contains(&op);
    (!is_allowed).then(|| format!("Op{op:?}"))
}

/// Whether a line of GLSL may be the source of an operation.
fn spells(line: &str, operation: &str) -> bool {
    match operation {
        "OpFDiv" | "OpSDiv" => line.contains('/'),
        "OpSRem" | "OpSMod" => line.contains('%'),
        _ => {
            let name = operation
                .strip_prefix("Op")
                .unwrap_or(operation)
                .to_lowercase();
            let line = line.to_lowercase();
            let without_type = name.strip_prefix('f').unwrap_or(&name);
            line.contains(&format!("{name}(")) || line.contains(&format!("{without_type}("))
        }
    }
}

/// The GLSL name; the compiler appends the parameter types after a parenthesis.
fn function_name<'m>(module: &'m Module, function: &rspirv::dr::Function) -> &'m str {
    let id = function.def.as_ref().and_then(|def| def.result_id);
    let name = module
        .debug_names
        .iter()
        .find_map(|n| match &n.operands[..] {
            [Operand::IdRef(target), Operand::LiteralString(name)] if Some(*target) == id => {
                Some(name.as_str())
            }
            _ => None,
        });
    name.and_then(|n| n.split('(').next()).unwrap_or("?")
}
