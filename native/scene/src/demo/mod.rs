//! Named demo scenes.

use crate::world::World;
use crate::{Error, Result};

/// The demo scene of a name.
///
/// # Errors
/// When there is no scene of this name.
pub fn world(name: &str) -> Result<World> {
    Err(Error::invalid(
        "scene",
        "a name",
        name,
        "choose one of these names",
    ))
}
