//! `reconstruct dump`: what a part of a network reads and writes, as tensors.

use crate::error::{Error, Result};
use crate::network_run::{to_bytes, NetworkRun, Part};
use crate::whole_file;
use clap::Args;
use reconstruction_core::network::plan::StepSizes;
use safetensors::tensor::TensorView;
use safetensors::Dtype;
use std::io::Write;
use std::path::PathBuf;

/// Write what a part of a network reads and writes as a safetensors file, computed by the CPU references.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    part: Part,
    /// The file to write
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let (mut run, steps) = options.part.open()?;
    let mut tensors = Vec::new();
    for index in 0..=steps[steps.len() - 1] {
        let is_dumped = steps.contains(&index);
        if is_dumped {
            tensors.extend(planes(&run, index, true));
        }
        run.run_reference(index);
        if is_dumped {
            tensors.extend(planes(&run, index, false));
        }
    }
    let fault = |e: safetensors::SafeTensorError| Error::file(&options.out, "encode", e);
    let views = (tensors.iter())
        .map(|t| {
            Ok((
                &t.name,
                TensorView::new(t.dtype, t.shape.clone(), &t.bytes)?,
            ))
        })
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(fault)?;
    let bytes = safetensors::serialize(views, None).map_err(fault)?;
    whole_file::write(&options.out, &bytes)?;
    let text = format!("{} tensors in {}\n", tensors.len(), options.out.display());
    super::print(out, &text)
}

struct Dumped {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// The planes that a step reads, or those that it writes: rows, columns, values of a token.
fn planes(run: &NetworkRun, index: usize, is_read: bool) -> Vec<Dumped> {
    let step = &run.plan.steps[index];
    let sizes = StepSizes::of(step).expect("a step of a network");
    let slots = step.slots.iter().zip(step.pass.bindings);
    slots
        .filter(|(_, binding)| binding.name.ends_with("_in") == is_read)
        .filter_map(|(slot, binding)| {
            let (dtype, width) = match binding.name {
                "wide_in" | "wide_out" => (Dtype::I16, 2),
                "parameters_out" => (Dtype::F16, 2),
                _ => (Dtype::I8, 1),
            };
            let grid = match binding.name {
                "tokens_in" => sizes.input_grid,
                _ => sizes.output_grid,
            };
            let bytes = to_bytes(run.slot_words(slot));
            let [columns, rows] = grid.map(|n| n as usize);
            let values = bytes.len() / width / (columns * rows);
            (!bytes.is_empty()).then(|| Dumped {
                name: format!("{}.{}", step.label, binding.name),
                dtype,
                shape: vec![rows, columns, values],
                bytes,
            })
        })
        .collect()
}
