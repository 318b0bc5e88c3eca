//! Lights of a frame: the world's own, the triangles of emitting meshes, the sun.

use super::{color, Flattener, Transforms};
use crate::flat::{FlatLight, LIGHT_RECTANGLE, LIGHT_SPHERE, LIGHT_SUN, LIGHT_TRIANGLE};
use crate::world::{corners, Light, LightShape, Shape};
use glam::{DAffine3, Vec2, Vec3};

impl Flattener {
    /// Lights keep their places: one that is not there has no radiance.
    pub(super) fn lights(&mut self, frame: u32, now: &Transforms) {
        let world = &self.world;
        let mut places = vec![0u32; now.objects.len()];
        for (place, &object) in self.places.iter().enumerate() {
            places[object] = place as u32 + 1;
        }
        let mut lights = Vec::with_capacity(self.flat.lights.len());
        for (i, light) in world.lights.iter().enumerate() {
            let matrix = light.motion.at(f64::from(frame), &world.nodes);
            lights.push(flat_light(
                light,
                matrix,
                frame,
                places[world.bodies.len() + i],
            ));
        }
        for (body, _, radiance) in &self.emitting {
            let Shape::Mesh(mesh) = world.bodies[*body].shape else {
                continue;
            };
            let there = now.objects[*body];
            let matrix = there.unwrap_or_else(|| {
                world.bodies[*body]
                    .motion
                    .at(f64::from(frame), &world.nodes)
            });
            for (triangle, &radiance) in world.meshes[mesh].triangles.iter().zip(radiance) {
                let [a, b, c] =
                    corners(triangle).map(|p| matrix.transform_point3(p.as_dvec3()).as_vec3());
                lights.push(FlatLight {
                    position: a.extend(0.0).to_array(),
                    edge_u: (b - a).extend(2.0).to_array(),
                    edge_v: (c - a).extend(0.0).to_array(),
                    radiance: color(if there.is_some() {
                        radiance
                    } else {
                        Vec3::ZERO
                    }),
                    direction: (b - a)
                        .cross(c - a)
                        .normalize_or(Vec3::Y)
                        .extend(0.0)
                        .to_array(),
                    kind: LIGHT_TRIANGLE,
                    instance: places[*body],
                    pick: 0.0,
                    pick_end: 0.0,
                });
            }
        }
        if let Some(sun) = world.sun {
            lights.push(FlatLight {
                position: sun.direction.extend(sun.angular_radius).to_array(),
                edge_u: [0.0, 0.0, 0.0, 2.0],
                edge_v: [0.0; 4],
                radiance: color(sun.radiance),
                direction: (-sun.direction).extend(0.0).to_array(),
                kind: LIGHT_SUN,
                instance: 0,
                pick: 0.0,
                pick_end: 0.0,
            });
        }
        self.flat.lights = lights;
    }
}

fn flat_light(light: &Light, matrix: DAffine3, frame: u32, instance: u32) -> FlatLight {
    let strength = if light.lifetime.contains(frame) {
        light.flicker.at(f64::from(frame))
    } else {
        0.0
    };
    let point = |x: f32, y: f32| {
        matrix
            .transform_point3(Vec3::new(x, y, 0.0).as_dvec3())
            .as_vec3()
    };
    let (kind, position, edge_u, edge_v) = match light.shape {
        LightShape::Sphere(radius) => {
            let scale = matrix.matrix3.x_axis.length() as f32;
            (
                LIGHT_SPHERE,
                point(0.0, 0.0).extend(radius * scale),
                Vec3::ZERO,
                Vec3::ZERO,
            )
        }
        LightShape::Rectangle(Vec2 { x, y }) => {
            let corner = point(-x, -y);
            (
                LIGHT_RECTANGLE,
                corner.extend(0.0),
                point(x, -y) - corner,
                point(-x, y) - corner,
            )
        }
    };
    let (inner, outer) = match light.cone {
        Some(cone) => (cone.inner.cos(), cone.outer.cos()),
        None => (2.0, 0.0),
    };
    FlatLight {
        position: position.to_array(),
        edge_u: edge_u.extend(inner).to_array(),
        edge_v: edge_v.extend(outer).to_array(),
        radiance: color(light.radiance * strength),
        direction: matrix
            .matrix3
            .z_axis
            .normalize()
            .as_vec3()
            .extend(0.0)
            .to_array(),
        kind,
        instance,
        pick: 0.0,
        pick_end: 0.0,
    }
}
