//! Networks of random weights on every driver give the bits of the CPU references, over the whole arena.

use crate::passes::assert_same;
use crate::stage::{hash, to_bytes, words, Stage, DRIVERS, MARKER};
use reconstruction_core::network::{
    from_bytes, plan, random, Architecture, Model, Path, Planes, RECURRENT,
};
use reconstruction_core::plan::{Plan, Range};
use reconstruction_core::Size;
use reconstruction_engine::Workbench;
use reconstruction_host::OptionalFeatures;
use reconstruction_shaders::cpu::Machine;

/// Bytes of marker around the memory of the network and the recurrent features.
const GUARD: u64 = 4096;

/// A network over random features, on the CPU and ready for a device.
struct Case {
    model: Model,
    plan: Plan,
    machine: Machine,
    before: Vec<u32>,
    arena_bytes: u64,
}

impl Case {
    fn new(architecture: &Architecture, render: Size, seed: u64, path: Path) -> Self {
        let model = from_bytes(&random(seed, architecture)).unwrap();
        let planes = Planes::new(architecture, render);
        let recurrent = Range {
            offset: GUARD + planes.size() + GUARD,
            size: u64::from(RECURRENT) * planes.grids()[0].area(),
        };
        let arena_bytes = (recurrent.offset + recurrent.size).next_multiple_of(256) + GUARD;
        let mut plan = Plan::default();
        plan::append(&mut plan, path, &model.weights, &planes, GUARD, recurrent);
        let mut before = vec![MARKER; (arena_bytes / 4) as usize];
        let features = ((GUARD + planes.features().offset) / 4) as usize;
        for i in 0..(planes.features().size / 4) as usize {
            before[features + i] = hash((i as u32) ^ (seed as u32) << 20);
        }
        let mut machine = Machine::default();
        machine.set_arena(before.clone());
        machine.set_weights(&model.weights);
        Case {
            model,
            plan,
            machine,
            before,
            arena_bytes,
        }
    }

    /// The memory on a device, as it is before the first step.
    fn bench(&self, stage: &mut Stage) -> Workbench {
        let weights = &self.model.weights;
        let plan = self.plan.clone();
        let bench = Workbench::new(stage.device(), plan, self.arena_bytes, weights.size()).unwrap();
        let host = stage.host();
        host.upload_buffer(bench.weights(), 0, &to_bytes(weights.words()))
            .unwrap();
        host.upload_buffer(bench.arena(), 0, &to_bytes(&self.before))
            .unwrap();
        bench
    }

    fn arena(&self, stage: &mut Stage, bench: &Workbench) -> Vec<u32> {
        let bytes = stage
            .host()
            .download_buffer(bench.arena(), 0, self.arena_bytes);
        words(&bytes.unwrap())
    }
}

/// A stage for each driver and each path that software drivers have.
fn stages() -> impl Iterator<Item = (Path, Stage)> {
    let of = |path| DRIVERS.into_iter().map(move |driver| (path, driver));
    let all = [Path::Plain, Path::Dot].into_iter().flat_map(of);
    all.map(|(path, driver)| {
        let features = OptionalFeatures {
            integer_dot_product: path == Path::Dot,
            ..OptionalFeatures::default()
        };
        let stage = Stage::with_features(driver, features);
        assert_eq!(stage.device().network_path(), path, "{driver}");
        (path, stage)
    })
}

/// A network whose stages of these names are swin.
fn swin(widths: &[u32], blocks: &[u32], names: &[&str]) -> Architecture {
    let network = Architecture::conv(widths, blocks).unwrap();
    network.with_swin(names).unwrap()
}

#[test]
fn every_step_gives_the_bits_of_its_reference() {
    let networks = [
        Architecture::conv(&[32, 96, 128], &[1, 1, 1, 0, 1]).unwrap(),
        swin(&[32, 96, 256], &[1, 1, 1, 1, 1], &["enc0", "enc2", "dec1"]),
    ];
    for (path, mut stage) in stages() {
        for network in &networks {
            steps_give_the_bits_of_their_references(network, path, &mut stage);
        }
    }
}

fn steps_give_the_bits_of_their_references(network: &Architecture, path: Path, stage: &mut Stage) {
    let mut case = Case::new(network, Size::new(57, 33), 5, path);
    let bench = case.bench(stage);
    for (index, step) in case.plan.steps.iter().enumerate() {
        case.machine.execute_layer(step);
        // SAFETY: the host waits for each command buffer; the bench outlives it.
        let record = |commands| unsafe { bench.record_step(commands, index) };
        stage.host().run_now(record).unwrap();
        let got = case.arena(stage, &bench);
        let what = format!("{} {path:?} after {}", stage.driver, step.label);
        assert_same(&got, case.machine.arena(), &what);
    }
}

#[test]
fn whole_networks_give_the_bits_of_the_references_at_every_size() {
    let conv = |widths: &[u32], blocks: &[u32]| Architecture::conv(widths, blocks).unwrap();
    let networks = [
        conv(&[32, 32, 64, 128], &[0, 1, 1, 1, 1, 1, 1]),
        conv(&[64, 32, 160], &[1, 0, 2, 0, 0]),
        conv(
            &[32, 64, 96, 192, 224, 256],
            &[0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0],
        ),
        // The shape of the first design: swin everywhere.
        swin(&[32, 32, 64, 64, 96, 96], &[1; 11], &["enc", "dec"]),
        // Convolutions where tokens are fine, attention below.
        swin(&[32, 64, 96], &[1, 1, 2, 1, 1], &["enc2", "dec1"]),
    ];
    let sizes = [
        (57, 33),
        (96, 54),
        (53, 30),
        (2, 2),
        (1, 1),
        (3, 70),
        (140, 9),
    ];
    // In the second one a window holds the whole grid.
    let swin_sizes = [(53, 37), (16, 9), (1, 1), (3, 70)];
    for (path, mut stage) in stages() {
        for (seed, network) in networks.iter().enumerate() {
            // The first network meets every size, the wider ones odd and tiny ones.
            let sizes = match seed {
                0 => &sizes[..],
                1 | 2 => &sizes[..3],
                _ => &swin_sizes[..],
            };
            for &(width, height) in sizes {
                let mut case = Case::new(network, Size::new(width, height), seed as u64, path);
                let bench = case.bench(&mut stage);
                let record = |commands| {
                    for index in 0..bench.plan().steps.len() {
                        // SAFETY: the host waits for the command buffer; the bench outlives it.
                        unsafe { bench.record_step(commands, index) };
                    }
                };
                stage.host().run_now(record).unwrap();
                for step in &case.plan.steps {
                    case.machine.execute_layer(step);
                }
                let got = case.arena(&mut stage, &bench);
                let driver = stage.driver;
                let what = format!("{driver} {path:?} network {seed} at {width}x{height}");
                assert_same(&got, case.machine.arena(), &what);
                assert_guards(&got, &case, &what);
            }
        }
    }
}

/// The reference, too, leaves the bytes around its planes alone.
fn assert_guards(arena: &[u32], case: &Case, what: &str) {
    let guard = (GUARD / 4) as usize;
    let ends = [&arena[..guard], &arena[arena.len() - guard..]];
    assert!(
        ends.iter().all(|end| end.iter().all(|&w| w == MARKER)),
        "{what}"
    );
    assert_ne!(arena, case.before, "{what}");
}
