//! As much of SPIR-V's binary form as the tests need, written apart from the build's own reader.

use std::collections::BTreeSet;

/// A module: five header words, then instructions of (length << 16 | opcode).
pub struct Words(pub &'static [u32]);

impl Words {
    fn instructions(&self) -> impl Iterator<Item = &'static [u32]> {
        let mut rest = &self.0[5..];
        std::iter::from_fn(move || {
            let length = (rest.first()? >> 16) as usize;
            let (instruction, after) = rest.split_at(length);
            rest = after;
            Some(instruction)
        })
    }

    /// Result ids of the instructions with such an opcode; all of them have a result type.
    pub fn results(&self, is_wanted: fn(u32) -> bool) -> BTreeSet<u32> {
        self.instructions()
            .filter(|i| is_wanted(i[0] & 0xffff))
            .map(|i| i[2])
            .collect()
    }

    /// Ids decorated NoContraction (42) by OpDecorate (71).
    pub fn no_contraction(&self) -> BTreeSet<u32> {
        self.instructions()
            .filter(|i| i[0] & 0xffff == 71 && i[2] == 42)
            .map(|i| i[1])
            .collect()
    }
}

/// OpFNegate, OpFAdd, OpFSub, OpFMul, OpVectorTimesScalar.
pub fn is_rounded(opcode: u32) -> bool {
    matches!(opcode, 127 | 129 | 131 | 133 | 142)
}
