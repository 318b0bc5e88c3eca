//! A network alone, over random features: its memory, its steps, and what the CPU references make of them.

use crate::commands::parse_size;
use crate::error::{Error, Result};
use crate::gpu_executor::words_of;
use clap::Args;
use reconstruction_core::network::{self, grids, plan, Model, Path, Planes, FEATURES, RECURRENT};
use reconstruction_core::plan::{Plan, Range, Slot, Step};
use reconstruction_core::Size;
use reconstruction_engine::Workbench;
use reconstruction_host::Host;
use reconstruction_shaders::cpu::Machine;
use safetensors::{Dtype, SafeTensors};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

/// What stands in bytes that no step may touch, and in planes before they are written.
const MARKER: u32 = 0xa5c3_96e1;
/// Bytes of marker around the memory of the network and the recurrent features.
const GUARD: u64 = 4096;

/// A part of a network, as it is typed.
#[derive(Debug, Args)]
pub struct Part {
    /// The model, a safetensors file
    model: PathBuf,
    /// A layer (enc1.0.a), a stage (enc1), or all
    stage: String,
    /// Render size
    #[arg(long, value_parser = parse_size, default_value = "96x54", conflicts_with = "frame")]
    size: Size,
    /// Seed of the features
    #[arg(long, default_value_t = 0, conflicts_with = "frame")]
    seed: u64,
    /// A file of `reconstruct frames --dump`: the features of a real frame in place of random ones
    #[arg(long)]
    frame: Option<PathBuf>,
}

impl Part {
    /// The network, and the indices of the part's steps.
    ///
    /// # Errors
    /// A model that is refused, or has no such part.
    pub fn open(&self) -> Result<(NetworkRun, Vec<usize>)> {
        let model = network::read(&self.model)?;
        let run = match &self.frame {
            Some(path) => {
                let (size, features) = features_of_frame(path)?;
                NetworkRun::new(model, size, &features)
            }
            None => NetworkRun::new(model, self.size, &random_features(self.size, self.seed)),
        };
        let steps = run.steps(&self.stage)?;
        Ok((run, steps))
    }
}

/// A network at a render size.
pub struct NetworkRun {
    /// The model.
    pub model: Model,
    /// Render size; of a frame's features rounded up to whole tokens.
    pub size: Size,
    /// Its memory inside the arena.
    pub planes: Planes,
    /// Its steps, one a layer.
    pub plan: Plan,
    recurrent: Range,
    machine: Machine,
    arena_bytes: u64,
}

impl NetworkRun {
    /// Features, and markers everywhere else.
    fn new(model: Model, size: Size, features: &[u32]) -> Self {
        let planes = Planes::new(&model.architecture, size);
        let recurrent = Range {
            offset: GUARD + planes.size() + GUARD,
            size: u64::from(RECURRENT) * planes.grids()[0].area(),
        };
        let arena_bytes = (recurrent.offset + recurrent.size).next_multiple_of(256) + GUARD;
        let mut arena = vec![MARKER; (arena_bytes / 4) as usize];
        let first = ((GUARD + planes.features().offset) / 4) as usize;
        arena[first..first + features.len()].copy_from_slice(features);
        let mut machine = Machine::default();
        machine.set_arena(arena);
        machine.set_weights(&model.weights);
        let mut run = NetworkRun {
            model,
            size,
            planes,
            plan: Plan::default(),
            recurrent,
            machine,
            arena_bytes,
        };
        run.plan = run.plan_of(Path::Plain);
        run
    }

    /// The steps on a path; all paths have the same steps over the same memory.
    fn plan_of(&self, path: Path) -> Plan {
        let mut plan = Plan::default();
        let weights = &self.model.weights;
        plan::append(
            &mut plan,
            path,
            weights,
            &self.planes,
            GUARD,
            self.recurrent,
        );
        plan
    }

    /// Indices of the steps of a layer (`enc1.0.a`), of a stage (`enc1`), or of `all`.
    ///
    /// # Errors
    /// When the model has no such layer.
    fn steps(&self, name: &str) -> Result<Vec<usize>> {
        let is_meant = |step: &Step| {
            let rest = step.label.strip_prefix(name);
            name == "all" || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let steps = self.plan.steps.iter().enumerate();
        let found: Vec<usize> = steps.filter(|(_, s)| is_meant(s)).map(|(i, _)| i).collect();
        if found.is_empty() {
            let labels: Vec<&str> = self.plan.steps.iter().map(|s| s.label.as_ref()).collect();
            return Err(Error::Argument(format!(
                "stage: expected all, a stage or one of {}, got {name}; name a part of the model",
                labels.join(", ")
            )));
        }
        Ok(found)
    }

    /// Runs a step by its reference. Steps before it have run.
    pub fn run_reference(&mut self, index: usize) {
        self.machine.execute_layer(&self.plan.steps[index]);
    }

    /// The arena as the references left it.
    pub fn arena(&self) -> &[u32] {
        self.machine.arena()
    }

    /// The words of what stands in a step's slot.
    pub fn slot_words(&self, slot: &Slot) -> &[u32] {
        match slot {
            Slot::Range(range) => self.machine.range(*range),
            _ => &[],
        }
    }

    /// The steps of a path on a device, with the model's weights; the arena is undefined.
    ///
    /// # Errors
    /// When the device lacks the memory, or fails.
    pub fn bench(
        &self,
        host: &Host,
        device: &Arc<reconstruction_engine::Device>,
        path: Path,
    ) -> Result<Workbench> {
        let weights = &self.model.weights;
        let plan = self.plan_of(path);
        let bench = Workbench::new(device, plan, self.arena_bytes, weights.size())?;
        host.upload_buffer(bench.weights(), 0, &to_bytes(weights.words()))?;
        Ok(bench)
    }

    /// Fills a bench's arena with what the references made so far.
    ///
    /// # Errors
    /// When the device fails.
    pub fn upload(&self, host: &Host, bench: &Workbench) -> Result<()> {
        Ok(host.upload_buffer(bench.arena(), 0, &to_bytes(self.arena()))?)
    }

    /// A bench's arena.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self, host: &Host, bench: &Workbench) -> Result<Vec<u32>> {
        let bytes = host.download_buffer(bench.arena(), 0, self.arena_bytes)?;
        Ok(words_of(&bytes))
    }

    /// What lies at a word of the arena, for people.
    pub fn place(&self, step: usize, word: usize) -> String {
        let byte = 4 * word as u64;
        let step = &self.plan.steps[step];
        let slots = step.slots.iter().zip(step.pass.bindings);
        let mut found = slots.filter_map(|(slot, binding)| match slot {
            Slot::Range(range) if range.contains(byte) => {
                Some(format!("{} + {}", binding.name, byte - range.offset))
            }
            _ => None,
        });
        found
            .next_back()
            .unwrap_or_else(|| format!("byte {byte}, which the step must not touch"))
    }
}

/// Words of the features of a token.
const FEATURE_WORDS: u64 = FEATURES as u64 / 4;

fn random_features(size: Size, seed: u64) -> Vec<u32> {
    let words = grids(size, 1)[0].area() * FEATURE_WORDS;
    let mut state = seed;
    let mut word = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        // No feature is -128.
        let bytes = ((state >> 32) as u32).to_le_bytes();
        u32::from_le_bytes(bytes.map(|b| if b == 0x80 { 0 } else { b }))
    };
    (0..words).map(|_| word()).collect()
}

/// Render size and features of a dumped frame.
fn features_of_frame(path: &FilePath) -> Result<(Size, Vec<u32>)> {
    let bytes = std::fs::read(path).map_err(|cause| Error::file(path, "read", cause))?;
    let fault = |cause: String| Error::file(path, "use as a frame of `frames --dump`", cause);
    let tensors = SafeTensors::deserialize(&bytes).map_err(|e| fault(e.to_string()))?;
    let features = tensors
        .tensor("features")
        .map_err(|e| fault(e.to_string()))?;
    match (features.dtype(), features.shape()) {
        (Dtype::I8, &[rows, columns, channels]) if channels == FEATURES as usize => {
            let size = Size::new(2 * columns as u32, 2 * rows as u32);
            Ok((size, words_of(features.data())))
        }
        (dtype, shape) => Err(fault(format!(
            "features are {dtype:?} {shape:?}, not I8 [rows, columns, {FEATURES}]"
        ))),
    }
}

/// The bytes of words, as a device holds them.
pub fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
