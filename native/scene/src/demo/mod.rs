//! Four named scenes: what the starting points, the documentation and the tests show.
//!
//! Every camera travels through frames 0 to 24, pans from 24 to 40 and stands still from frame 40 on.

mod gallery;
mod garden;
mod pictures;
mod room;
mod set;
mod stage;

use crate::world::{CameraKey, CameraPath, Shot, World};
use crate::{Error, Result};
use glam::Vec3;

/// Names of the scenes.
pub const NAMES: [&str; 4] = ["room", "gallery", "garden", "stage"];

/// First frame of the pan.
const PAN: f32 = 24.0;
/// From this frame on the camera stands still.
const STILL: f32 = 40.0;

/// The scene of a name: `room` (lamp light, a window, a mirror), `gallery` (thin railings), `garden` (foliage, a low
/// sun) or `stage` (moving spotlights, particles; direct light with temporal reuse).
///
/// # Errors
/// When no scene has this name.
pub fn world(name: &str) -> Result<World> {
    match name {
        "room" => Ok(room::world()),
        "gallery" => Ok(gallery::world()),
        "garden" => Ok(garden::world()),
        "stage" => Ok(stage::world()),
        _ => Err(Error::invalid(
            "scene",
            format!("one of {}", NAMES.join(", ")),
            name.escape_default().to_string(),
            "choose one of these names, a seed or a glTF file",
        )),
    }
}

/// The camera of a scene: from `start` to `place`, then a turn from `first` to `second`.
fn path(start: (Vec3, Vec3), place: Vec3, first: Vec3, second: Vec3, fov_y: f32) -> CameraPath {
    let key = |frame: f32, eye: Vec3, target: Vec3| CameraKey {
        frame,
        eye,
        target,
        roll: 0.0,
        fov_y: fov_y.to_radians(),
    };
    CameraPath::Shots(vec![Shot {
        from: 0,
        keys: vec![
            key(0.0, start.0, start.1),
            key(PAN, place, first),
            key(STILL, place, second),
        ],
        shake: 0.0,
    }])
}
