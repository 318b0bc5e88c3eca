//! A shader's interface against the declaration of its pass.

use crate::reflect::Interface;
use reconstruction_core::pass::Pass;
use std::fmt::Debug;

/// Every difference between the shader and the declaration, as `file: message`.
pub fn violations(interface: &Interface, file: &str, pass: &Pass) -> Vec<String> {
    let mut found = Vec::new();
    if interface.group != pass.group {
        found.push(differs(
            file,
            "workgroup size",
            &pass.group,
            &interface.group,
        ));
    }
    let declared: Vec<_> = (pass.block.members.iter())
        .map(|m| (m.name.to_string(), m.offset, Ok(m.kind)))
        .collect();
    let seen: Vec<_> = (interface.members.iter())
        .map(|m| (m.name.clone(), m.offset, m.kind.clone()))
        .collect();
    compare(&mut found, file, "parameter", &declared, &seen);
    // Binding 0 is the parameter block.
    let declared: Vec<_> = (pass.bindings.iter().zip(1..))
        .map(|(b, slot)| (0, slot, b.name.to_string(), Ok(b.kind)))
        .collect();
    let seen: Vec<_> = (interface.bindings.iter())
        .map(|b| (b.set, b.binding, b.name.clone(), b.kind.clone()))
        .collect();
    compare(&mut found, file, "binding", &declared, &seen);
    found
}

/// Compares item by item and stops at the first difference: later ones only follow from it.
fn compare<T: PartialEq + Debug>(
    found: &mut Vec<String>,
    file: &str,
    what: &str,
    declared: &[T],
    seen: &[T],
) {
    for i in 0..declared.len().max(seen.len()) {
        let (declared, seen) = (declared.get(i), seen.get(i));
        if declared != seen {
            found.push(differs(file, &format!("{what} {i}"), &declared, &seen));
            return;
        }
    }
}

fn differs(file: &str, what: &str, declared: &dyn Debug, seen: &dyn Debug) -> String {
    format!(
        "{file}: {what}: expected {declared:?} as the pass declares, got {seen:?}; include pass.glsl instead of writing it"
    )
}
