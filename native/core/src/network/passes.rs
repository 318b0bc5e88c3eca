//! The passes of the layers: variants of one shader by what is gathered for a sum and what becomes of it.

use super::{LayerParams, Role};
use crate::pass::{Binding, BindingKind, Element, Pass};
use crate::passes::bind;

/// Invocations of a workgroup.
pub const GROUP: u32 = 128;
/// Tokens of a run: neighbours in a row that one invocation works on.
pub const RUN: u32 = 4;
/// Channels that one invocation works on.
pub const CHANNELS: u32 = 16;

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
};

/// Features to the wide residual and its norm.
pub static DOOR: Pass = Pass {
    variant: "door",
    defines: &["GATHER_TOKEN", "FINISH_WIDE"],
    bindings: &[WEIGHTS, TOKENS_IN, WIDE_OUT, NORMED_OUT],
    ..BASE
};

/// 3x3 to int8, never negative.
pub static HIDDEN: Pass = Pass {
    variant: "hidden",
    defines: &["GATHER_3X3", "FINISH_HIDDEN"],
    bindings: &[WEIGHTS, TOKENS_IN, HIDDEN_OUT],
    ..BASE
};

/// 3x3, added to the residual, and its norm.
pub static RESIDUAL: Pass = Pass {
    variant: "residual",
    defines: &["GATHER_3X3", "FINISH_WIDE", "HAS_RESIDUAL"],
    bindings: &[WEIGHTS, TOKENS_IN, WIDE_IN, WIDE_OUT, NORMED_OUT],
    ..BASE
};

/// Four tokens to one of the next coarser level.
pub static MERGE: Pass = Pass {
    variant: "merge",
    defines: &["GATHER_MERGE", "FINISH_WIDE"],
    bindings: &[WEIGHTS, TOKENS_IN, WIDE_OUT, NORMED_OUT],
    ..BASE
};

/// A token to four of the next finer level, added to that level's residual.
pub static EXPAND: Pass = Pass {
    variant: "expand",
    defines: &["GATHER_EXPAND", "FINISH_WIDE", "HAS_RESIDUAL"],
    bindings: &[WEIGHTS, TOKENS_IN, WIDE_IN, WIDE_OUT, NORMED_OUT],
    ..BASE
};

/// Parameters of the output pass and recurrent features.
pub static HEADS: Pass = Pass {
    variant: "heads",
    defines: &["GATHER_TOKEN", "FINISH_HEADS"],
    bindings: &[WEIGHTS, TOKENS_IN, PARAMETERS_OUT, RECURRENT_OUT],
    ..BASE
};

/// The pass of a role.
pub fn of(role: Role) -> &'static Pass {
    match role {
        Role::Door => &DOOR,
        Role::Hidden => &HIDDEN,
        Role::Residual => &RESIDUAL,
        Role::Merge => &MERGE,
        Role::Expand => &EXPAND,
        Role::Heads => &HEADS,
    }
}
