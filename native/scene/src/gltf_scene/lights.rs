//! Punctual lights.

use super::file::File;
use crate::world::{Cone, Light, LightShape, Motion, Pose, Sun, World};
use glam::{DVec3, Quat, Vec3};
use gltf::khr_lights_punctual::Kind;
use std::f32::consts::PI;

/// Lights without a size get this share of the scene's diagonal as a radius.
const RADIUS: f32 = 0.004;

/// Reads the lights of a scene whose diagonal is `size`. Candelas count as watts for each steradian.
pub(super) fn read(file: &File, world: &mut World, reached: &[usize], size: f32) {
    let nodes: Vec<gltf::Node> = file.document.nodes().collect();
    for &index in reached {
        let Some(light) = nodes[index].light() else {
            continue;
        };
        let color = Vec3::from_array(light.color()) * light.intensity();
        let turned = Pose {
            // Punctual lights shine along -z, ours along +z.
            rotation: Quat::from_rotation_y(PI),
            ..Pose::default()
        };
        let motion = Motion {
            parent: Some(index),
            ..Motion::from(turned)
        };
        // A light is as bright on a scaled node as on any other: the node's scale is taken back.
        let scale = world.nodes.at(index, 0.0).matrix3.x_axis.length() as f32;
        let radius = RADIUS * size;
        let cone = match light.kind() {
            Kind::Directional => {
                let matrix = world.nodes.at(index, 0.0);
                let towards = matrix
                    .transform_vector3(DVec3::Z)
                    .as_vec3()
                    .normalize_or(Vec3::Y);
                world
                    .sun
                    .get_or_insert(Sun::with_irradiance(towards, 0.01, color));
                continue;
            }
            Kind::Point => None,
            Kind::Spot {
                inner_cone_angle,
                outer_cone_angle,
            } => Some(Cone {
                inner: inner_cone_angle.min(outer_cone_angle - 1e-3).max(0.0),
                outer: outer_cone_angle,
            }),
        };
        let radiance = color / (PI * radius * radius);
        let mut light = Light::new(
            LightShape::Sphere(radius / scale.max(1e-6)),
            radiance,
            motion,
        );
        light.cone = cone;
        light.has_body = false;
        world.lights.push(light);
    }
}
