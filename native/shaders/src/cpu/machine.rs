//! Executes the steps of a plan on the CPU: the arena as words, the images as texels.

use super::image::Image;
use super::{enlarge, exposure, gather, network, output, statistics};
use reconstruction_core::frame_params::FrameParams;
use reconstruction_core::network::{AttentionParams, LayerParams, Weights};
use reconstruction_core::pass::BindingKind;
use reconstruction_core::plan::{ArenaLayout, ImageSlot, Range, Slot, Step};
use std::collections::HashMap;

/// The memory that passes work on.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    arena: Vec<u32>,
    weights: Vec<u32>,
    images: HashMap<ImageSlot, Image>,
}

impl Machine {
    /// A machine with a zeroed arena and no images.
    pub fn new(arena: &ArenaLayout) -> Self {
        Machine {
            arena: vec![0; (arena.size() / 4) as usize],
            ..Machine::default()
        }
    }

    /// Takes the weights of a model.
    pub fn set_weights(&mut self, weights: &Weights) {
        self.weights = weights.words().to_vec();
    }

    /// The words of the whole arena.
    pub fn arena(&self) -> &[u32] {
        &self.arena
    }

    /// Replaces the arena.
    pub fn set_arena(&mut self, words: Vec<u32>) {
        self.arena = words;
    }

    /// The words of a range.
    pub fn range(&self, range: Range) -> &[u32] {
        &self.arena[words(range)]
    }

    /// The words of a range, to be changed.
    pub fn range_mut(&mut self, range: Range) -> &mut [u32] {
        &mut self.arena[words(range)]
    }

    /// Puts an image into a slot.
    pub fn set_image(&mut self, slot: ImageSlot, image: Image) {
        self.images.insert(slot, image);
    }

    /// The image in a slot, if there is one.
    pub fn image(&self, slot: ImageSlot) -> Option<&Image> {
        self.images.get(&slot)
    }

    /// Runs one step.
    ///
    /// # Panics
    /// When an image that the step reads or writes is not set (a missing debug image is left alone), or the
    /// pass has no reference.
    pub fn execute(&mut self, step: &Step, params: &FrameParams) {
        let mut written = self.written(step);
        let mut drawn = self.take_drawn(step);
        let (picture, debug) = pictures(&mut drawn);
        match step.pass.name {
            "exposure" => {
                let [sums, value] = outputs(&mut written);
                exposure::exposure(
                    params,
                    self.image_in(step, 0),
                    self.image_in(step, 1),
                    sums,
                    value,
                );
            }
            "gather" => {
                let [color, motion, stats, depth] = outputs(&mut written);
                gather::gather(
                    params,
                    self.image_in(step, 0),
                    self.image_in(step, 1),
                    self.image_in(step, 2),
                    self.words_in(step, 3),
                    self.words_in(step, 4),
                    color,
                    motion,
                    stats,
                    depth,
                );
            }
            "output" => {
                let [history, alpha] = outputs(&mut written);
                output::output(
                    params,
                    self.words_in(step, 0),
                    self.words_in(step, 1),
                    self.words_in(step, 2),
                    self.words_in(step, 3),
                    self.words_in(step, 4),
                    history,
                    self.words_in(step, 6),
                    alpha,
                    picture.expect("an output image"),
                    debug,
                );
            }
            "features" => {
                let [features] = outputs(&mut written);
                network::features(
                    params,
                    self.words_in(step, 0),
                    self.words_in(step, 1),
                    self.words_in(step, 2),
                    self.words_in(step, 3),
                    self.words_in(step, 4),
                    self.words_in(step, 5),
                    self.words_in(step, 6),
                    features,
                );
            }
            "resolve" => {
                let [history, alpha] = outputs(&mut written);
                network::resolve(
                    params,
                    self.words_in(step, 0),
                    self.words_in(step, 1),
                    self.words_in(step, 2),
                    self.words_in(step, 3),
                    self.words_in(step, 4),
                    self.words_in(step, 5),
                    history,
                    self.words_in(step, 7),
                    alpha,
                    picture.expect("an output image"),
                    debug,
                );
            }
            "enlarge" => {
                let picture = picture.expect("an output image");
                enlarge::enlarge(params, self.image_in(step, 0), picture);
            }
            "statistics" => {
                let [counts] = outputs(&mut written);
                statistics::statistics(
                    params,
                    self.image_in(step, 0),
                    self.image_in(step, 1),
                    self.image_in(step, 2),
                    counts,
                );
            }
            "layer" | "layer_dot" | "layer_matrix" | "attention" | "attention_dot" => {
                return self.execute_layer(step);
            }
            other => panic!("pass {other} has no reference"),
        }
        self.images.extend(drawn);
        self.put(written);
    }

    /// Runs a step that has parameters of its own and touches no image.
    ///
    /// # Panics
    /// For any other step.
    pub fn execute_layer(&mut self, step: &Step) {
        let mut written = self.written(step);
        let bytes = step.params.as_ref().expect("a layer's own parameters");
        let read: Vec<&[u32]> = (0..step.slots.len() - written.len())
            .map(|slot| self.words_in(step, slot))
            .collect();
        match step.pass.name {
            "attention" | "attention_dot" => {
                let [mixed] = outputs(&mut written);
                network::attention(&AttentionParams::get(bytes), read[0], read[1], mixed);
            }
            name => {
                assert!(name.starts_with("layer"), "the pass of {}", step.label);
                let slices = written.iter_mut().map(|(_, words)| words.as_mut_slice());
                let params = LayerParams::get(bytes);
                network::layer(step.pass.variant, &params, &read, slices.collect());
            }
        }
        self.put(written);
    }

    fn put(&mut self, written: Vec<(Range, Vec<u32>)>) {
        for (range, words) in written {
            self.range_mut(range).copy_from_slice(&words);
        }
    }

    /// Copies of the ranges that the step writes, in the order of its bindings.
    fn written(&self, step: &Step) -> Vec<(Range, Vec<u32>)> {
        step.slots
            .iter()
            .zip(step.pass.bindings)
            .filter_map(|(slot, binding)| match (slot, binding.kind) {
                (Slot::Range(range), BindingKind::Output(_) | BindingKind::Atomic(_)) => {
                    Some((*range, self.range(*range).to_vec()))
                }
                _ => None,
            })
            .collect()
    }

    /// Takes the images that the step writes out of the machine.
    fn take_drawn(&mut self, step: &Step) -> HashMap<ImageSlot, Image> {
        let slots = step.slots.iter().zip(step.pass.bindings);
        let mut drawn = HashMap::new();
        for (slot, binding) in slots {
            if let (Slot::Image(slot), BindingKind::Storage) = (slot, binding.kind) {
                drawn.extend(self.images.remove_entry(slot));
            }
        }
        drawn
    }

    fn words_in(&self, step: &Step, slot: usize) -> &[u32] {
        match step.slots[slot] {
            Slot::Range(range) => self.range(range),
            Slot::Weights(range) => &self.weights[words(range)],
            Slot::Image(_) => panic!("binding {slot} of {} is an image", step.pass.name),
        }
    }

    fn image_in(&self, step: &Step, slot: usize) -> &Image {
        match step.slots[slot] {
            Slot::Image(image) => self.image(image).unwrap_or_else(|| {
                panic!("pass {} reads {image:?}, which is not set", step.pass.name)
            }),
            _ => panic!("binding {slot} of {} is a range", step.pass.name),
        }
    }
}

/// The picture and the debug picture among the images that a step writes.
fn pictures(drawn: &mut HashMap<ImageSlot, Image>) -> (Option<&mut Image>, Option<&mut Image>) {
    let (mut picture, mut debug) = (None, None);
    for (slot, image) in drawn {
        match slot {
            ImageSlot::Debug => debug = Some(image),
            _ => picture = Some(image),
        }
    }
    (picture, debug)
}

/// The written ranges of a step as slices, in the order of its bindings.
fn outputs<const N: usize>(written: &mut [(Range, Vec<u32>)]) -> [&mut [u32]; N] {
    let slices: Vec<&mut [u32]> = written
        .iter_mut()
        .map(|(_, words)| words.as_mut_slice())
        .collect();
    slices
        .try_into()
        .expect("as many written ranges as the pass declares")
}

/// The words of a range of bytes.
fn words(range: Range) -> std::ops::Range<usize> {
    (range.offset / 4) as usize..((range.offset + range.size) / 4) as usize
}
