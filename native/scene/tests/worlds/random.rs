//! Random worlds: valid, varied, the same again, and never of another split.

use crate::{check_finite, fingerprint};
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::meter;
use reconstruction_scene::random::{self, Knobs, Split, MESH_TRIANGLES};
use std::collections::HashSet;
use std::sync::Arc;

const FRAMES: u32 = 12;

#[test]
fn worlds_of_two_hundred_seeds_are_valid() {
    let mut recipes = Vec::new();
    for i in 0..200u64 {
        // From every split, near and far from its beginning.
        let split = Split::ALL[(i % 3) as usize];
        let seed = split.seeds().start + i * 7919;
        let knobs = [Knobs::default(), Knobs::easy(), Knobs::hard()][(i / 3 % 3) as usize].clone();
        let random = random::world(seed, &knobs, FRAMES).unwrap();
        let recipe = &random.recipe;
        let name = format!("seed {seed}");
        assert_eq!((recipe.seed, recipe.split), (seed, split));
        assert_eq!(
            recipe.has_meshes,
            recipe.triangles as usize >= MESH_TRIANGLES,
            "{name}"
        );
        assert!((0..=4).contains(&random.world.lights.len()), "{name}");
        let mut flattener = Flattener::new(Arc::new(random.world.clone()), 16.0 / 9.0).unwrap();
        for frame in [0, FRAMES / 2, FRAMES - 1] {
            let flat = flattener.frame(frame);
            check_finite(&name, flat);
            let reading = meter::measure(flat);
            assert!(!reading.is_inside, "{name}");
            assert!(reading.lit_share > 0.3, "{name}: {reading:?}");
            assert!(reading.nearest > 0.1, "{name}: {reading:?}");
            let exposed = reading.median_luma * flat.exposure;
            assert!((0.02..12.0).contains(&exposed), "{name}: median {exposed}");
        }
        recipes.push(random.recipe);
    }
    // Everything that the knobs speak of occurs.
    let share = |what: fn(&random::Recipe) -> bool| {
        recipes.iter().filter(|r| what(r)).count() as f32 / recipes.len() as f32
    };
    assert!((0.25..0.55).contains(&share(|r| r.is_open)));
    assert_eq!(share(|r| r.has_meshes), 0.5);
    for (what, share) in [
        ("thin", share(|r| r.has_thin)),
        ("foliage", share(|r| r.has_foliage)),
        ("particles", share(|r| r.has_particles)),
        ("moving", share(|r| r.moving > 0)),
        ("appearing", share(|r| r.appearing > 0)),
        ("cuts", share(|r| r.cut.is_some())),
        ("rests", share(|r| r.rests_from.is_some())),
        ("no lights but sky", share(|r| r.lights == 0)),
    ] {
        assert!((0.02..0.98).contains(&share), "{what}: {share}");
    }
    let cameras: HashSet<&str> = recipes.iter().map(|r| r.camera.as_str()).collect();
    assert_eq!(cameras.len(), 7, "{cameras:?}");
}

#[test]
fn a_seed_gives_the_same_world_again_and_another_seed_another() {
    let hashes = |seed: u64| -> Vec<u64> {
        let world = Arc::new(
            random::world(seed, &Knobs::default(), FRAMES)
                .unwrap()
                .world,
        );
        let mut flattener = Flattener::new(world, 1.5).unwrap();
        (0..FRAMES)
            .map(|frame| fingerprint(flattener.frame(frame)))
            .collect()
    };
    let mut seen = HashSet::new();
    for seed in 0..24 {
        let first = hashes(seed);
        assert_eq!(first, hashes(seed), "seed {seed}");
        assert!(seen.insert(first[0]), "seed {seed} repeats another");
    }
}

#[test]
fn splits_are_disjoint_and_never_mixed() {
    let [train, val, test] = Split::ALL.map(Split::seeds);
    assert!(train.end <= val.start && val.end <= test.start);
    assert_eq!(Split::of(val.start), Some(Split::Val));
    let error = Split::Train.check(val.start).unwrap_err().to_string();
    assert!(
        error.contains("split train") && error.contains("(split val)"),
        "{error}"
    );
    assert!(!error.contains('\n') && error.is_ascii());
    Split::Test.check(test.start).unwrap();
    assert_eq!(Split::Val.part(3, 5).unwrap(), val.start + 3..val.start + 8);
    let size = val.end - val.start;
    Split::Val.part(size - 1, 1).unwrap();
    assert!(Split::Val.part(size - 1, 2).is_err());
    assert!(Split::Val.part(u64::MAX, 2).is_err());
    let beyond = random::world(test.end, &Knobs::default(), 4)
        .unwrap_err()
        .to_string();
    assert!(beyond.starts_with("seed: expected 0.."), "{beyond}");
    assert!("training".parse::<Split>().is_err());
}

#[test]
fn knobs_are_recorded_and_checked() {
    let recipe = random::world(4, &Knobs::hard(), 8).unwrap().recipe;
    let text = serde_json::to_string(&recipe).unwrap();
    let again: random::Recipe = serde_json::from_str(&text).unwrap();
    assert_eq!(again, recipe);
    let part: Knobs = serde_json::from_str(r#"{"thin": 1.0}"#).unwrap();
    assert_eq!(
        part,
        Knobs {
            thin: 1.0,
            ..Knobs::default()
        }
    );
    assert!(serde_json::from_str::<Knobs>(r#"{"thick": 1.0}"#).is_err());
    for bad in [
        Knobs {
            speed: f32::NAN,
            ..Knobs::default()
        },
        Knobs {
            open: 1.5,
            ..Knobs::default()
        },
        Knobs {
            most_lights: 5,
            ..Knobs::default()
        },
    ] {
        let error = random::world(1, &bad, 8).unwrap_err().to_string();
        assert!(error.starts_with("knob "), "{error}");
    }
    assert!(random::world(1, &Knobs::default(), 0).is_err());
}
