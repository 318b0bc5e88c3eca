//! The dispatches of a network.

use super::attention::{self, UNIT, UNIT_SHIFT};
use super::passes::{self, Path, CHANNELS};
use super::{norm_factor, norm_shift, AttentionParams, Layer, LayerParams, LayerWeights};
use super::{Planes, Role, Weights};
use crate::plan::{Plan, Range, Slot, Step};
use crate::size::Size;

/// Sizes of a layer's step, as its parameters have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepSizes {
    /// Tokens of the plane that is read, width and height.
    pub input_grid: [u32; 2],
    /// Tokens of the plane that is written.
    pub output_grid: [u32; 2],
    /// Multiplications for a token that is written.
    pub macs_per_token: u64,
}

impl StepSizes {
    /// Of a step that [`append`] made; none for any other.
    pub fn of(step: &Step) -> Option<Self> {
        let bytes = step.params.as_deref()?;
        if step.pass.block.name == AttentionParams::LAYOUT.name {
            let params = AttentionParams::get(bytes);
            let channels = u64::from(attention::HEAD) * u64::from(params.heads);
            return Some(StepSizes {
                input_grid: params.grid,
                output_grid: params.grid,
                macs_per_token: 2 * u64::from(attention::KEYS) * channels,
            });
        }
        let params = LayerParams::get(bytes);
        let sums = u64::from(params.input_channels) * u64::from(params.output_channels);
        Some(StepSizes {
            input_grid: params.input_grid,
            output_grid: params.output_grid,
            macs_per_token: sums * u64::from(passes::taps(step.pass)),
        })
    }
}

/// Most workgroups on an axis that every device takes.
const MOST_GROUPS: u32 = 65535;

/// Appends every layer: from the features, which an earlier step wrote, to the parameters and `recurrent`.
///
/// `base` is where the network's memory begins in the arena.
pub fn append(
    plan: &mut Plan,
    path: Path,
    weights: &Weights,
    planes: &Planes,
    base: u64,
    recurrent: Range,
) {
    let place = |plane: usize| {
        let range = planes.planes()[plane].range;
        Slot::Range(Range {
            offset: base + range.offset,
            ..range
        })
    };
    for (flow, at) in planes.flow.iter().zip(weights.layers()) {
        let layer = &flow.layer;
        let mut slots = vec![Slot::Weights(at.range), place(flow.input)];
        slots.extend(flow.residual.iter().chain(&flow.outputs).map(|&p| place(p)));
        if layer.role == Role::Heads {
            slots.push(Slot::Range(recurrent));
        }
        let (params, count) = match layer.role {
            Role::Attention(shift) => {
                let params = attention_params(layer, shift, planes.grids());
                (params.bytes().to_vec(), params.window_heads)
            }
            _ => {
                let params = params(layer, path, at, planes.grids());
                let count = params.runs.div_ceil(params.runs_per_group);
                (params.bytes().to_vec(), count)
            }
        };
        plan.push_step(
            layer.name.clone().into(),
            passes::of(layer.role, path),
            Some(params),
            groups(count),
            slots,
        );
    }
}

fn params(layer: &Layer, path: Path, weights: &LayerWeights, grids: &[Size]) -> LayerParams {
    let side = |level: usize| [grids[level].width, grids[level].height];
    let output_grid = side(layer.output_level);
    let runs_per_row = runs_per_row(layer.role, path.run(), output_grid[0]);
    let lanes = layer.outputs / CHANNELS;
    let (norm_shift, norm_factor) = match layer.role {
        Role::Hidden | Role::TokenHidden | Role::Heads => (0, 0.0),
        Role::Qkv => (UNIT_SHIFT, UNIT / (1 << UNIT_SHIFT) as f32),
        _ => (norm_shift(layer.outputs), norm_factor(layer.outputs)),
    };
    LayerParams {
        input_grid: side(layer.input_level),
        output_grid,
        input_channels: layer.inputs,
        output_channels: layer.outputs,
        bias_unit: weights.bias_unit,
        multiplier_unit: weights.multiplier_unit,
        runs_per_row,
        runs: runs_per_row * output_grid[1],
        lanes,
        runs_per_group: path.runs_per_group(lanes),
        norm_shift,
        norm_factor,
    }
}

fn attention_params(layer: &Layer, shift: u32, grids: &[Size]) -> AttentionParams {
    let Size { width, height } = grids[layer.output_level];
    let [columns, rows] = [width, height].map(|tokens| attention::windows(tokens, shift));
    AttentionParams {
        grid: [width, height],
        heads: layer.heads(),
        shift,
        windows_per_row: columns,
        window_heads: columns * rows * layer.heads(),
    }
}

/// A run is neighbours, or for an expansion every second of twice as many: those have the same place in their parent.
fn runs_per_row(role: Role, run: u32, width: u32) -> u32 {
    match role {
        Role::Expand => 2 * width.div_ceil(2 * run),
        _ => width.div_ceil(run),
    }
}

/// Workgroups in rows that every device takes; those of the last row beyond the count have nothing to do.
fn groups(count: u32) -> [u32; 3] {
    let rows = count.div_ceil(MOST_GROUPS);
    [count.div_ceil(rows), rows, 1]
}

#[cfg(test)]
mod tests {
    use super::super::{from_bytes, random, Architecture};
    use super::*;

    #[test]
    fn every_layer_is_a_step_behind_a_barrier() {
        let network = Architecture::conv(&[32, 64, 96], &[0, 1, 1, 0, 2]).unwrap();
        let model = from_bytes(&random(1, &network)).unwrap();
        let planes = Planes::new(&network, Size::new(57, 33));
        let recurrent = Range {
            offset: 4096 + planes.size(),
            size: 8 * planes.grids()[0].area(),
        };
        let mut plan = Plan::default();
        append(
            &mut plan,
            Path::Plain,
            &model.weights,
            &planes,
            4096,
            recurrent,
        );
        let labels: Vec<_> = plan.steps.iter().map(|s| s.label.as_ref()).collect();
        assert_eq!(labels[0], "door");
        assert_eq!(labels[labels.len() - 1], "heads");
        assert_eq!(labels.len(), 14);
        assert!(plan.steps[1..].iter().all(|step| step.barrier_before));
        let expand = LayerParams::get(plan.steps[8].params.as_ref().unwrap());
        assert_eq!((expand.input_grid, expand.output_grid), ([15, 9], [29, 17]));
        assert_eq!((expand.runs_per_row, expand.runs), (8, 136));
        assert_eq!((expand.lanes, expand.runs_per_group), (2, 64));
        assert_eq!(plan.steps[8].groups, [3, 1, 1]);
    }

    #[test]
    fn a_window_and_head_is_a_workgroup() {
        let network = Architecture::conv(&[32, 64, 96], &[0, 0, 0, 1, 0])
            .and_then(|network| network.with_swin(&["dec1"]))
            .unwrap();
        let model = from_bytes(&random(1, &network)).unwrap();
        let planes = Planes::new(&network, Size::new(57, 33));
        let recurrent = Range {
            offset: planes.size(),
            size: 8 * planes.grids()[0].area(),
        };
        let mut plan = Plan::default();
        append(&mut plan, Path::Dot, &model.weights, &planes, 0, recurrent);
        let labels: Vec<_> = plan.steps[4..9].iter().map(|s| s.label.as_ref()).collect();
        let of_block = ["qkv", "attention", "proj", "up", "down"];
        assert_eq!(labels, of_block.map(|part| format!("dec1.0.{part}")));
        let qkv = LayerParams::get(plan.steps[4].params.as_ref().unwrap());
        assert_eq!((qkv.lanes, qkv.runs_per_group), (12, 10));
        assert_eq!((qkv.norm_shift, qkv.norm_factor), (2, 31.75));
        let attention = AttentionParams::get(plan.steps[5].params.as_ref().unwrap());
        assert_eq!((attention.grid, attention.heads), ([15, 9], 2));
        assert_eq!((attention.shift, attention.windows_per_row), (4, 3));
        assert_eq!(attention.window_heads, 3 * 2 * 2);
        assert_eq!(plan.steps[5].groups, [12, 1, 1]);
    }

    #[test]
    fn groups_fit_every_device() {
        for count in [1, 65535, 65536, 200_000, 1 << 22] {
            let [x, y, z] = groups(count);
            assert!(
                x <= MOST_GROUPS && x * y >= count && x * y < count + y,
                "{count}"
            );
            assert_eq!(z, 1);
        }
    }
}
