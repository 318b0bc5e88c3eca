//! What every frame reads and leaves inside the engine, as tensors in files: for comparisons with PyTorch.

use crate::cpu_executor::CpuExecutor;
use crate::error::{Error, Result};
use crate::executor::{Executor, Input, Settings};
use crate::image::Picture;
use crate::network_run::to_bytes;
use crate::whole_file;
use reconstruction_core::exact::unpack_halves;
use reconstruction_core::network::grids;
use reconstruction_core::plan::{Plan, Range, Slot};
use reconstruction_core::tuning::INV_WEIGHT_STEPS;
use reconstruction_core::{Size, Sizes};
use safetensors::tensor::TensorView;
use safetensors::Dtype;
use std::path::PathBuf;

/// Bindings whose contents are kept, each from the step that writes it.
const KEPT: [&str; 4] = [
    "exposure_value",
    "features",
    "recurrent_out",
    "next_history",
];

/// The CPU references, writing a file a frame into a folder.
#[derive(Debug)]
pub struct DumpingExecutor {
    inner: CpuExecutor,
    sizes: Sizes,
    /// Step and range of every entry of `KEPT`, by parity.
    kept: [[Option<(usize, Range)>; KEPT.len()]; 2],
    folder: PathBuf,
    frames: usize,
}

impl DumpingExecutor {
    /// References without history; files go to `folder`, which exists.
    pub fn new(settings: Settings, folder: PathBuf) -> Self {
        let sizes = settings.sizes;
        let inner = CpuExecutor::new(settings);
        DumpingExecutor {
            sizes,
            kept: [0, 1].map(|parity| KEPT.map(|name| written(inner.plan(parity), name))),
            inner,
            folder,
            frames: 0,
        }
    }

    fn write(&self, words: &[Vec<u32>; KEPT.len()]) -> Result<()> {
        let path = self.folder.join(format!("{:04}.safetensors", self.frames));
        let [exposure, features, recurrent, history] = words;
        let Size { width, height } = self.sizes.output;
        let picture = [height as usize, width as usize];
        let grid = grids(self.sizes.render, 1)[0];
        let [rows, columns] = [grid.height, grid.width].map(|n| n as usize);
        let tensors = [
            ("exposure", Dtype::F32, vec![1], to_bytes(exposure)),
            (
                "features",
                Dtype::I8,
                vec![rows, columns, 64],
                to_bytes(features),
            ),
            (
                "recurrent",
                Dtype::I8,
                vec![rows, columns, 8],
                to_bytes(recurrent),
            ),
            (
                "history_color",
                Dtype::F32,
                [&picture[..], &[3]].concat(),
                colors(history),
            ),
            (
                "history_weight",
                Dtype::F32,
                picture.to_vec(),
                weights(history),
            ),
        ];
        let fault = |e: safetensors::SafeTensorError| Error::file(&path, "encode", e);
        let views = tensors
            .iter()
            // The analytic model has neither features nor recurrent ones.
            .filter(|(_, _, _, bytes)| !bytes.is_empty())
            .map(|(name, dtype, shape, bytes)| {
                // Ranges may be longer than what they hold.
                let held = dtype.bitsize() / 8 * shape.iter().product::<usize>();
                let bytes = bytes.get(..held).unwrap_or(bytes);
                Ok((*name, TensorView::new(*dtype, shape.clone(), bytes)?))
            })
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(fault)?;
        whole_file::write(&path, &safetensors::serialize(views, None).map_err(fault)?)
    }
}

/// The first step that has this binding, which is the one that writes it, and the binding's range.
fn written(plan: &Plan, name: &str) -> Option<(usize, Range)> {
    plan.steps.iter().enumerate().find_map(|(index, step)| {
        let mut slots = step.slots.iter().zip(step.pass.bindings);
        slots.find_map(|(slot, binding)| match slot {
            Slot::Range(range) if binding.name == name => Some((index, *range)),
            _ => None,
        })
    })
}

/// rgb of the words of a history.
fn colors(history: &[u32]) -> Vec<u8> {
    let pixels = history.chunks_exact(2).flat_map(|words| {
        let [red, green] = unpack_halves(words[0]);
        [red, green, unpack_halves(words[1] & 0xffff)[0]]
    });
    pixels.flat_map(f32::to_le_bytes).collect()
}

/// Accumulated weights of the words of a history.
fn weights(history: &[u32]) -> Vec<u8> {
    let pixels = history.chunks_exact(2);
    pixels
        .flat_map(|words| ((words[1] >> 19) as f32 * INV_WEIGHT_STEPS).to_le_bytes())
        .collect()
}

impl Executor for DumpingExecutor {
    fn device(&self) -> String {
        self.inner.device()
    }

    fn restart(&mut self, settings: Settings) -> Result<()> {
        *self = DumpingExecutor::new(settings, self.folder.clone());
        Ok(())
    }

    fn evaluate(&mut self, input: &Input) -> Result<Picture> {
        // Every frame is reconstructed, so the histories take turns.
        let kept = &self.kept[self.frames % 2];
        let mut words = [const { Vec::new() }; KEPT.len()];
        // Planes of a network share memory, so each is read as soon as it is written.
        let picture = self.inner.evaluate_watched(input, |index, machine| {
            for (words, kept) in words.iter_mut().zip(kept) {
                if let Some((step, range)) = kept {
                    if *step == index {
                        *words = machine.range(*range).to_vec();
                    }
                }
            }
        });
        self.write(&words)?;
        self.frames += 1;
        Ok(picture)
    }

    fn range(&mut self, range: Range) -> Result<Vec<u32>> {
        self.inner.range(range)
    }
}
