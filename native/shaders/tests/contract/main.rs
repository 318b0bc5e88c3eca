//! What the build refuses, and what it does to what it accepts.

mod cases;
mod spirv;

use cases::REFUSED;
use reconstruction_shaders::SHADERS;
use spirv::{is_rounded, Words};

struct Contract {
    probe: &'static [u32],
    refused: &'static [(&'static str, &'static [&'static str])],
}

/// What the build made of the probe and of every case.
static CONTRACT: Contract = include!(concat!(env!("OUT_DIR"), "/contract.rs"));

#[test]
fn every_case_is_refused_by_name() {
    assert_eq!(CONTRACT.refused.len(), REFUSED.len());
    let mut missed = Vec::new();
    for (case, (name, errors)) in REFUSED.iter().zip(CONTRACT.refused) {
        assert_eq!(case.name, *name);
        if !errors.iter().any(|e| e.contains(case.expected)) {
            missed.push(format!(
                "{name}: expected {:?}, got {errors:#?}",
                case.expected
            ));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn an_error_is_one_line() {
    for (name, errors) in CONTRACT.refused {
        for error in *errors {
            assert!(!error.contains('\n') && error.is_ascii(), "{name}: {error}");
        }
    }
}

#[test]
fn exact_shaders_contract_no_float_operation() {
    let exact = SHADERS.iter().filter(|s| s.pass.is_exact);
    let modules = exact.map(|s| (s.pass.name, s.spirv));
    for (name, words) in modules.chain([("probe", CONTRACT.probe)]) {
        let rounded = Words(words).results(is_rounded);
        let decorated = Words(words).no_contraction();
        assert_eq!(rounded, decorated, "{name}");
    }
    // The multiply and the add inside a called function are among them.
    assert!(Words(CONTRACT.probe).results(is_rounded).len() >= 6);
}

#[test]
fn modules_are_spirv_1_3() {
    for shader in SHADERS {
        assert_eq!(shader.spirv[..2], [0x0723_0203, 0x0001_0300]);
    }
}
