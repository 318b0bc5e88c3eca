//! The loader of models never panics, and refuses in one line of ASCII. `tests/model.rs` of core runs the same over a
//! seeded corpus of damaged files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = reconstruction_core::network::from_bytes(bytes) {
        let line = error.to_string();
        assert!(line.starts_with("model: ") && line.is_ascii() && !line.contains('\n'), "{line}");
    }
});
