//! `reconstruct dump`: what a part of a network reads and writes, as tensors.

use super::parse_size;
use crate::error::{Error, Result};
use crate::network_run::NetworkRun;
use crate::whole_file;
use clap::Args;
use reconstruction_core::network::{self, LayerParams};
use reconstruction_core::Size;
use safetensors::tensor::TensorView;
use safetensors::Dtype;
use std::io::Write;
use std::path::PathBuf;

/// Write what a part of a network reads and writes as a safetensors file, computed by the CPU references.
#[derive(Debug, Args)]
pub struct Options {
    /// The model, a safetensors file
    model: PathBuf,
    /// A layer (enc1.0.a), a stage (enc1), or all
    stage: String,
    /// Render size
    #[arg(long, value_parser = parse_size, default_value = "96x54")]
    size: Size,
    /// Seed of the features
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The file to write
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<()> {
    let model = network::read(&options.model)?;
    let mut run = NetworkRun::new(model, options.size, options.seed);
    let steps = run.steps(&options.stage)?;
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
    let params = LayerParams::get(step.params.as_deref().expect("a layer's parameters"));
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
                "tokens_in" => params.input_grid,
                _ => params.output_grid,
            };
            let words = run.slot_words(slot);
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
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
