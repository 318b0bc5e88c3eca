//! The passes of the layers: variants of one shader by what is gathered for a sum and what becomes of it; attention.

use super::{attention, AttentionParams, LayerParams, Role};
use crate::pass::{Binding, BindingKind, Element, Needs, Pass};
use crate::passes::bind;

/// Invocations of a workgroup.
pub const GROUP: u32 = 128;
/// Channels that one invocation works on.
pub const CHANNELS: u32 = 16;
/// Invocations of a subgroup that multiplies matrices.
pub const SUBGROUP: u32 = 32;

const INPUT: BindingKind = BindingKind::Input(Element::UVec4);
const OUTPUT: BindingKind = BindingKind::Output(Element::UVec4);

// weights: int8, the products of an output in a row; int32 biases; f32 multipliers
const WEIGHTS: Binding = bind("weights", INPUT);
// int8 tokens, channels in a row
const TOKENS_IN: Binding = bind("tokens_in", INPUT);
// int16 residual that the sums are added to
const WIDE_IN: Binding = bind("wide_in", INPUT);
// int16 residual
const WIDE_OUT: Binding = bind("wide_out", OUTPUT);
// its norm, int8
const NORMED_OUT: Binding = bind("normed_out", OUTPUT);
// int8, 0..127
const HIDDEN_OUT: Binding = bind("hidden_out", OUTPUT);
// int8: queries and keys of unit length by head, then values
const QKV_OUT: Binding = bind("qkv_out", OUTPUT);
// per pixel of a token halves: kernel A, B, C, sample weight, keep, clamp width, nothing, nothing
const PARAMETERS_OUT: Binding = bind("parameters_out", OUTPUT);
// eight int8 a token
const RECURRENT_OUT: Binding = bind("recurrent_out", BindingKind::Output(Element::U32));

const BASE: Pass = Pass {
    area: "network",
    name: "layer",
    variant: "",
    defines: &[],
    group: [GROUP, 1, 1],
    block: &LayerParams::LAYOUT,
    bindings: &[],
    is_exact: true,
    needs: Needs::Baseline,
};

/// How the products of a layer are summed. Every path gives the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// Integers, one product at a time: any device.
    Plain,
    /// Dot products of four packed bytes.
    Dot,
    /// Cooperative matrices; dot products in attention.
    Matrix,
}

impl Path {
    /// Every path, the slowest first.
    pub const ALL: [Path; 3] = [Path::Plain, Path::Dot, Path::Matrix];

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Path::Plain => "plain",
            Path::Dot => "dot",
            Path::Matrix => "matrix",
        }
    }

    /// What it needs of a device.
    pub fn needs(self) -> Needs {
        match self {
            Path::Plain => Needs::Baseline,
            Path::Dot => Needs::IntegerDotProduct,
            Path::Matrix => Needs::CooperativeMatrix,
        }
    }

    /// Tokens of a run, which one invocation or one subgroup works on.
    pub fn run(self) -> u32 {
        match self {
            Path::Plain | Path::Dot => 4,
            Path::Matrix => 16,
        }
    }

    /// Runs of a workgroup, for `lanes` times 16 channels.
    pub fn runs_per_group(self, lanes: u32) -> u32 {
        match self {
            Path::Plain | Path::Dot => GROUP / lanes,
            Path::Matrix => GROUP / SUBGROUP,
        }
    }
}

/// A variant with its pass of each path.
macro_rules! variant {
    (
        $(#[doc = $doc:literal])*
        $plain:ident, $dot:ident, $matrix:ident: $variant:literal, $defines:expr, $bindings:expr
    ) => {
        $(#[doc = $doc])*
        pub static $plain: Pass = Pass {
            variant: $variant,
            defines: &$defines,
            bindings: &$bindings,
            ..BASE
        };
        $(#[doc = $doc])*
        pub static $dot: Pass = Pass {
            name: "layer_dot",
            needs: Needs::IntegerDotProduct,
            variant: $variant,
            defines: &$defines,
            bindings: &$bindings,
            ..BASE
        };
        $(#[doc = $doc])*
        pub static $matrix: Pass = Pass {
            name: "layer_matrix",
            needs: Needs::CooperativeMatrix,
            variant: $variant,
            defines: &$defines,
            bindings: &$bindings,
            ..BASE
        };
    };
}

variant! {
    /// Features to the wide residual and its norm.
    DOOR, DOOR_DOT, DOOR_MATRIX: "door",
    ["GATHER_TOKEN", "FINISH_WIDE"],
    [WEIGHTS, TOKENS_IN, WIDE_OUT, NORMED_OUT]
}
variant! {
    /// 3x3 to int8, never negative.
    HIDDEN, HIDDEN_DOT, HIDDEN_MATRIX: "hidden",
    ["GATHER_3X3", "FINISH_HIDDEN"],
    [WEIGHTS, TOKENS_IN, HIDDEN_OUT]
}
variant! {
    /// 3x3, added to the residual, and its norm.
    RESIDUAL, RESIDUAL_DOT, RESIDUAL_MATRIX: "residual",
    ["GATHER_3X3", "FINISH_WIDE", "HAS_RESIDUAL"],
    [WEIGHTS, TOKENS_IN, WIDE_IN, WIDE_OUT, NORMED_OUT]
}
variant! {
    /// A token to its queries, keys and values.
    QKV, QKV_DOT, QKV_MATRIX: "qkv",
    ["GATHER_TOKEN", "FINISH_QKV"],
    [WEIGHTS, TOKENS_IN, QKV_OUT]
}
variant! {
    /// A token to int8, never negative.
    TOKEN_HIDDEN, TOKEN_HIDDEN_DOT, TOKEN_HIDDEN_MATRIX: "token_hidden",
    ["GATHER_TOKEN", "FINISH_HIDDEN"],
    [WEIGHTS, TOKENS_IN, HIDDEN_OUT]
}
variant! {
    /// A token, added to the residual, and its norm.
    TOKEN_RESIDUAL, TOKEN_RESIDUAL_DOT, TOKEN_RESIDUAL_MATRIX: "token_residual",
    ["GATHER_TOKEN", "FINISH_WIDE", "HAS_RESIDUAL"],
    [WEIGHTS, TOKENS_IN, WIDE_IN, WIDE_OUT, NORMED_OUT]
}
variant! {
    /// Four tokens to one of the next coarser level.
    MERGE, MERGE_DOT, MERGE_MATRIX: "merge",
    ["GATHER_MERGE", "FINISH_WIDE"],
    [WEIGHTS, TOKENS_IN, WIDE_OUT, NORMED_OUT]
}
variant! {
    /// A token to four of the next finer level, added to that level's residual.
    EXPAND, EXPAND_DOT, EXPAND_MATRIX: "expand",
    ["GATHER_EXPAND", "FINISH_WIDE", "HAS_RESIDUAL"],
    [WEIGHTS, TOKENS_IN, WIDE_IN, WIDE_OUT, NORMED_OUT]
}
variant! {
    /// Parameters of the output pass and recurrent features.
    HEADS, HEADS_DOT, HEADS_MATRIX: "heads",
    ["GATHER_TOKEN", "FINISH_HEADS"],
    [WEIGHTS, TOKENS_IN, PARAMETERS_OUT, RECURRENT_OUT]
}

/// Values mixed by queries and keys, a workgroup a window and head, an invocation a query.
pub static ATTENTION: Pass = Pass {
    name: "attention",
    group: [attention::WINDOW * attention::WINDOW, 1, 1],
    block: &AttentionParams::LAYOUT,
    bindings: &[
        // of each head int32: 17 x 17 positions, sharpness, two of nothing
        bind("tables", INPUT),
        // int8: queries and keys of unit length by head, then values
        bind("qkv_in", INPUT),
        // int8
        bind("mixed_out", OUTPUT),
    ],
    ..BASE
};
/// The same with dot products of four packed bytes.
pub static ATTENTION_DOT: Pass = Pass {
    name: "attention_dot",
    needs: Needs::IntegerDotProduct,
    ..ATTENTION
};

/// The pass of a role.
pub fn of(role: Role, path: Path) -> &'static Pass {
    let [plain, dot, matrix]: [&Pass; 3] = match role {
        Role::Door => [&DOOR, &DOOR_DOT, &DOOR_MATRIX],
        Role::Hidden => [&HIDDEN, &HIDDEN_DOT, &HIDDEN_MATRIX],
        Role::Residual => [&RESIDUAL, &RESIDUAL_DOT, &RESIDUAL_MATRIX],
        Role::Qkv => [&QKV, &QKV_DOT, &QKV_MATRIX],
        Role::Attention(_) => [&ATTENTION, &ATTENTION_DOT, &ATTENTION_DOT],
        Role::TokenHidden => [&TOKEN_HIDDEN, &TOKEN_HIDDEN_DOT, &TOKEN_HIDDEN_MATRIX],
        Role::TokenResidual => [&TOKEN_RESIDUAL, &TOKEN_RESIDUAL_DOT, &TOKEN_RESIDUAL_MATRIX],
        Role::Merge => [&MERGE, &MERGE_DOT, &MERGE_MATRIX],
        Role::Expand => [&EXPAND, &EXPAND_DOT, &EXPAND_MATRIX],
        Role::Heads => [&HEADS, &HEADS_DOT, &HEADS_MATRIX],
    };
    match path {
        Path::Plain => plain,
        Path::Dot => dot,
        Path::Matrix => matrix,
    }
}

/// Tokens that are read for one that is written.
pub fn taps(pass: &Pass) -> u32 {
    let gathers = |name| pass.defines.contains(&name);
    match () {
        () if gathers("GATHER_3X3") => 9,
        () if gathers("GATHER_MERGE") => 4,
        () => 1,
    }
}
