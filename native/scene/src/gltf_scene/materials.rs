//! Materials and their textures.

use super::file::File;
use crate::world::{Material, Picture, Pictures, World};
use crate::Result;
use glam::Vec3;
use gltf::image::{Data, Format};
use gltf::material::AlphaMode;
use std::collections::HashMap;

/// World materials by glTF index; the last is that of primitives without one.
pub(super) type Materials = Vec<usize>;

/// Largest side of a texture, texels.
const LARGEST: u32 = 16384;

pub(super) fn read(file: &File, world: &mut World) -> Result<Materials> {
    let mut pictures: HashMap<(usize, bool), usize> = HashMap::new();
    let mut list = Vec::new();
    for material in file.document.materials() {
        let Some(index) = material.index() else {
            continue;
        };
        let element = match material.name() {
            Some(name) => format!("material {index} \"{name}\""),
            None => format!("material {index}"),
        };
        let mut texture = |what: &str, info: Option<(gltf::Texture, u32)>, is_srgb: bool| {
            let Some((texture, set)) = info else {
                return Ok(None);
            };
            if set != 0 {
                return Err(file.refuse(
                    &format!("{element}: {what}"),
                    "texture coordinates 0",
                    &set.to_string(),
                    "bake the texture to the first set of coordinates",
                ));
            }
            let image = texture.source();
            let key = (image.index(), is_srgb);
            if let Some(&known) = pictures.get(&key) {
                return Ok(Some(known));
            }
            let picture = world.picture(picture(file, &image, is_srgb)?);
            pictures.insert(key, picture);
            Ok(Some(picture))
        };
        let pbr = material.pbr_metallic_roughness();
        let base = pbr
            .base_color_texture()
            .map(|t| (t.texture(), t.tex_coord()));
        let rough = pbr
            .metallic_roughness_texture()
            .map(|t| (t.texture(), t.tex_coord()));
        let normal = material
            .normal_texture()
            .map(|t| (t.texture(), t.tex_coord()));
        let shine = material
            .emissive_texture()
            .map(|t| (t.texture(), t.tex_coord()));
        let pictures = Pictures {
            base: texture("baseColorTexture", base, true)?,
            rough_metal: texture("metallicRoughnessTexture", rough, false)?,
            normal: texture("normalTexture", normal, false)?,
            emissive: texture("emissiveTexture", shine, true)?,
        };
        let [r, g, b, alpha] = pbr.base_color_factor();
        let ior = material.ior().unwrap_or(1.5);
        let strength = material.emissive_strength().unwrap_or(1.0);
        let read = Material {
            base_color: Vec3::new(r, g, b).clamp(Vec3::ZERO, Vec3::ONE),
            alpha,
            roughness: pbr.roughness_factor().clamp(0.0, 1.0),
            metallic: pbr.metallic_factor().clamp(0.0, 1.0),
            f0: ((ior - 1.0) / (ior + 1.0)).powi(2),
            emission: (Vec3::from_array(material.emissive_factor()) * strength).max(Vec3::ZERO),
            alpha_cutoff: match material.alpha_mode() {
                AlphaMode::Opaque => 0.0,
                AlphaMode::Mask => material.alpha_cutoff().unwrap_or(0.5).max(1e-3),
                AlphaMode::Blend => 0.5,
            },
            pictures,
            ..Material::matte(1.0, 1.0, 1.0)
        };
        list.push(world.material(read));
    }
    list.push(world.material(Material::glossy(0.8, 0.8, 0.8, 0.8)));
    Ok(list)
}

fn picture(file: &File, image: &gltf::Image, is_srgb: bool) -> Result<Picture> {
    let element = match image.name() {
        Some(name) => format!("image {} \"{name}\"", image.index()),
        None => format!("image {}", image.index()),
    };
    let data = Data::from_source(image.source(), file.folder(), &file.buffers)
        .map_err(|error| file.broken(&element, "a PNG or JPEG picture", &error.to_string()))?;
    if data.width.max(data.height) > LARGEST || data.width.min(data.height) == 0 {
        return Err(file.refuse(
            &element,
            &format!("1..{LARGEST} texels on each side"),
            &format!("{}x{}", data.width, data.height),
            "scale the picture",
        ));
    }
    // Channels, bytes of each, and the byte that holds the eight upper bits.
    let (channels, size, upper) = match data.format {
        Format::R8 => (1, 1, 0),
        Format::R8G8 => (2, 1, 0),
        Format::R8G8B8 => (3, 1, 0),
        Format::R8G8B8A8 => (4, 1, 0),
        Format::R16 => (1, 2, 1),
        Format::R16G16 => (2, 2, 1),
        Format::R16G16B16 => (3, 2, 1),
        Format::R16G16B16A16 => (4, 2, 1),
        Format::R32G32B32FLOAT | Format::R32G32B32A32FLOAT => {
            return Err(file.refuse(
                &element,
                "integer texels",
                "floating-point texels",
                "store it as an 8-bit PNG",
            ));
        }
    };
    let texels = data
        .pixels
        .chunks_exact(channels * size)
        .map(|texel| {
            let at = |i: usize| texel[i * size + upper];
            let rgba = match channels {
                1 => [at(0), at(0), at(0), 255],
                2 => [at(0), at(0), at(0), at(1)],
                3 => [at(0), at(1), at(2), 255],
                _ => [at(0), at(1), at(2), at(3)],
            };
            u32::from_le_bytes(rgba)
        })
        .collect();
    Ok(Picture {
        width: data.width,
        height: data.height,
        is_srgb,
        texels,
    })
}
