//! What a context can run: the plans of its model with their pipelines.

use crate::device::Device;
use crate::error::Result;
use crate::pipeline::Pipeline;
use reconstruction_core::frame_plans::FramePlans;
use reconstruction_core::pass::Pass;
use reconstruction_core::plan::{Plan, Slot, Step};
use std::sync::Arc;

/// A plan of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanKind {
    /// Reconstruct the frame.
    Reconstruct,
    /// Show the input instead.
    Bypass,
    /// Count what the inputs hold.
    Statistics,
}

impl PlanKind {
    pub(crate) const ALL: [PlanKind; 3] = [
        PlanKind::Reconstruct,
        PlanKind::Bypass,
        PlanKind::Statistics,
    ];
}

/// A plan's pipelines, and where its descriptor sets begin among those of a ring slot.
pub(crate) struct Steps {
    pub pipelines: Vec<Arc<Pipeline>>,
    pub first_set: usize,
    /// Of each step: no frame changes what its descriptor sets name, so that they are written once.
    pub is_constant: Vec<bool>,
}

pub(crate) struct Program {
    pub plans: FramePlans,
    steps: [Steps; 3],
}

impl Program {
    pub fn new(device: &Device, plans: FramePlans) -> Result<Self> {
        let mut first_set = 0;
        let mut make = |[plan, odd]: [&Plan; 2]| -> Result<Steps> {
            let pipelines = plan
                .steps
                .iter()
                .map(|step| device.pipeline(step.pass))
                .collect::<Result<Vec<_>>>()?;
            let both = plan.steps.iter().zip(&odd.steps);
            let steps = Steps {
                first_set,
                pipelines,
                is_constant: both.map(|(a, b)| is_constant(a, b)).collect(),
            };
            first_set += steps.pipelines.len();
            Ok(steps)
        };
        // Both parities run the same passes.
        let [even, odd] = &plans.reconstruct;
        let steps = [
            make([even, odd])?,
            make([&plans.bypass; 2])?,
            make([&plans.statistics; 2])?,
        ];
        Ok(Program { plans, steps })
    }

    pub fn plan(&self, kind: PlanKind, parity: usize) -> &Plan {
        match kind {
            PlanKind::Reconstruct => &self.plans.reconstruct[parity],
            PlanKind::Bypass => &self.plans.bypass,
            PlanKind::Statistics => &self.plans.statistics,
        }
    }

    pub fn steps(&self, kind: PlanKind) -> &Steps {
        &self.steps[kind as usize]
    }

    /// Pass and pipeline of every descriptor set of a slot, in order.
    pub fn sets(&self) -> Vec<(&'static Pass, &Pipeline)> {
        let passes = PlanKind::ALL
            .iter()
            .flat_map(|&kind| &self.plan(kind, 0).steps);
        (passes.map(|step| step.pass))
            .zip(self.pipelines().map(|pipeline| &**pipeline))
            .collect()
    }

    /// Every pipeline, in the order of a slot's descriptor sets.
    pub fn pipelines(&self) -> impl Iterator<Item = &Arc<Pipeline>> {
        self.steps.iter().flat_map(|steps| &steps.pipelines)
    }
}

/// Whether a step of both parities has parameters of its own, the same ranges and no image of the frame.
fn is_constant(even: &Step, odd: &Step) -> bool {
    let has_images = even.slots.iter().any(|slot| matches!(slot, Slot::Image(_)));
    even.params.is_some() && even.slots == odd.slots && !has_images
}
