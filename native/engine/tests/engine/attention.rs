//! The attention of a block alone, on values that no trained network has, gives the bits of its reference.

use crate::passes::assert_same;
use crate::stage::{hash, to_bytes, words, Stage, DRIVERS, MARKER};
use reconstruction_core::network::attention::{windows, HEAD_WORDS, SHARPNESS_WORD};
use reconstruction_core::network::{passes, AttentionParams, Path, Role};
use reconstruction_core::plan::{ArenaLayout, Plan, Range, Slot};
use reconstruction_engine::Workbench;
use reconstruction_host::OptionalFeatures;
use reconstruction_shaders::cpu::Machine;

/// What the tables of a case's heads hold.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tables {
    /// Anything in range.
    Any,
    /// Largest sharpness, positions at both ends.
    Extreme,
    /// No key weighs anything.
    Nothing,
    /// Only the token itself weighs.
    Itself,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    grid: [u32; 2],
    heads: u32,
    shift: u32,
    tables: Tables,
    /// Whether queries, keys and values are all -127 or 127.
    is_loud: bool,
}

const fn case(grid: [u32; 2], heads: u32, shift: u32, tables: Tables, is_loud: bool) -> Case {
    Case {
        grid,
        heads,
        shift,
        tables,
        is_loud,
    }
}

const CASES: [Case; 8] = [
    case([1, 1], 1, 0, Tables::Any, false),
    case([1, 1], 1, 4, Tables::Extreme, true),
    case([8, 8], 2, 0, Tables::Any, false),
    case([4, 4], 2, 4, Tables::Extreme, false),
    case([9, 17], 3, 4, Tables::Any, true),
    case([27, 19], 8, 4, Tables::Extreme, true),
    case([21, 5], 2, 0, Tables::Nothing, false),
    case([13, 11], 2, 4, Tables::Itself, false),
];

impl Case {
    fn qkv(&self) -> Vec<u32> {
        let words = self.grid[0] * self.grid[1] * 24 * self.heads;
        let byte = |b: u8| match (self.is_loud, b) {
            (true, b) if b < 128 => 127,
            (true, _) => -127i8 as u8,
            (false, 0x80) => 0,
            (false, b) => b,
        };
        let word = |i| u32::from_le_bytes(hash(i ^ 0x5eed).to_le_bytes().map(byte));
        (0..words).map(word).collect()
    }

    fn tables(&self) -> Vec<u32> {
        let mut words = Vec::new();
        for head in 0..self.heads {
            let position = |i: u32| {
                let any = hash(i + 999 * head);
                match self.tables {
                    Tables::Any => (any % 24001) as i32 - 16000,
                    Tables::Extreme if any & 1 == 0 => 32767,
                    Tables::Extreme | Tables::Nothing => -32767,
                    Tables::Itself if i == 8 * 17 + 8 => 32767,
                    Tables::Itself => -32767,
                }
            };
            words.extend((0..SHARPNESS_WORD as u32).map(|i| position(i) as u32));
            words.push(match self.tables {
                Tables::Any => hash(head) % 2048,
                Tables::Extreme => 2047,
                Tables::Nothing | Tables::Itself => 0,
            });
            words.resize(HEAD_WORDS * (head as usize + 1), 0);
        }
        words
    }

    fn params(&self) -> AttentionParams {
        let [columns, rows] = self.grid.map(|tokens| windows(tokens, self.shift));
        AttentionParams {
            grid: self.grid,
            heads: self.heads,
            shift: self.shift,
            windows_per_row: columns,
            window_heads: columns * rows * self.heads,
        }
    }

    /// The arena before the step, and where tables, tokens and result lie.
    fn arena(&self) -> (Vec<u32>, [Range; 3]) {
        let (tables, qkv) = (self.tables(), self.qkv());
        let mut layout = ArenaLayout::default();
        let ranges = [
            layout.add("tables", tables.len() as u64, 4),
            layout.add("qkv", qkv.len() as u64, 4),
            layout.add("mixed", qkv.len() as u64 / 3, 4),
        ];
        layout.add("guard", 64, 4);
        let mut arena = vec![MARKER; (layout.size() / 4) as usize];
        for (range, words) in ranges.iter().zip([tables, qkv]) {
            let first = (range.offset / 4) as usize;
            arena[first..first + words.len()].copy_from_slice(&words);
        }
        (arena, ranges)
    }

    fn plan(&self, path: Path, ranges: [Range; 3]) -> Plan {
        let params = self.params();
        // More workgroups than there are windows and heads: those beyond do nothing.
        let groups = [params.window_heads.div_ceil(2) + 1, 2, 1];
        let mut plan = Plan::default();
        let pass = passes::of(Role::Attention(self.shift), path);
        let slots = ranges.map(Slot::Range).to_vec();
        let bytes = params.bytes().to_vec();
        plan.push_step("attention".into(), pass, Some(bytes), groups, slots);
        plan
    }
}

#[test]
fn extremes_give_the_bits_of_the_reference() {
    for driver in DRIVERS {
        for path in [Path::Plain, Path::Dot] {
            let features = OptionalFeatures {
                integer_dot_product: path == Path::Dot,
                ..OptionalFeatures::default()
            };
            let mut stage = Stage::with_features(driver, features);
            for case in CASES {
                let (before, ranges) = case.arena();
                let plan = case.plan(path, ranges);
                let mut machine = Machine::default();
                machine.set_arena(before.clone());
                machine.execute_layer(&plan.steps[0]);
                let bytes = 4 * before.len() as u64;
                let bench = Workbench::new(stage.device(), plan, bytes, 256).unwrap();
                let host = stage.host();
                (host.upload_buffer(bench.arena(), 0, &to_bytes(&before))).unwrap();
                // SAFETY: the host waits for the command buffer; the bench outlives it.
                let record = |commands| unsafe { bench.record_step(commands, 0) };
                host.run_now(record).unwrap();
                let got = words(&host.download_buffer(bench.arena(), 0, bytes).unwrap());
                assert_same(
                    &got,
                    machine.arena(),
                    &format!("{driver} {path:?} {case:?}"),
                );
            }
        }
    }
}

#[test]
fn a_query_without_keys_is_zero_and_one_alone_keeps_its_value() {
    for case in CASES {
        let (before, ranges) = case.arena();
        let plan = case.plan(Path::Plain, ranges);
        let mut machine = Machine::default();
        machine.set_arena(before);
        machine.execute_layer(&plan.steps[0]);
        let [_, qkv, mixed] = ranges.map(|range| machine.range(range));
        let channels = 8 * case.heads as usize;
        let values = qkv
            .chunks_exact(3 * channels)
            .map(|token| &token[2 * channels..]);
        for (token, values) in mixed.chunks_exact(channels).zip(values) {
            match case.tables {
                Tables::Nothing => assert!(token.iter().all(|&w| w == 0), "{case:?}"),
                Tables::Itself => assert_eq!(token, values, "{case:?}"),
                Tables::Any | Tables::Extreme => assert!(token.iter().all(|&w| w != MARKER)),
            }
        }
    }
}
