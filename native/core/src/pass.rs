//! The declaration of a pass: its block and its bindings, in order, for the shader, the engine and the CPU reference.

use crate::block::BlockLayout;
use std::fmt::Write as _;

/// What one element of a storage range is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 32 bits.
    U32,
    /// Two words.
    UVec2,
    /// Four words.
    UVec4,
}

impl Element {
    /// Size in bytes, which is also the std430 stride.
    pub const fn size(self) -> u64 {
        match self {
            Element::U32 => 4,
            Element::UVec2 => 8,
            Element::UVec4 => 16,
        }
    }

    fn glsl(self) -> &'static str {
        match self {
            Element::U32 => "uint",
            Element::UVec2 => "uvec2",
            Element::UVec4 => "uvec4",
        }
    }
}

/// What a binding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingKind {
    /// A range of the arena that the pass only reads.
    Input(Element),
    /// A range of the arena that the pass only writes.
    Output(Element),
    /// A range of the arena that the pass updates by integer atomics.
    Atomic(Element),
    /// An image read by texel fetch.
    Sampled,
    /// An RGBA16F image that the pass only writes.
    Storage,
}

/// One binding of a pass. Binding 0 is always the parameter block; these follow from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// Name in the shader and in the CPU reference.
    pub name: &'static str,
    /// What it is.
    pub kind: BindingKind,
}

/// What a device must offer for a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Vulkan 1.1 without optional features.
    Baseline,
    /// Dot products of packed 8-bit integers, enabled by the host.
    IntegerDotProduct,
    /// Cooperative matrices of 16x16x32 signed bytes in subgroups of 32, enabled by the host.
    CooperativeMatrix,
}

/// One compute pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Folder under `shaders/`.
    pub area: &'static str,
    /// Stem of the shader, the CPU reference and the engine's record.
    pub name: &'static str,
    /// Which of the shader's variants; empty where there is one.
    pub variant: &'static str,
    /// What the variant defines.
    pub defines: &'static [&'static str],
    /// Invocations of a workgroup.
    pub group: [u32; 3],
    /// Layout of the parameter block at binding 0.
    pub block: &'static BlockLayout,
    /// Bindings from 1 on.
    pub bindings: &'static [Binding],
    /// Whether the result reaches the picture, so that the exactness rules hold.
    pub is_exact: bool,
    /// What it needs of a device.
    pub needs: Needs,
}

impl Pass {
    /// What no other pass has: area, name and variant.
    pub fn key(&self) -> [&'static str; 3] {
        [self.area, self.name, self.variant]
    }

    /// The generated include: defines, workgroup size, parameter block and bindings.
    pub fn glsl(&self) -> String {
        let [x, y, z] = self.group;
        let mut text = String::new();
        for name in self.defines {
            writeln!(text, "#define {name}").expect("writing to a string");
        }
        write!(
            text,
            "layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;\n{}\
             layout(set = 0, binding = 0, std140) uniform ParamsBlock {{ {} params; }};\n",
            self.block.glsl(),
            self.block.name
        )
        .expect("writing to a string");
        for (i, binding) in self.bindings.iter().enumerate() {
            let (slot, name) = (i + 1, binding.name);
            let line = match binding.kind {
                BindingKind::Input(e) => buffer(slot, "readonly", name, e),
                BindingKind::Output(e) => buffer(slot, "writeonly", name, e),
                BindingKind::Atomic(e) => buffer(slot, "coherent", name, e),
                BindingKind::Sampled => {
                    format!("layout(set = 0, binding = {slot}) uniform texture2D {name};")
                }
                BindingKind::Storage => format!(
                    "layout(set = 0, binding = {slot}, rgba16f) uniform writeonly image2D {name};"
                ),
            };
            writeln!(text, "{line}").expect("writing to a string");
        }
        text
    }
}

fn buffer(slot: usize, access: &str, name: &str, element: Element) -> String {
    format!(
        "layout(set = 0, binding = {slot}, std430) {access} buffer Block_{name} {{ {} {name}[]; }};",
        element.glsl()
    )
}
