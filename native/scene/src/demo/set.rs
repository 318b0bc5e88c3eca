//! Short words for building sets by hand.

use crate::shapes;
use crate::world::{Material, Pictures, Pose, Shape, Surface, World};
use glam::{Affine3A, Mat3, Quat, Vec3};

impl World {
    /// A box by its middle and half size.
    pub(in crate::demo) fn block(
        &mut self,
        material: usize,
        middle: [f32; 3],
        half: [f32; 3],
    ) -> usize {
        let [x, y, z] = middle;
        let pose = Pose::at(x, y, z).scaled(half[0], half[1], half[2]);
        self.body(Shape::Box, material, pose)
    }

    /// A round bar.
    pub(in crate::demo) fn rod(&mut self, material: usize, a: Vec3, b: Vec3, radius: f32) -> usize {
        self.body(Shape::Cylinder, material, Pose::between(a, b, radius))
    }

    /// A flat panel by its middle and two half edges; its front is where `u` x `v` points. `tiles` periods of uv.
    pub(in crate::demo) fn panel(
        &mut self,
        material: usize,
        middle: Vec3,
        u: Vec3,
        v: Vec3,
        tiles: f32,
    ) -> usize {
        let mut surface = shapes::card();
        for vertex in &mut surface.vertices {
            vertex.uv *= tiles;
        }
        let shape = self.mesh(&surface);
        let axes = Mat3::from_cols(u.normalize(), v.normalize(), u.cross(v).normalize());
        let pose = Pose {
            translation: middle,
            rotation: Quat::from_mat3(&axes),
            scale: Vec3::new(u.length(), v.length(), 1.0),
        };
        self.body(shape, material, pose)
    }

    /// A mesh of its own.
    pub(in crate::demo) fn form(
        &mut self,
        surface: &Surface,
        material: usize,
        pose: Pose,
    ) -> usize {
        let shape = self.mesh(surface);
        self.body(shape, material, pose)
    }

    /// A material with a picture as its base colour.
    pub(in crate::demo) fn pictured(
        &mut self,
        picture: crate::world::Picture,
        roughness: f32,
    ) -> usize {
        let base = Some(self.picture(picture));
        self.material(Material {
            pictures: Pictures {
                base,
                ..Pictures::default()
            },
            ..Material::glossy(1.0, 1.0, 1.0, roughness)
        })
    }
}

/// Where a part of a larger surface goes.
pub(in crate::demo) fn placed(at: [f32; 3], scale: [f32; 3]) -> Affine3A {
    Affine3A::from_scale_rotation_translation(scale.into(), Quat::IDENTITY, at.into())
}

/// The same, turned about an axis.
pub(in crate::demo) fn turned(at: [f32; 3], scale: [f32; 3], axis: Vec3, degrees: f32) -> Affine3A {
    let rotation = Quat::from_axis_angle(axis.normalize(), degrees.to_radians());
    Affine3A::from_scale_rotation_translation(scale.into(), rotation, at.into())
}

/// A turned form through radii at even heights from 0 to 1, smoothed, closed at both ends.
pub(in crate::demo) fn turned_form(radii: &[f32], around: u32, along: u32) -> Surface {
    let last = (radii.len() - 1) as f32;
    shapes::lathe(around, along, |v| {
        let place = (v * last).min(last - 1e-4);
        let (i, t) = (place as usize, place.fract());
        let at = |i: isize| radii[i.clamp(0, last as isize) as usize];
        let i = i as isize;
        // A cubic through the neighbours.
        let (a, b, c, d) = (at(i - 1), at(i), at(i + 1), at(i + 2));
        let radius = b + 0.5
            * t
            * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)));
        let is_end = v <= 0.0 || v >= 1.0;
        glam::Vec2::new(if is_end { 0.0 } else { radius.max(0.0) }, v)
    })
}
