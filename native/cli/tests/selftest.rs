//! The stored hashes of the self test are those of the CPU references. `RECONSTRUCTION_BLESS=1` stores new ones.

use reconstruction_cli::executor::{open, CPU};
use reconstruction_cli::golden::{hash, stored, Golden};
use reconstruction_cli::synthetic::{frame, CASES, FRAMES};
use std::path::Path;

#[test]
fn the_references_give_the_stored_hashes() {
    let is_blessing = std::env::var_os("RECONSTRUCTION_BLESS").is_some_and(|v| v == "1");
    for case in &*CASES {
        let mut executor = open(Some(CPU), case.settings.clone()).unwrap();
        let frames: Vec<String> = (0..FRAMES)
            .map(|number| hash(&executor.evaluate(&frame(case, number).input()).unwrap()))
            .collect();
        let golden = Golden {
            case: case.name.to_owned(),
            frames,
        };
        if is_blessing {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("selftest");
            let text = serde_json::to_string_pretty(&golden).unwrap() + "\n";
            std::fs::write(folder.join(format!("{}.json", case.name)), text).unwrap();
        } else {
            let differing = stored(case)
                .frames
                .iter()
                .zip(&golden.frames)
                .position(|(a, b)| a != b);
            assert_eq!(differing, None, "first differing frame of {}", case.name);
            assert_eq!(stored(case), golden);
        }
    }
}

#[test]
fn the_pictures_are_finite_and_not_negative() {
    for case in &*CASES {
        let mut executor = open(Some(CPU), case.settings.clone()).unwrap();
        for number in 0..FRAMES {
            let picture = executor.evaluate(&frame(case, number).input()).unwrap();
            assert_eq!(picture.size, case.settings.sizes.output);
            let is_legal =
                |v: &f32| v.is_finite() && *v >= 0.0 && half::f16::from_f32(*v).to_f32() == *v;
            let bad = picture.pixels.iter().position(|p| !p.iter().all(is_legal));
            assert_eq!(bad, None, "{} frame {number}", case.name);
        }
    }
}
