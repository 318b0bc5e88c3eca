//! Writes the Rust source that the crate and its tests include.

use crate::contract::Outcome;
use crate::shader::Built;
use std::fmt::Write as _;

/// The table of shaders: index into `passes::ALL`, and the words.
pub fn shaders(built: &[(usize, Built)]) -> String {
    let mut text = String::from("&[\n");
    for (index, shader) in built {
        writeln!(
            text,
            "Shader {{ pass: reconstruction_core::passes::ALL[{index}], spirv: {} }},",
            words(&shader.words)
        )
        .expect("writing to a string");
    }
    text + "]\n"
}

/// What each shader binds, as read from its SPIR-V: (index of the pass, group, parameters, bindings).
pub fn interfaces(built: &[(usize, Built)]) -> String {
    let mut text = String::from("&[\n");
    for (index, shader) in built {
        let interface = &shader.interface;
        write!(text, "({index}, {:?}, &[", interface.group).expect("writing to a string");
        for member in &interface.members {
            let kind = format!("{:?}", member.kind);
            write!(text, "({:?}, {}, {kind:?}), ", member.name, member.offset)
                .expect("writing to a string");
        }
        text.push_str("], &[");
        for bound in &interface.bindings {
            let kind = format!("{:?}", bound.kind);
            write!(
                text,
                "({}, {}, {:?}, {kind:?}), ",
                bound.set, bound.binding, bound.name
            )
            .expect("writing to a string");
        }
        text.push_str("]),\n");
    }
    text + "]\n"
}

/// The words of the probe, and what became of the refused cases.
pub fn contract(outcome: &Outcome) -> String {
    format!(
        "Contract {{ probe: {}, refused: &{:?} }}\n",
        words(&outcome.probe.words),
        outcome.refused
    )
    .replace(", [", ", &[")
}

fn words(words: &[u32]) -> String {
    let mut text = String::from("&[");
    for word in words {
        write!(text, "0x{word:x},").expect("writing to a string");
    }
    text.push(']');
    text
}
