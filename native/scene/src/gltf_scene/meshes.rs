//! Meshes: triangles with normals and texture coordinates; what shines apart from what does not.

use super::file::File;
use super::materials::Materials;
use crate::world::{Material, Motion, Pose, Shape, Surface, Vertex, World};
use crate::Result;
use glam::{Vec2, Vec3};
use gltf::mesh::Mode;
use std::collections::hash_map::Entry;
use std::collections::HashMap;

/// A triangle whose emission is below this share of the material's brightest does not shine.
const DARK: f32 = 1.0 / 64.0;
/// Parts of an emissive texture are told apart down to this size in uv.
const FINEST: f32 = 1.0 / 32.0;

/// Reads the meshes of the nodes of a scene and makes bodies of them.
pub(super) fn read(
    file: &File,
    world: &mut World,
    materials: &Materials,
    reached: &[usize],
) -> Result<()> {
    // Shapes and materials of a mesh's primitives.
    let mut known: HashMap<usize, Vec<(Shape, usize)>> = HashMap::new();
    let nodes: Vec<gltf::Node> = file.document.nodes().collect();
    for &index in reached {
        let node = &nodes[index];
        let Some(mesh) = node.mesh() else {
            continue;
        };
        if node.skin().is_some() {
            return Err(file.refuse(
                &format!("node {index}"),
                "a mesh without a skin",
                "a skin",
                "bake the armature to a still mesh",
            ));
        }
        if let Entry::Vacant(slot) = known.entry(mesh.index()) {
            let mut parts = Vec::new();
            for primitive in mesh.primitives() {
                let element = match mesh.name() {
                    Some(name) => format!(
                        "mesh {} \"{name}\": primitive {}",
                        mesh.index(),
                        primitive.index()
                    ),
                    None => format!("mesh {}: primitive {}", mesh.index(), primitive.index()),
                };
                let material = match primitive.material().index() {
                    Some(index) => materials[index],
                    None => materials[materials.len() - 1],
                };
                let surface = surface(file, &element, &primitive)?;
                place(world, &surface, material, &mut parts);
            }
            slot.insert(parts);
        }
        for &(shape, material) in &known[&mesh.index()] {
            let motion = Motion {
                parent: Some(index),
                ..Motion::from(Pose::default())
            };
            world.body(shape, material, motion);
        }
    }
    Ok(())
}

fn surface(file: &File, element: &str, primitive: &gltf::Primitive) -> Result<Surface> {
    if primitive.morph_targets().len() > 0 {
        return Err(file.refuse(
            element,
            "no morph targets",
            &primitive.morph_targets().len().to_string(),
            "apply the morph targets before exporting",
        ));
    }
    let reader = primitive.reader(|buffer| Some(&file.buffers[buffer.index()]));
    let positions: Vec<[f32; 3]> = match reader.read_positions() {
        Some(positions) => positions.collect(),
        None => return Err(file.broken(element, "positions", "none")),
    };
    if positions.iter().flatten().any(|c| !c.is_finite()) {
        return Err(file.broken(element, "finite positions", "NaN or infinity"));
    }
    let indices: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..positions.len() as u32).collect(),
    };
    if let Some(beyond) = indices.iter().find(|&&i| i as usize >= positions.len()) {
        let expected = format!("indices below {}", positions.len());
        return Err(file.broken(element, &expected, &beyond.to_string()));
    }
    let triangles: Vec<[u32; 3]> = match primitive.mode() {
        Mode::Triangles => indices
            .chunks_exact(3)
            .map(|t| [t[0], t[1], t[2]])
            .collect(),
        Mode::TriangleStrip => indices
            .windows(3)
            .enumerate()
            .map(|(i, t)| {
                if i % 2 == 0 {
                    [t[0], t[1], t[2]]
                } else {
                    [t[1], t[0], t[2]]
                }
            })
            .collect(),
        Mode::TriangleFan => indices
            .windows(2)
            .skip(1)
            .map(|t| [indices[0], t[0], t[1]])
            .collect(),
        other => {
            return Err(file.refuse(
                element,
                "triangles",
                &format!("{other:?}"),
                "turn points and lines into meshes before exporting",
            ));
        }
    };
    let uvs: Option<Vec<[f32; 2]>> = reader
        .read_tex_coords(0)
        .map(|uvs| uvs.into_f32().collect());
    let normals: Option<Vec<[f32; 3]>> = reader.read_normals().map(Iterator::collect);
    let counts = [
        ("TEXCOORD_0", uvs.as_ref().map(Vec::len)),
        ("NORMAL", normals.as_ref().map(Vec::len)),
    ];
    for (what, count) in counts {
        if let Some(count) = count.filter(|&count| count != positions.len()) {
            let element = format!("{element}: {what}");
            return Err(file.broken(
                &element,
                &format!("{} elements", positions.len()),
                &count.to_string(),
            ));
        }
    }
    let corner = |i: u32, normal: Vec3| {
        let i = i as usize;
        let own = normals.as_ref().map(|normals| Vec3::from_array(normals[i]));
        Vertex {
            position: Vec3::from_array(positions[i]),
            normal: own.unwrap_or(normal).normalize_or(Vec3::Y),
            uv: uvs
                .as_ref()
                .map_or(Vec2::ZERO, |uvs| Vec2::from_array(uvs[i])),
        }
    };
    let mut surface = Surface::default();
    if normals.is_some() {
        surface.vertices = (0..positions.len() as u32)
            .map(|i| corner(i, Vec3::Y))
            .collect();
        surface.triangles = triangles;
    } else {
        // Without normals faces are flat: every triangle has corners of its own.
        for t in triangles {
            let [a, b, c] = t.map(|i| Vec3::from_array(positions[i as usize]));
            let normal = (b - a).cross(c - a);
            let base = surface.vertices.len() as u32;
            surface.vertices.extend(t.map(|i| corner(i, normal)));
            surface.triangles.push([base, base + 1, base + 2]);
        }
    }
    Ok(surface)
}

/// Adds a primitive's mesh, in two where only a part of it shines.
fn place(world: &mut World, surface: &Surface, material: usize, parts: &mut Vec<(Shape, usize)>) {
    let own = world.materials[material];
    let mut add = |world: &mut World, surface: &Surface, material: usize| {
        let shape = world.mesh(surface);
        if world
            .meshes
            .last()
            .is_some_and(|mesh| !mesh.triangles.is_empty())
        {
            parts.push((shape, material));
        }
    };
    let picture = own.pictures.emissive.map(|i| world.pictures[i].clone());
    let Some(picture) = picture.filter(|_| own.emission != Vec3::ZERO) else {
        add(world, surface, material);
        return;
    };
    let (mut shining, mut dark) = (Surface::default(), Surface::default());
    let mut open: Vec<[Vertex; 3]> = surface
        .triangles
        .iter()
        .map(|t| t.map(|i| surface.vertices[i as usize]))
        .collect();
    while let Some(t) = open.pop() {
        let uvs = t.map(|v| v.uv);
        let size = uvs[0]
            .distance(uvs[1])
            .max(uvs[1].distance(uvs[2]))
            .max(uvs[2].distance(uvs[0]));
        let mean = picture.mean(uvs).max_element();
        if mean > 0.0 && mean < 0.98 && size > FINEST && open.len() < 100_000 {
            let middle = |a: Vertex, b: Vertex| Vertex {
                position: (a.position + b.position) / 2.0,
                normal: (a.normal + b.normal).normalize_or(a.normal),
                uv: (a.uv + b.uv) / 2.0,
            };
            let [a, b, c] = t;
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            open.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
            continue;
        }
        let part = if mean > DARK { &mut shining } else { &mut dark };
        let base = part.vertices.len() as u32;
        part.vertices.extend(t);
        part.triangles.push([base, base + 1, base + 2]);
    }
    add(world, &shining, material);
    if !dark.triangles.is_empty() {
        let unlit = world.material(Material {
            emission: Vec3::ZERO,
            ..own
        });
        add(world, &dark, unlit);
    }
}
