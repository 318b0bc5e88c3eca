//! What a context allocates and runs: its arena and its plans, with a network or without.

use crate::network::{plan, Model, Path, Planes, RECURRENT};
use crate::pass::Element;
use crate::passes;
use crate::plan::{ArenaLayout, ImageSlot, Plan, Range, Slot};
use crate::size::Sizes;

/// The plans of a context.
#[derive(Debug, Clone)]
pub struct FramePlans {
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

/// What a network adds to the arena.
struct NetworkRanges {
    planes: Planes,
    memory: Range,
    recurrent: [Range; 2],
}

impl NetworkRanges {
    fn new(arena: &mut ArenaLayout, model: &Model, sizes: &Sizes) -> Self {
        let planes = Planes::new(&model.architecture, sizes.render);
        let tokens = planes.grids()[0].area();
        NetworkRanges {
            memory: arena.add("network", planes.size(), 1),
            recurrent: ["recurrent_even", "recurrent_odd"]
                .map(|name| arena.add(name, tokens, u64::from(RECURRENT))),
            planes,
        }
    }

    fn range(&self, range: Range) -> Slot {
        Slot::Range(Range {
            offset: self.memory.offset + range.offset,
            ..range
        })
    }
}

impl FramePlans {
    /// Plans a context of these sizes; the analytic model decides where no network does. `path`: of the network.
    pub fn new(sizes: Sizes, model: Option<&Model>, path: Path) -> Self {
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
        let network = model.map(|model| (model, NetworkRanges::new(&mut arena, model, &sizes)));

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
            let samples = [range(exposure), range(color), range(motion), range(stats)];
            let pictures = [
                range(history[prev]),
                range(history[next]),
                range(alpha[prev]),
                range(alpha[next]),
                image(ImageSlot::Output),
                image(ImageSlot::Debug),
            ];
            let Some((model, network)) = &network else {
                let slots = [&samples[..], &pictures].concat();
                plan.push(&passes::OUTPUT, output_pixels, slots);
                return plan;
            };
            let tokens = network.planes.grids()[0];
            let seen = [
                range(surface[next]),
                range(history[prev]),
                range(network.recurrent[prev]),
                network.range(network.planes.features()),
            ];
            let slots = [&samples[..], &seen].concat();
            plan.push(&passes::FEATURES, [tokens.width, tokens.height], slots);
            let base = network.memory.offset;
            let recurrent = network.recurrent[next];
            let planes = &network.planes;
            plan::append(&mut plan, path, &model.weights, planes, base, recurrent);
            let decisions = [network.range(network.planes.parameters())];
            let slots = [&samples[..], &decisions, &pictures].concat();
            plan.push(&passes::RESOLVE, output_pixels, slots);
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
        FramePlans {
            arena,
            reconstruct,
            bypass,
            statistics,
            statistics_range: counts,
        }
    }
}
