//! Every pass of the library. The build compiles `shaders/<area>/<name>.comp` for each.

use crate::frame_params::FrameParams;
use crate::network::passes as network;
use crate::pass::{Binding, BindingKind, Element, Needs, Pass};

pub(crate) const fn bind(name: &'static str, kind: BindingKind) -> Binding {
    Binding { name, kind }
}

const INPUT_WORD: BindingKind = BindingKind::Input(Element::U32);
const OUTPUT_WORD: BindingKind = BindingKind::Output(Element::U32);
const INPUT_PAIR: BindingKind = BindingKind::Input(Element::UVec2);
const OUTPUT_PAIR: BindingKind = BindingKind::Output(Element::UVec2);
const INPUT_QUAD: BindingKind = BindingKind::Input(Element::UVec4);
const OUTPUT_QUAD: BindingKind = BindingKind::Output(Element::UVec4);

/// What the passes of a frame share.
const OF_FRAME: Pass = Pass {
    area: "frame",
    name: "",
    variant: "",
    defines: &[],
    group: [16, 8, 1],
    block: &FrameParams::LAYOUT,
    bindings: &[],
    is_exact: true,
    needs: Needs::Baseline,
};

/// Measures the exposure: the mean of log2 luma over a regular grid of pixels, as one float.
pub static EXPOSURE: Pass = Pass {
    name: "exposure",
    bindings: &[
        bind("color_image", BindingKind::Sampled),
        bind("exposure_image", BindingKind::Sampled),
        // sum (low word), sum (high word), counted pixels, finished workgroups; zero between frames
        bind("exposure_sums", BindingKind::Atomic(Element::U32)),
        // float bits of the exposure
        bind("exposure_value", OUTPUT_WORD),
    ],
    ..OF_FRAME
};

/// Reads the inputs at the door: sanitised samples, nearest-depth motion, disocclusion, local statistics.
pub static GATHER: Pass = Pass {
    name: "gather",
    bindings: &[
        bind("color_image", BindingKind::Sampled),
        bind("depth_image", BindingKind::Sampled),
        bind("motion_image", BindingKind::Sampled),
        bind("exposure_value", INPUT_WORD),
        // previous frame's surfaces: depth as float bits; mean and deviation of luma as halves
        bind("prev_surface", INPUT_PAIR),
        // linear rgb as halves, and the sample's weight (0: the pixel was not finite)
        bind("sample_color", OUTPUT_PAIR),
        // motion x and y as halves
        bind("sample_motion", OUTPUT_WORD),
        // as halves: mean and deviation of the 3x3 neighbourhood in luma/chroma, alpha, use of history
        bind("sample_stats", OUTPUT_QUAD),
        // this frame's surfaces
        bind("next_surface", OUTPUT_PAIR),
    ],
    ..OF_FRAME
};

/// Draws the picture: current samples by their distance, plus the history that deserves trust.
pub static OUTPUT: Pass = Pass {
    name: "output",
    bindings: &[
        bind("exposure_value", INPUT_WORD),
        bind("sample_color", INPUT_PAIR),
        bind("sample_motion", INPUT_WORD),
        bind("sample_stats", INPUT_QUAD),
        // rgb as halves; weight in 64ths (13 bits) and frames outside the clamp (3 bits)
        bind("prev_history", INPUT_PAIR),
        bind("next_history", OUTPUT_PAIR),
        // alpha as a half, only where alpha is reconstructed
        bind("prev_alpha", INPUT_WORD),
        bind("next_alpha", OUTPUT_WORD),
        bind("output_image", BindingKind::Storage),
        bind("debug_image", BindingKind::Storage),
    ],
    ..OF_FRAME
};

/// What a network sees of a frame, as signed bytes.
pub static FEATURES: Pass = Pass {
    area: "network",
    name: "features",
    group: [8, 8, 1],
    bindings: &[
        bind("exposure_value", INPUT_WORD),
        bind("sample_color", INPUT_PAIR),
        bind("sample_motion", INPUT_WORD),
        bind("sample_stats", INPUT_QUAD),
        bind("next_surface", INPUT_PAIR),
        bind("prev_history", INPUT_PAIR),
        // 8 signed bytes a token
        bind("prev_recurrent", INPUT_PAIR),
        // 64 signed bytes a token
        bind("features", OUTPUT_QUAD),
    ],
    ..OF_FRAME
};

/// Draws the picture from a network's decisions.
pub static RESOLVE: Pass = Pass {
    area: "network",
    name: "resolve",
    bindings: &[
        bind("exposure_value", INPUT_WORD),
        bind("sample_color", INPUT_PAIR),
        bind("sample_motion", INPUT_WORD),
        bind("sample_stats", INPUT_QUAD),
        // as halves, four pixels a token: kernel (x * x, 2 * x * y, y * y), weight of the sample, share of the
        // history to keep, half-size of its clamp in deviations; two unused
        bind("decisions", INPUT_QUAD),
        // rgb as halves; weight in 64ths (13 bits) and frames outside the clamp (3 bits)
        bind("prev_history", INPUT_PAIR),
        bind("next_history", OUTPUT_PAIR),
        bind("prev_alpha", INPUT_WORD),
        bind("next_alpha", OUTPUT_WORD),
        bind("output_image", BindingKind::Storage),
        bind("debug_image", BindingKind::Storage),
    ],
    ..OF_FRAME
};

/// Bypass: the input enlarged by a bicubic filter, or copied where the sizes are equal.
pub static ENLARGE: Pass = Pass {
    name: "enlarge",
    bindings: &[
        bind("color_image", BindingKind::Sampled),
        bind("output_image", BindingKind::Storage),
    ],
    ..OF_FRAME
};

/// Counts what the inputs hold, for people who look for a wiring fault.
pub static STATISTICS: Pass = Pass {
    area: "debug",
    name: "statistics",
    bindings: &[
        bind("color_image", BindingKind::Sampled),
        bind("depth_image", BindingKind::Sampled),
        bind("motion_image", BindingKind::Sampled),
        // moving pixels, pixels with non-finite motion, longest motion (float bits), non-finite colour, non-finite depth
        bind("counts", BindingKind::Atomic(Element::U32)),
    ],
    is_exact: false,
    ..OF_FRAME
};

/// All of them, in the order in which a frame may run them.
pub static ALL: &[&Pass] = &[
    &EXPOSURE,
    &GATHER,
    &FEATURES,
    &network::DOOR,
    &network::HIDDEN,
    &network::RESIDUAL,
    &network::MERGE,
    &network::EXPAND,
    &network::HEADS,
    &network::QKV,
    &network::ATTENTION,
    &network::TOKEN_HIDDEN,
    &network::TOKEN_RESIDUAL,
    &network::DOOR_DOT,
    &network::HIDDEN_DOT,
    &network::RESIDUAL_DOT,
    &network::MERGE_DOT,
    &network::EXPAND_DOT,
    &network::HEADS_DOT,
    &network::QKV_DOT,
    &network::ATTENTION_DOT,
    &network::TOKEN_HIDDEN_DOT,
    &network::TOKEN_RESIDUAL_DOT,
    &network::DOOR_MATRIX,
    &network::HIDDEN_MATRIX,
    &network::RESIDUAL_MATRIX,
    &network::MERGE_MATRIX,
    &network::EXPAND_MATRIX,
    &network::HEADS_MATRIX,
    &network::QKV_MATRIX,
    &network::TOKEN_HIDDEN_MATRIX,
    &network::TOKEN_RESIDUAL_MATRIX,
    &RESOLVE,
    &OUTPUT,
    &ENLARGE,
    &STATISTICS,
];

/// Those that every device runs.
pub fn baseline() -> impl Iterator<Item = &'static Pass> {
    (ALL.iter().copied()).filter(|pass| pass.needs == Needs::Baseline)
}
