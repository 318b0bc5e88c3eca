//! The camera's matrices.

use crate::flat::FlatCamera;
use crate::world::{CameraView, World};
use glam::{DMat4, DVec4};

pub(super) fn camera(world: &World, now: CameraView, was: CameraView, aspect: f64) -> FlatCamera {
    let projection = |view: &CameraView| projection(view.fov_y, aspect, world.near, world.far);
    FlatCamera {
        world_to_view: now.world_to_view.as_mat4().to_cols_array(),
        view_to_world: now.world_to_view.inverse().as_mat4().to_cols_array(),
        projection: projection(&now),
        prev_world_to_view: was.world_to_view.as_mat4().to_cols_array(),
        prev_projection: projection(&was),
        near: world.near,
        far: world.far,
        reserved_0: 0.0,
        reserved_1: 0.0,
    }
}

/// View to Vulkan clip space: y down, depth 0 at near and 1 at far.
fn projection(fov_y: f64, aspect: f64, near: f32, far: f32) -> [f32; 16] {
    let (near, far) = (f64::from(near), f64::from(far));
    let zoom = 1.0 / (fov_y / 2.0).tan();
    DMat4::from_cols(
        DVec4::new(zoom / aspect, 0.0, 0.0, 0.0),
        DVec4::new(0.0, -zoom, 0.0, 0.0),
        DVec4::new(0.0, 0.0, far / (near - far), -1.0),
        DVec4::new(0.0, 0.0, near * far / (near - far), 0.0),
    )
    .as_mat4()
    .to_cols_array()
}
