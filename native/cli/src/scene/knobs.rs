//! Knobs of random worlds as they are typed: a preset's name or a JSON file.

use crate::error::Result;
use crate::sequence::read_json;
use reconstruction_scene::random::Knobs;
use std::path::Path;

/// The knobs of `easy`, `default` or `hard`, or of a JSON file with any of their names.
///
/// # Errors
/// A file that cannot be read, a name that is no knob, a value out of range.
pub fn read(text: &str) -> Result<Knobs> {
    let knobs = match text {
        "easy" => Knobs::easy(),
        "default" => Knobs::default(),
        "hard" => Knobs::hard(),
        path => read_json(Path::new(path))?,
    };
    knobs.check().map_err(crate::Error::Scene)?;
    Ok(knobs)
}
