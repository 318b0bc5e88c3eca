//! A frame, described: which passes run, over which ranges of the arena and which images. Vulkan and the CPU
//! references both execute it.

use crate::pass::{BindingKind, Pass};
use std::borrow::Cow;

/// Alignment of every range in the arena, in bytes: the largest offset alignment that Vulkan lets a device ask for.
pub const RANGE_ALIGNMENT: u64 = 256;

/// A range of the arena, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// First byte; a multiple of [`RANGE_ALIGNMENT`].
    pub offset: u64,
    /// Length in bytes.
    pub size: u64,
}

impl Range {
    /// Whether a byte lies in it.
    pub fn contains(&self, byte: u64) -> bool {
        (self.offset..self.offset + self.size).contains(&byte)
    }

    fn overlaps(&self, other: &Range) -> bool {
        self.offset < other.offset + other.size && other.offset < self.offset + self.size
    }
}

/// The images that a pass may name. The code is the index of the image in a frame's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageSlot {
    /// The input colour.
    Color,
    /// The input depth.
    Depth,
    /// The input motion.
    Motion,
    /// A 1x1 exposure texture; where none is given, the colour image stands in and is not read.
    Exposure,
    /// The reconstructed picture.
    Output,
    /// The debug picture.
    Debug,
}

/// What stands in a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// A range of the arena.
    Range(Range),
    /// A range of the model's weights.
    Weights(Range),
    /// An image.
    Image(ImageSlot),
}

/// One dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Name for people: the pass's, or the layer's.
    pub label: Cow<'static, str>,
    /// The pass.
    pub pass: &'static Pass,
    /// The bytes of the pass's parameter block where no frame changes them; none: the frame's parameters.
    pub params: Option<Vec<u8>>,
    /// Workgroups on each axis.
    pub groups: [u32; 3],
    /// What stands in bindings 1 and up, in the order of the declaration.
    pub slots: Vec<Slot>,
    /// Whether an earlier step of the plan must be visible first.
    pub barrier_before: bool,
}

/// The dispatches of a frame in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps in order.
    pub steps: Vec<Step>,
}

impl Plan {
    /// Appends a pass over `invocations` (pixels, say), and finds out whether it needs a barrier.
    ///
    /// # Panics
    /// When the slots do not fit the declaration: a fault of the planner.
    pub fn push(&mut self, pass: &'static Pass, invocations: [u32; 2], slots: Vec<Slot>) {
        let groups = [
            invocations[0].div_ceil(pass.group[0]),
            invocations[1].div_ceil(pass.group[1]),
            1,
        ];
        self.push_step(pass.name.into(), pass, None, groups, slots);
    }

    /// Appends a pass over `groups` workgroups, with parameters of its own if given.
    ///
    /// # Panics
    /// As [`Plan::push`], and when the parameters do not fill the pass's block.
    pub fn push_step(
        &mut self,
        label: Cow<'static, str>,
        pass: &'static Pass,
        params: Option<Vec<u8>>,
        groups: [u32; 3],
        slots: Vec<Slot>,
    ) {
        if let Some(bytes) = &params {
            assert_eq!(bytes.len(), pass.block.size as usize, "block of {label}");
        }
        assert_eq!(slots.len(), pass.bindings.len(), "slots of {label}");
        for (slot, binding) in slots.iter().zip(pass.bindings) {
            let is_fit = match (slot, binding.kind) {
                (Slot::Image(_), BindingKind::Sampled | BindingKind::Storage) => true,
                (Slot::Weights(_), BindingKind::Input(_)) => true,
                (Slot::Range(_), kind) => {
                    !matches!(kind, BindingKind::Sampled | BindingKind::Storage)
                }
                _ => false,
            };
            assert!(is_fit, "kind of {} in {label}", binding.name);
        }
        let barrier_before = self.needs_barrier(pass, &slots);
        self.steps.push(Step {
            label,
            pass,
            params,
            groups,
            slots,
            barrier_before,
        });
    }

    /// Whether anything since the last barrier writes what this step touches, or reads what it writes.
    fn needs_barrier(&self, pass: &Pass, slots: &[Slot]) -> bool {
        let mine = accesses(pass, slots);
        for step in self.steps.iter().rev() {
            let theirs = accesses(step.pass, &step.slots);
            let hazard = mine.iter().any(|(slot, writes)| {
                theirs
                    .iter()
                    .any(|(other, other_writes)| (*writes || *other_writes) && touches(slot, other))
            });
            if hazard {
                return true;
            }
            if step.barrier_before {
                return false;
            }
        }
        false
    }
}

fn accesses(pass: &Pass, slots: &[Slot]) -> Vec<(Slot, bool)> {
    slots
        .iter()
        .zip(pass.bindings)
        .map(|(slot, binding)| {
            let writes = !matches!(binding.kind, BindingKind::Input(_) | BindingKind::Sampled);
            (*slot, writes)
        })
        .collect()
}

fn touches(a: &Slot, b: &Slot) -> bool {
    match (a, b) {
        (Slot::Range(a), Slot::Range(b)) => a.overlaps(b),
        (Slot::Image(a), Slot::Image(b)) => a == b,
        _ => false,
    }
}

/// Hands out ranges of one arena.
#[derive(Debug, Clone, Default)]
pub struct ArenaLayout {
    size: u64,
    names: Vec<(Cow<'static, str>, Range)>,
}

impl ArenaLayout {
    /// A new range of `count` elements of `element` bytes.
    pub fn add(&mut self, name: impl Into<Cow<'static, str>>, count: u64, element: u64) -> Range {
        let range = Range {
            offset: self.size,
            size: (count * element).max(16),
        };
        self.size = (range.offset + range.size).next_multiple_of(RANGE_ALIGNMENT);
        self.names.push((name.into(), range));
        range
    }

    /// Bytes of the whole arena.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Every range with its name, in order.
    pub fn ranges(&self) -> &[(Cow<'static, str>, Range)] {
        &self.names
    }

    /// Bytes of the largest range: a device must be able to bind it whole.
    pub fn largest_range(&self) -> u64 {
        self.names
            .iter()
            .map(|(_, range)| range.size)
            .max()
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame_params::FrameParams;
    use crate::pass::{Binding, Element};

    static WRITE: Pass = Pass {
        area: "test",
        name: "write",
        variant: "",
        defines: &[],
        group: [8, 8, 1],
        block: &FrameParams::LAYOUT,
        bindings: &[Binding {
            name: "to",
            kind: BindingKind::Output(Element::U32),
        }],
        is_exact: true,
        needs: crate::pass::Needs::Baseline,
    };
    static COPY: Pass = Pass {
        bindings: &[
            Binding {
                name: "from",
                kind: BindingKind::Input(Element::U32),
            },
            Binding {
                name: "to",
                kind: BindingKind::Output(Element::U32),
            },
        ],
        ..WRITE
    };

    #[test]
    fn barriers_follow_hazards() {
        let mut arena = ArenaLayout::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| Slot::Range(arena.add(name, 65, 4)));
        let mut plan = Plan::default();
        plan.push(&WRITE, [9, 8], vec![a]);
        plan.push(&WRITE, [8, 8], vec![b]);
        plan.push(&COPY, [8, 8], vec![a, c]);
        plan.push(&COPY, [8, 8], vec![b, c]);
        plan.push(&WRITE, [8, 8], vec![a]);
        let barriers: Vec<bool> = plan.steps.iter().map(|s| s.barrier_before).collect();
        assert_eq!(barriers, [false, false, true, true, false]);
        assert_eq!(plan.steps[0].groups, [2, 1, 1]);
        assert_eq!(arena.size(), 3 * 512);
    }
}
