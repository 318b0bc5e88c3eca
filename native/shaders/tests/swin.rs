//! Swin stages of a model that training exported leave the integers that training computes. The files of `swin/` are
//! written and checked by `training/tests/test_engine.py`.

use reconstruction_core::network::{from_bytes, plan, Path, Planes};
use reconstruction_core::plan::{Plan, Range, Slot};
use reconstruction_core::Size;
use reconstruction_shaders::cpu::Machine;
use safetensors::SafeTensors;

const MODEL: &[u8] = include_bytes!("swin/model.safetensors");
const PLANES: &[u8] = include_bytes!("swin/planes.safetensors");

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

#[test]
fn stages_leave_what_training_computes() {
    let model = from_bytes(MODEL).unwrap();
    let stored = SafeTensors::deserialize(PLANES).unwrap();
    let features = stored.tensor("features").unwrap();
    let &[rows, columns, _] = features.shape() else {
        panic!("rows, columns, channels");
    };
    // Odd sizes of a picture whose last tokens are half outside.
    let render = Size::new(2 * columns as u32 - 1, 2 * rows as u32 - 1);
    let planes = Planes::new(&model.architecture, render);
    let recurrent = Range {
        offset: planes.size(),
        size: 8 * planes.grids()[0].area(),
    };
    let mut plan = Plan::default();
    plan::append(
        &mut plan,
        Path::Plain,
        &model.weights,
        &planes,
        0,
        recurrent,
    );
    let mut arena = vec![0; ((recurrent.offset + recurrent.size) / 4 + 64) as usize];
    let first = (planes.features().offset / 4) as usize;
    let features = words(features.data());
    arena[first..first + features.len()].copy_from_slice(&features);
    let mut machine = Machine::default();
    machine.set_weights(&model.weights);
    machine.set_arena(arena);
    let mut compared = 0;
    for step in &plan.steps {
        machine.execute_layer(step);
        let Some(stage) = step.label.strip_suffix(".0.down") else {
            continue;
        };
        let outputs = step.slots.iter().rev().zip(["n", "x"]);
        for (slot, part) in outputs {
            let Slot::Range(range) = slot else {
                panic!("{stage} writes ranges");
            };
            let expected = stored.tensor(&format!("{stage}.{part}")).unwrap();
            let expected = words(expected.data());
            let got = machine.range(*range);
            let differing = got.iter().zip(&expected).position(|(a, b)| a != b);
            assert_eq!(differing, None, "first differing word of {stage}.{part}");
            assert_eq!(got.len(), expected.len());
            compared += 1;
        }
    }
    assert_eq!(compared, 4, "two swin stages, x and n of each");
}
