//! Every shader binds and lays out exactly what its pass declares, as read from the SPIR-V.

use reconstruction_core::passes;
use reconstruction_shaders::{shader, SHADERS};

/// Index of the pass, workgroup, (parameter, offset, type), (set, binding, name, kind).
type Interface = (
    usize,
    [u32; 3],
    &'static [(&'static str, u32, &'static str)],
    &'static [(u32, u32, &'static str, &'static str)],
);

static INTERFACES: &[Interface] = include!(concat!(env!("OUT_DIR"), "/interfaces.rs"));

#[test]
fn interfaces_are_those_declared() {
    assert_eq!(INTERFACES.len(), SHADERS.len());
    for (index, group, parameters, bindings) in INTERFACES {
        let pass = passes::ALL[*index];
        assert_eq!(*group, pass.group, "{}", pass.name);
        let declared: Vec<_> = (pass.block.members.iter())
            .map(|m| (m.name, m.offset, format!("Ok({:?})", m.kind)))
            .collect();
        let seen: Vec<_> = (parameters.iter())
            .map(|(name, offset, kind)| (*name, *offset, kind.to_string()))
            .collect();
        assert_eq!(seen, declared, "{}", pass.name);
        let declared: Vec<_> = (pass.bindings.iter().zip(1..))
            .map(|(b, slot)| (0, slot, b.name, format!("Ok({:?})", b.kind)))
            .collect();
        let seen: Vec<_> = (bindings.iter())
            .map(|(set, slot, name, kind)| (*set, *slot, *name, kind.to_string()))
            .collect();
        assert_eq!(seen, declared, "{}", pass.name);
    }
}

#[test]
fn a_pass_finds_its_own_shader() {
    for expected in SHADERS {
        let found = shader(expected.pass).expect("a shader of the table");
        assert!(std::ptr::eq(found.spirv, expected.spirv));
    }
}
