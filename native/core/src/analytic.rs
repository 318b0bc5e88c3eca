//! The analytic model: jitter-aware temporal upscaling without a network. Its arena and its plans.

use crate::pass::Element;
use crate::passes;
use crate::plan::{ArenaLayout, ImageSlot, Plan, Range, Slot};
use crate::size::Sizes;

/// What a context of the analytic model allocates and runs.
#[derive(Debug, Clone)]
pub struct Analytic {
    /// The arena: histories (two of each), planes between passes, counters.
    pub arena: ArenaLayout,
    /// Reconstruct; index by parity, which flips with every reconstructed frame.
    pub reconstruct: [Plan; 2],
    /// Show the input instead.
    pub bypass: Plan,
    /// Count what the inputs hold; zero `statistics_range` before.
    pub statistics: Plan,
    /// Where [`passes::STATISTICS`] counts.
    pub statistics_range: Range,
}

impl Analytic {
    /// Plans a context of these sizes.
    pub fn new(sizes: Sizes) -> Self {
        let mut arena = ArenaLayout::default();
        let render = sizes.render.area();
        let output = sizes.output.area();
        let (word, pair, quad) = (
            Element::U32.size(),
            Element::UVec2.size(),
            Element::UVec4.size(),
        );
        let sums = arena.add("exposure_sums", 4, word);
        let exposure = arena.add("exposure_value", 1, word);
        let counts = arena.add("counts", 8, word);
        let surface = [
            arena.add("surface_even", render, pair),
            arena.add("surface_odd", render, pair),
        ];
        let color = arena.add("sample_color", render, pair);
        let motion = arena.add("sample_motion", render, word);
        let stats = arena.add("sample_stats", render, quad);
        let history = [
            arena.add("history_even", output, pair),
            arena.add("history_odd", output, pair),
        ];
        let alpha = [
            arena.add("alpha_even", output, word),
            arena.add("alpha_odd", output, word),
        ];

        let render_pixels = [sizes.render.width, sizes.render.height];
        let output_pixels = [sizes.output.width, sizes.output.height];
        let image = Slot::Image;
        let range = Slot::Range;
        let reconstruct = [0, 1].map(|parity| {
            let (prev, next) = (1 - parity, parity);
            let mut plan = Plan::default();
            plan.push(
                &passes::EXPOSURE,
                [64, 32],
                vec![
                    image(ImageSlot::Color),
                    image(ImageSlot::Exposure),
                    range(sums),
                    range(exposure),
                ],
            );
            plan.push(
                &passes::GATHER,
                render_pixels,
                vec![
                    image(ImageSlot::Color),
                    image(ImageSlot::Depth),
                    image(ImageSlot::Motion),
                    range(exposure),
                    range(surface[prev]),
                    range(color),
                    range(motion),
                    range(stats),
                    range(surface[next]),
                ],
            );
            plan.push(
                &passes::OUTPUT,
                output_pixels,
                vec![
                    range(exposure),
                    range(color),
                    range(motion),
                    range(stats),
                    range(history[prev]),
                    range(history[next]),
                    range(alpha[prev]),
                    range(alpha[next]),
                    image(ImageSlot::Output),
                    image(ImageSlot::Debug),
                ],
            );
            plan
        });
        let mut bypass = Plan::default();
        bypass.push(
            &passes::ENLARGE,
            output_pixels,
            vec![image(ImageSlot::Color), image(ImageSlot::Output)],
        );
        let mut statistics = Plan::default();
        statistics.push(
            &passes::STATISTICS,
            render_pixels,
            vec![
                image(ImageSlot::Color),
                image(ImageSlot::Depth),
                image(ImageSlot::Motion),
                range(counts),
            ],
        );
        Analytic {
            arena,
            reconstruct,
            bypass,
            statistics,
            statistics_range: counts,
        }
    }
}
