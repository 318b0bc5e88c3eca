//! What no frame changes: materials, images, the radiance of emitting triangles.

use super::color;
use crate::flat::{FlatImage, FlatMaterial};
use crate::world::{Material, Picture, Shape, World};
use glam::{Vec2, Vec3};

/// The world's materials and, last, the dark one of light bodies.
pub(super) fn materials(world: &World) -> Vec<FlatMaterial> {
    let index = |picture: Option<usize>| picture.map_or(0, |i| i as u32 + 1);
    let housing = Material::glossy(0.02, 0.02, 0.02, 0.6);
    world
        .materials
        .iter()
        .chain([&housing])
        .map(|m| FlatMaterial {
            base_color: m.base_color.extend(m.alpha).to_array(),
            second_color: m.second_color.extend(1.0).to_array(),
            emission: color(Vec3::ZERO),
            roughness: m.roughness,
            metallic: m.metallic,
            f0: m.f0,
            alpha_cutoff: m.alpha_cutoff,
            subsurface: m.subsurface,
            pattern_scale: m.pattern_scale,
            pattern: m.pattern as u32,
            reserved: 0,
            base_image: index(m.pictures.base),
            rough_metal_image: index(m.pictures.rough_metal),
            normal_image: index(m.pictures.normal),
            emissive_image: index(m.pictures.emissive),
        })
        .collect()
}

pub(super) fn images(pictures: &[Picture]) -> (Vec<FlatImage>, Vec<u32>) {
    let mut texels = Vec::new();
    let images = pictures
        .iter()
        .map(|picture| {
            let first_texel = texels.len() as u32;
            texels.extend_from_slice(&picture.texels);
            FlatImage {
                width: picture.width,
                height: picture.height,
                first_texel,
                is_srgb: u32::from(picture.is_srgb),
            }
        })
        .collect();
    (images, texels)
}

/// Radiance of each triangle of a body whose material emits: the picture's mean over the triangle.
pub(super) fn emitted(world: &World, body: usize) -> Option<Vec<Vec3>> {
    let body = &world.bodies[body];
    let material = &world.materials[body.material];
    let Shape::Mesh(mesh) = body.shape else {
        return None;
    };
    if material.emission == Vec3::ZERO {
        return None;
    }
    let triangles = &world.meshes[mesh].triangles;
    let Some(picture) = material.pictures.emissive.map(|i| &world.pictures[i]) else {
        return Some(vec![material.emission; triangles.len()]);
    };
    let radiance = triangles.iter().map(|t| {
        let uv = [
            Vec2::new(t.position_0[3], t.normal_0[3]),
            Vec2::new(t.position_1[3], t.normal_1[3]),
            Vec2::new(t.position_2[3], t.normal_2[3]),
        ];
        material.emission * picture.mean(uv)
    });
    Some(radiance.collect())
}
