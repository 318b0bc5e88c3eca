//! The memory of a network: every plane between two layers, its life, and its place among the others.

use super::{grids, layers, Architecture, Layer, Role};
use crate::plan::{Range, RANGE_ALIGNMENT};
use crate::size::Size;

/// Bytes of a token's parameters for the output pass: four pixels of four words.
const PARAMETERS_BYTES: u64 = 64;

/// One plane: the values of every token of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plane {
    /// The layer that writes it and which of its results this is; `features` is written before the first layer.
    pub name: String,
    /// Where it lies, from the start of the network's memory.
    pub range: Range,
    /// Steps from the one that writes it to the last that reads it; step 0 is before the first layer.
    pub life: (usize, usize),
}

/// What a layer reads and writes, as indices of planes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dataflow {
    pub layer: Layer,
    pub input: usize,
    /// The residual that the sums are added to.
    pub residual: Option<usize>,
    pub outputs: Vec<usize>,
}

/// The planes of a network at a render size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planes {
    planes: Vec<Plane>,
    pub(super) flow: Vec<Dataflow>,
    grids: Vec<Size>,
    size: u64,
}

const FEATURES_PLANE: usize = 0;

impl Planes {
    /// Plans the memory.
    pub fn new(architecture: &Architecture, render: Size) -> Self {
        let mut planes = Planes {
            planes: Vec::new(),
            flow: Vec::new(),
            grids: grids(render, architecture.levels()),
            size: 0,
        };
        planes.trace(architecture);
        planes.place();
        planes
    }

    /// Every plane, in the order in which they are written.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Tokens of each level.
    pub fn grids(&self) -> &[Size] {
        &self.grids
    }

    /// Bytes of the network's memory; planes that do not live together share it.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where the features are expected: [`super::FEATURES`] bytes a token of level 0.
    pub fn features(&self) -> Range {
        self.planes[FEATURES_PLANE].range
    }

    /// Where the parameters of the output pass are left, four times four words a token of level 0.
    pub fn parameters(&self) -> Range {
        self.planes.last().expect("the heads write a plane").range
    }

    /// Follows the layers: what each reads and writes, and how long it lives.
    fn trace(&mut self, architecture: &Architecture) {
        let features = self.add("features".into(), 0, u64::from(super::FEATURES), 0);
        let (mut wide, mut normed) = (features, features);
        let mut hidden = features;
        let mut skips = Vec::new();
        for (index, layer) in layers(architecture).into_iter().enumerate() {
            let step = index + 1;
            let channels = u64::from(layer.outputs);
            let (input, residual) = match layer.role {
                Role::Door | Role::Hidden | Role::Qkv | Role::TokenHidden | Role::Heads => {
                    (normed, None)
                }
                Role::Attention(_) => (hidden, None),
                Role::Residual | Role::TokenResidual => (hidden, Some(wide)),
                Role::Merge => {
                    skips.push(wide);
                    (normed, None)
                }
                Role::Expand => (normed, skips.pop()),
            };
            for plane in residual.into_iter().chain([input]) {
                self.planes[plane].life.1 = step;
            }
            let level = layer.output_level;
            let mut add =
                |part: &str, bytes| self.add(format!("{}.{part}", layer.name), level, bytes, step);
            let outputs = match layer.role {
                Role::Hidden | Role::Qkv | Role::Attention(_) | Role::TokenHidden => {
                    hidden = add(between(layer.role), channels);
                    vec![hidden]
                }
                Role::Heads => vec![add("parameters", PARAMETERS_BYTES)],
                Role::Door | Role::Residual | Role::TokenResidual | Role::Merge | Role::Expand => {
                    (wide, normed) = (add("x", 2 * channels), add("n", channels));
                    vec![wide, normed]
                }
            };
            self.flow.push(Dataflow {
                layer,
                input,
                residual,
                outputs,
            });
        }
        // The output pass reads the parameters after the last layer.
        if let Some(parameters) = self.planes.last_mut() {
            parameters.life.1 = self.flow.len() + 1;
        }
    }

    fn add(&mut self, name: String, level: usize, bytes_per_token: u64, step: usize) -> usize {
        let size = self.grids[level].area() * bytes_per_token;
        self.planes.push(Plane {
            name,
            range: Range { offset: 0, size },
            life: (step, step),
        });
        self.planes.len() - 1
    }

    /// Gives each plane, the largest first, the lowest place that no plane of its time has.
    fn place(&mut self) {
        let mut order: Vec<usize> = (0..self.planes.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(self.planes[i].range.size));
        let mut placed: Vec<usize> = Vec::new();
        for index in order {
            let (life, size) = (self.planes[index].life, self.planes[index].range.size);
            let mut taken: Vec<Range> = (placed.iter().map(|&i| &self.planes[i]))
                .filter(|other| other.life.0 <= life.1 && life.0 <= other.life.1)
                .map(|other| other.range)
                .collect();
            taken.sort_unstable_by_key(|range| range.offset);
            let mut offset = 0;
            for range in taken {
                if offset + size <= range.offset {
                    break;
                }
                let end = (range.offset + range.size).next_multiple_of(RANGE_ALIGNMENT);
                offset = offset.max(end);
            }
            self.planes[index].range.offset = offset;
            let end = (offset + size).next_multiple_of(RANGE_ALIGNMENT);
            self.size = self.size.max(end);
            placed.push(index);
        }
    }
}

/// What a plane inside a block holds.
fn between(role: Role) -> &'static str {
    match role {
        Role::Qkv => "qkv",
        Role::Attention(_) => "mixed",
        _ => "hidden",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_that_live_together_lie_apart() {
        let networks = [
            Architecture::conv(&[32, 32, 64, 128], &[0, 1, 1, 1, 1, 1, 1]).unwrap(),
            Architecture::conv(&[96, 64, 256], &[2, 0, 3, 0, 1]).unwrap(),
            Architecture::conv(&[32, 64, 96], &[1, 1, 2, 1, 1])
                .and_then(|network| network.with_swin(&["enc", "dec0"]))
                .unwrap(),
        ];
        for network in &networks {
            for size in [Size::new(1114, 626), Size::new(53, 30), Size::new(1, 1)] {
                let planes = Planes::new(network, size);
                for (i, a) in planes.planes().iter().enumerate() {
                    assert_eq!(a.range.offset % RANGE_ALIGNMENT, 0);
                    assert!(a.range.offset + a.range.size <= planes.size());
                    for b in &planes.planes()[..i] {
                        let meet = a.life.0 <= b.life.1 && b.life.0 <= a.life.1;
                        let overlap = a.range.offset < b.range.offset + b.range.size
                            && b.range.offset < a.range.offset + a.range.size;
                        assert!(!(meet && overlap), "{} and {}", a.name, b.name);
                    }
                }
            }
        }
    }

    #[test]
    fn memory_is_reused() {
        let network = Architecture::conv(&[32, 32, 64, 128], &[1, 1, 1, 1, 1, 1, 1]).unwrap();
        let planes = Planes::new(&network, Size::new(1920, 1080));
        let tokens = 960 * 540;
        let whole: u64 = planes.planes().iter().map(|p| p.range.size).sum();
        assert!(planes.size() * 2 < whole);
        // In enc0.0.b: x before and after, hidden, n; and a little for the way down and up at the same time.
        let at_once = tokens * (64 + 64 + 32 + 32);
        assert!(planes.size() >= at_once && planes.size() < at_once * 11 / 10);
    }

    #[test]
    fn a_skip_lives_until_it_is_added() {
        let network = Architecture::conv(&[32, 64, 96], &[1, 1, 1, 1, 1]).unwrap();
        let planes = Planes::new(&network, Size::new(64, 64));
        let life = |name: &str| {
            planes
                .planes()
                .iter()
                .find(|p| p.name == name)
                .unwrap()
                .life
        };
        // 1 door, 2-3 enc0, 4 merge0, 5-6 enc1, 7 merge1, 8-9 enc2, 10 expand1, 11-12 dec1, 13 expand0, 14-15, 16 heads
        assert_eq!(life("features"), (0, 1));
        assert_eq!(life("enc0.0.b.x"), (3, 13));
        assert_eq!(life("enc1.0.b.x"), (6, 10));
        assert_eq!(life("enc0.0.b.n"), (3, 4));
        assert_eq!(life("dec0.0.b.x"), (15, 15));
        assert_eq!(life("heads.parameters"), (16, 17));
    }

    #[test]
    fn a_swin_block_passes_its_values_on() {
        let network = Architecture::conv(&[32, 64, 96], &[1, 0, 0, 0, 0])
            .and_then(|network| network.with_swin(&["enc0"]))
            .unwrap();
        let planes = Planes::new(&network, Size::new(64, 48));
        let told: Vec<_> = (planes.planes()[3..10].iter())
            .map(|p| (p.name.as_str(), p.range.size / (32 * 24), p.life))
            .collect();
        // 1 door, 2 qkv, 3 attention, 4 proj, 5 up, 6 down, 7 merge0, 8 merge1, 9 expand1, 10 expand0
        let expected = [
            ("enc0.0.qkv.qkv", 96, (2, 3)),
            ("enc0.0.attention.mixed", 32, (3, 4)),
            ("enc0.0.proj.x", 64, (4, 6)),
            ("enc0.0.proj.n", 32, (4, 5)),
            ("enc0.0.up.hidden", 64, (5, 6)),
            ("enc0.0.down.x", 64, (6, 10)),
            ("enc0.0.down.n", 32, (6, 7)),
        ];
        assert_eq!(told, expected);
    }
}
