//! What a compiled shader binds and how it lays out its parameters, read from its SPIR-V.

use reconstruction_core::block::MemberType;
use reconstruction_core::pass::{BindingKind, Element};
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Dim, ExecutionMode, ImageFormat, Op, StorageClass};

/// The interface of a shader.
pub struct Interface {
    pub group: [u32; 3],
    /// Members of the parameter block at binding 0.
    pub members: Vec<Member>,
    /// Everything else that is bound, by set and binding.
    pub bindings: Vec<Bound>,
}

pub struct Member {
    pub name: String,
    pub offset: u32,
    /// The type, or the SPIR-V that is none of ours.
    pub kind: Result<MemberType, String>,
}

pub struct Bound {
    pub set: u32,
    pub binding: u32,
    pub name: String,
    /// The kind, or the SPIR-V that is none of ours.
    pub kind: Result<BindingKind, String>,
}

/// Reads the interface of a module with one entry point.
///
/// # Errors
/// When the module has no fixed workgroup size.
pub fn interface(module: &Module) -> Result<Interface, String> {
    let reader = Reader { module };
    let mut members = Vec::new();
    let mut bindings = Vec::new();
    for variable in &module.types_global_values {
        let (Op::Variable, Some(id)) = (variable.class.opcode, variable.result_id) else {
            continue;
        };
        let Some(binding) = reader.decoration(id, None, Decoration::Binding) else {
            continue;
        };
        let set = reader.decoration(id, None, Decoration::DescriptorSet);
        let (set, binding) = (number(set), number(Some(binding)));
        let pointer = reader.definition(variable.result_type.unwrap_or(0));
        let pointee = reader.definition(id_at(pointer, 1));
        if (set, binding) == (0, 0) {
            members = reader.parameters(pointer, pointee)?;
            continue;
        }
        let (name, kind) = match pointer.operands.first() {
            Some(Operand::StorageClass(StorageClass::StorageBuffer)) => reader.buffer(id, pointee),
            _ => (reader.name(id, None), reader.image(id, pointee)),
        };
        bindings.push(Bound {
            set,
            binding,
            name,
            kind,
        });
    }
    bindings.sort_by_key(|b| (b.set, b.binding));
    Ok(Interface {
        group: reader.group()?,
        members,
        bindings,
    })
}

struct Reader<'m> {
    module: &'m Module,
}

impl<'m> Reader<'m> {
    fn group(&self) -> Result<[u32; 3], String> {
        let sizes = self.module.execution_modes.iter().find_map(|mode| {
            let [_, Operand::ExecutionMode(ExecutionMode::LocalSize), sizes @ ..] =
                &mode.operands[..]
            else {
                return None;
            };
            match sizes {
                [Operand::LiteralBit32(x), Operand::LiteralBit32(y), Operand::LiteralBit32(z)] => {
                    Some([*x, *y, *z])
                }
                _ => None,
            }
        });
        sizes.ok_or_else(|| "no fixed workgroup size".to_string())
    }

    /// The uniform block at binding 0 holds one struct whose members are the parameters.
    fn parameters(
        &self,
        pointer: &Instruction,
        block: &Instruction,
    ) -> Result<Vec<Member>, String> {
        let block_id = block.result_id.unwrap_or(0);
        let params = self.definition(id_at(block, 0));
        let offset = number(self.decoration(block_id, Some(0), Decoration::Offset));
        let is_uniform =
            pointer.operands.first() == Some(&Operand::StorageClass(StorageClass::Uniform));
        let is_one_struct = block.operands.len() == 1 && params.class.opcode == Op::TypeStruct;
        if !is_one_struct || offset != 0 || !is_uniform {
            return Err(
                "binding 0: expected a uniform block of one struct at offset 0".to_string(),
            );
        }
        let id = params.result_id.unwrap_or(0);
        Ok((0..params.operands.len())
            .map(|i| {
                let member = Some(i as u32);
                Member {
                    name: self.name(id, member),
                    offset: number(self.decoration(id, member, Decoration::Offset)),
                    kind: self.member_type(id, i, self.definition(id_at(params, i))),
                }
            })
            .collect())
    }

    fn member_type(
        &self,
        block: u32,
        index: usize,
        kind: &Instruction,
    ) -> Result<MemberType, String> {
        let text = self.describe(kind);
        Ok(match text.as_str() {
            "float" => MemberType::F32,
            "uint" => MemberType::U32,
            "int" => MemberType::I32,
            "vec2" => MemberType::Vec2,
            "uvec2" => MemberType::UVec2,
            "ivec2" => MemberType::IVec2,
            "vec4" => MemberType::Vec4,
            "mat4" => {
                let member = Some(index as u32);
                let stride = number(self.decoration(block, member, Decoration::MatrixStride));
                let is_column_major = self
                    .decoration(block, member, Decoration::ColMajor)
                    .is_some();
                if stride != 16 || !is_column_major {
                    return Err(format!(
                        "a mat4 of stride {stride}, column-major {is_column_major}"
                    ));
                }
                MemberType::Mat4
            }
            _ => return Err(text),
        })
    }

    /// A storage buffer: a block of one runtime array, named by its member.
    fn buffer(&self, variable: u32, block: &Instruction) -> (String, Result<BindingKind, String>) {
        let id = block.result_id.unwrap_or(0);
        let name = self.name(id, Some(0));
        let array = self.definition(id_at(block, 0));
        let offset = number(self.decoration(id, Some(0), Decoration::Offset));
        if block.operands.len() != 1 || array.class.opcode != Op::TypeRuntimeArray || offset != 0 {
            return (name, Err("a block that is not one array".to_string()));
        }
        let has = |decoration| {
            self.decoration(id, Some(0), decoration)
                .or_else(|| self.decoration(variable, None, decoration))
                .is_some()
        };
        let text = self.describe(self.definition(id_at(array, 0)));
        let element = match text.as_str() {
            "uint" => Element::U32,
            "uvec2" => Element::UVec2,
            "uvec4" => Element::UVec4,
            _ => return (name, Err(format!("an array of {text}"))),
        };
        let stride = self.decoration(array.result_id.unwrap_or(0), None, Decoration::ArrayStride);
        let stride = u64::from(number(stride));
        if stride != element.size() {
            return (
                name,
                Err(format!("an array of {text} with stride {stride}")),
            );
        }
        let access = (
            has(Decoration::NonWritable),
            has(Decoration::NonReadable),
            has(Decoration::Coherent),
        );
        let kind = match access {
            (true, false, false) => Ok(BindingKind::Input(element)),
            (false, true, false) => Ok(BindingKind::Output(element)),
            (false, false, true) => Ok(BindingKind::Atomic(element)),
            (readonly, writeonly, coherent) => Err(format!(
                "an array of {text}, readonly {readonly}, writeonly {writeonly}, coherent {coherent}"
            )),
        };
        (name, kind)
    }

    fn image(&self, variable: u32, image: &Instruction) -> Result<BindingKind, String> {
        // operands: sampled type, dimension, depth, arrayed, multisampled, sampled, format
        if image.class.opcode != Op::TypeImage {
            return Err(self.describe(image));
        }
        let is_float = self.describe(self.definition(id_at(image, 0))) == "float";
        let is_plain_2d = image.operands.get(1) == Some(&Operand::Dim(Dim::Dim2D))
            && [3, 4].iter().all(|&i| number(image.operands.get(i)) == 0);
        let Some(Operand::ImageFormat(format)) = image.operands.get(6) else {
            return Err("an image without a format".to_string());
        };
        let has = |decoration| self.decoration(variable, None, decoration).is_some();
        match number(image.operands.get(5)) {
            1 if is_float && is_plain_2d => Ok(BindingKind::Sampled),
            2 if is_float
                && is_plain_2d
                && *format == ImageFormat::Rgba16f
                && has(Decoration::NonReadable)
                && !has(Decoration::NonWritable) =>
            {
                Ok(BindingKind::Storage)
            }
            sampled => Err(format!(
                "an image with sampled {sampled}, float {is_float}, plain 2D {is_plain_2d}, format {format:?}, \
                 writeonly {}",
                has(Decoration::NonReadable)
            )),
        }
    }

    /// The GLSL name of a scalar, vector or matrix; the opcode of anything else.
    fn describe(&self, kind: &Instruction) -> String {
        let width = number(kind.operands.first());
        match kind.class.opcode {
            Op::TypeFloat if width == 32 => "float".to_string(),
            Op::TypeInt if width == 32 && number(kind.operands.get(1)) == 0 => "uint".to_string(),
            Op::TypeInt if width == 32 => "int".to_string(),
            Op::TypeVector | Op::TypeMatrix => {
                let of = self.describe(self.definition(id_at(kind, 0)));
                let count = number(kind.operands.get(1));
                match (of.as_str(), count) {
                    ("float", n) => format!("vec{n}"),
                    ("uint", n) => format!("uvec{n}"),
                    ("int", n) => format!("ivec{n}"),
                    ("vec4", 4) => "mat4".to_string(),
                    (of, n) => format!("{n} of {of}"),
                }
            }
            op => format!("Op{op:?}"),
        }
    }

    fn definition(&self, id: u32) -> &'m Instruction {
        self.module
            .types_global_values
            .iter()
            .find(|i| i.result_id == Some(id))
            .expect("the compiler defines every type it uses")
    }

    /// The operand of a decoration, or of a member's: the decoration itself where it has none.
    fn decoration(&self, id: u32, member: Option<u32>, wanted: Decoration) -> Option<&'m Operand> {
        self.module.annotations.iter().find_map(|a| {
            let mut operands = a.operands.iter();
            if operands.next() != Some(&Operand::IdRef(id)) {
                return None;
            }
            match (a.class.opcode, member) {
                (Op::Decorate, None) => {}
                (Op::MemberDecorate, Some(index)) => {
                    if operands.next() != Some(&Operand::LiteralBit32(index)) {
                        return None;
                    }
                }
                _ => return None,
            }
            let decoration = operands.next()?;
            if *decoration != Operand::Decoration(wanted) {
                return None;
            }
            Some(operands.next().unwrap_or(decoration))
        })
    }

    fn name(&self, id: u32, member: Option<u32>) -> String {
        let name = self.module.debug_names.iter().find_map(|n| {
            match (&n.operands[..], member) {
                ([Operand::IdRef(target), Operand::LiteralString(name)], None) if *target == id => {
                    Some(name)
                }
                (
                    [Operand::IdRef(target), Operand::LiteralBit32(index), Operand::LiteralString(name)],
                    Some(member),
                ) if *target == id && *index == member => Some(name),
                _ => None,
            }
        });
        name.cloned().unwrap_or_default()
    }
}

fn id_at(instruction: &Instruction, index: usize) -> u32 {
    match instruction.operands.get(index) {
        Some(Operand::IdRef(id)) => *id,
        _ => 0,
    }
}

/// A literal; `u32::MAX` where there is none, which no declaration has.
fn number(operand: Option<&Operand>) -> u32 {
    match operand {
        Some(Operand::LiteralBit32(value)) => *value,
        _ => u32::MAX,
    }
}
