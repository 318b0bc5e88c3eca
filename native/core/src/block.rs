//! Blocks of plain data that two languages read: declared once, laid out once, generated everywhere.
//!
//! [`block!`](crate::block!) turns one declaration into a `repr(C)` struct with asserted offsets, a byte codec and
//! a [`BlockLayout`] from which the GLSL include and the Kotlin accessors are generated.

use crate::error::printable;
use std::fmt::Write as _;

/// What a member may be. Alignment follows std430, so the Rust, GLSL and Kotlin views agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberType {
    /// `float`
    F32,
    /// `uint`
    U32,
    /// `int`
    I32,
    /// `vec2`
    Vec2,
    /// `uvec2`
    UVec2,
    /// `ivec2`
    IVec2,
    /// `vec4`
    Vec4,
    /// `mat4`, column-major
    Mat4,
    /// A 64-bit handle or counter. Only in blocks that never reach a shader.
    U64,
    /// ASCII text padded with zero bytes. Only in blocks that never reach a shader.
    Text(u32),
}

impl MemberType {
    /// Size in bytes.
    pub const fn size(self) -> u32 {
        match self {
            MemberType::F32 | MemberType::U32 | MemberType::I32 => 4,
            MemberType::Vec2 | MemberType::UVec2 | MemberType::IVec2 | MemberType::U64 => 8,
            MemberType::Vec4 => 16,
            MemberType::Mat4 => 64,
            MemberType::Text(bytes) => bytes,
        }
    }

    /// Alignment in bytes under std430.
    pub const fn align(self) -> u32 {
        match self {
            MemberType::F32 | MemberType::U32 | MemberType::I32 | MemberType::Text(_) => 4,
            MemberType::Vec2 | MemberType::UVec2 | MemberType::IVec2 | MemberType::U64 => 8,
            MemberType::Vec4 | MemberType::Mat4 => 16,
        }
    }

    /// The GLSL type, where there is one.
    pub const fn glsl(self) -> Option<&'static str> {
        Some(match self {
            MemberType::F32 => "float",
            MemberType::U32 => "uint",
            MemberType::I32 => "int",
            MemberType::Vec2 => "vec2",
            MemberType::UVec2 => "uvec2",
            MemberType::IVec2 => "ivec2",
            MemberType::Vec4 => "vec4",
            MemberType::Mat4 => "mat4",
            MemberType::U64 | MemberType::Text(_) => return None,
        })
    }
}

/// A Rust type that may stand in a block.
pub trait Member: Copy {
    /// The member type it is laid out as.
    const TYPE: MemberType;
    /// Writes `size` little-endian bytes.
    fn put(&self, to: &mut [u8]);
    /// Reads `size` little-endian bytes.
    fn get(from: &[u8]) -> Self;
}

macro_rules! scalar_member {
    ($rust:ty, $kind:ident) => {
        impl Member for $rust {
            const TYPE: MemberType = MemberType::$kind;
            fn put(&self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }
            fn get(from: &[u8]) -> Self {
                <$rust>::from_le_bytes(from.try_into().expect("a member of this size"))
            }
        }
    };
}
macro_rules! vector_member {
    ($scalar:ty, $count:literal, $kind:ident) => {
        impl Member for [$scalar; $count] {
            const TYPE: MemberType = MemberType::$kind;
            fn put(&self, to: &mut [u8]) {
                for (value, bytes) in self.iter().zip(to.chunks_exact_mut(4)) {
                    value.put(bytes);
                }
            }
            fn get(from: &[u8]) -> Self {
                std::array::from_fn(|i| <$scalar>::get(&from[4 * i..4 * i + 4]))
            }
        }
    };
}
scalar_member!(f32, F32);
scalar_member!(u32, U32);
scalar_member!(i32, I32);
scalar_member!(u64, U64);
vector_member!(f32, 2, Vec2);
vector_member!(u32, 2, UVec2);
vector_member!(i32, 2, IVec2);
vector_member!(f32, 4, Vec4);
vector_member!(f32, 16, Mat4);

/// Zero-padded ASCII text of at most `N` bytes; `N` is a multiple of 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(4))]
pub struct Text<const N: usize>(pub [u8; N]);

impl<const N: usize> Text<N> {
    /// The text, cut at `N` bytes; a character outside printable ASCII becomes `?`.
    pub fn new(text: &str) -> Self {
        let mut bytes = [0; N];
        for (to, c) in bytes.iter_mut().zip(text.chars()) {
            *to = printable(c) as u8;
        }
        Text(bytes)
    }

    /// The text up to the first zero byte.
    pub fn as_str(&self) -> String {
        let end = self.0.iter().position(|&b| b == 0).unwrap_or(N);
        self.0[..end].iter().map(|&b| printable(b.into())).collect()
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Text([0; N])
    }
}

impl<const N: usize> Member for Text<N> {
    const TYPE: MemberType = MemberType::Text(N as u32);
    fn put(&self, to: &mut [u8]) {
        to.copy_from_slice(&self.0);
    }
    fn get(from: &[u8]) -> Self {
        Text(from.try_into().expect("a member of this size"))
    }
}

/// One member of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberLayout {
    /// Name in Rust and GLSL (snake case).
    pub name: &'static str,
    /// Type of the member.
    pub kind: MemberType,
    /// Byte offset from the start of the block.
    pub offset: u32,
    /// The doc comment, copied into generated code.
    pub doc: &'static str,
}

/// A whole block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLayout {
    /// Name of the struct.
    pub name: &'static str,
    /// Size in bytes.
    pub size: u32,
    /// Members in order.
    pub members: &'static [MemberLayout],
}

impl BlockLayout {
    /// The GLSL struct of this block, each member with its offset in a comment.
    ///
    /// # Panics
    /// When a member has no GLSL type: such blocks never reach a shader.
    pub fn glsl(&self) -> String {
        let mut text = format!("struct {} {{\n", self.name);
        for member in self.members {
            let kind = member.kind.glsl().expect("a member with a GLSL type");
            writeln!(
                text,
                "    {kind} {}; // {}: {}",
                member.name,
                member.offset,
                member.doc.trim()
            )
            .expect("writing to a string");
        }
        text.push_str("};\n");
        text
    }

    /// A hash of every name, type and offset, so that two libraries can prove that they mean the same block.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = crate::exact::Fnv64::new();
        hash.write(self.name.as_bytes());
        for member in self.members {
            hash.write(member.name.as_bytes());
            hash.write(&member.offset.to_le_bytes());
            hash.write(&member.kind.size().to_le_bytes());
            hash.write(&[member.kind.align() as u8]);
        }
        hash.finish()
    }
}

/// Declares a block: a `repr(C)` struct, its [`BlockLayout`] as `LAYOUT`, `put` and `get` for bytes.
///
/// Members are laid out in order; the declaration fails to compile when std430 would insert padding.
#[macro_export]
macro_rules! block {
    (
        $(#[doc = $block_doc:literal])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])* pub $member:ident : $kind:ty, )*
        }
    ) => {
        $(#[doc = $block_doc])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name {
            $( $(#[doc = $doc])* pub $member: $kind, )*
        }

        impl $name {
            /// Names, types and offsets of the members.
            pub const LAYOUT: $crate::block::BlockLayout = $crate::block::BlockLayout {
                name: stringify!($name),
                size: core::mem::size_of::<$name>() as u32,
                members: &[
                    $( $crate::block::MemberLayout {
                        name: stringify!($member),
                        kind: <$kind as $crate::block::Member>::TYPE,
                        offset: core::mem::offset_of!($name, $member) as u32,
                        doc: concat!($($doc),*),
                    }, )*
                ],
            };
            /// Size in bytes.
            pub const SIZE: usize = core::mem::size_of::<$name>();

            /// Writes the block as little-endian bytes.
            pub fn put(&self, to: &mut [u8]) {
                $( {
                    let at = core::mem::offset_of!($name, $member);
                    let size = <$kind as $crate::block::Member>::TYPE.size() as usize;
                    $crate::block::Member::put(&self.$member, &mut to[at..at + size]);
                } )*
            }

            /// Reads the block from little-endian bytes.
            pub fn get(from: &[u8]) -> Self {
                $name {
                    $( $member: {
                        let at = core::mem::offset_of!($name, $member);
                        let size = <$kind as $crate::block::Member>::TYPE.size() as usize;
                        <$kind as $crate::block::Member>::get(&from[at..at + size])
                    }, )*
                }
            }

            /// The block as little-endian bytes.
            pub fn bytes(&self) -> [u8; Self::SIZE] {
                let mut bytes = [0; Self::SIZE];
                self.put(&mut bytes);
                bytes
            }
        }

        const _: () = {
            let mut end = 0u32;
            let mut align = 4u32;
            let mut i = 0;
            while i < $name::LAYOUT.members.len() {
                let member = &$name::LAYOUT.members[i];
                assert!(member.offset == end, "hidden padding before a member");
                assert!(member.offset % member.kind.align() == 0, "a member is not aligned as std430 wants it");
                end = member.offset + member.kind.size();
                if member.kind.align() > align { align = member.kind.align(); }
                i += 1;
            }
            assert!(end == $name::LAYOUT.size, "hidden padding at the end");
            assert!(end % align == 0, "the size must be a multiple of the largest alignment");
        };
    };
}

#[cfg(test)]
mod tests {
    block! {
        /// A block for this test.
        pub struct Sample {
            /// a matrix
            pub transform: [f32; 16],
            /// a vector
            pub offset_px: [f32; 2],
            /// a handle
            pub image: u64,
            /// a text
            pub reason: crate::block::Text<12>,
            /// a number
            pub count: i32,
        }
    }

    #[test]
    fn bytes_round_trip() {
        let sample = Sample {
            transform: std::array::from_fn(|i| i as f32),
            offset_px: [0.25, -0.5],
            image: 0xfedc_ba98_7654_3210,
            reason: crate::block::Text::new("a cut\u{e9}"),
            count: -7,
        };
        assert_eq!(Sample::get(&sample.bytes()), sample);
        assert_eq!(sample.reason.as_str(), "a cut?");
        assert_eq!(Sample::LAYOUT.members[2].offset, 72);
    }

    #[test]
    fn the_fingerprint_sees_a_renamed_member() {
        let mut members = Sample::LAYOUT.members.to_vec();
        members[1].name = "offset_uv";
        let other = crate::block::BlockLayout {
            members: Box::leak(members.into_boxed_slice()),
            ..Sample::LAYOUT
        };
        assert_ne!(other.fingerprint(), Sample::LAYOUT.fingerprint());
    }
}
