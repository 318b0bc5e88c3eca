//! The hierarchy of nodes and their animation.

use super::file::File;
use crate::world::{Interpolation, Node, Pose, Track, World};
use crate::Result;
use glam::{DAffine3, DMat4, Quat, Vec3};
use gltf::animation::util::ReadOutputs;
use gltf::scene::Transform;

/// Reads every node into the world, one for one, and gives those that the default scene shows.
pub(super) fn read(file: &File, world: &mut World) -> Result<Vec<usize>> {
    let nodes = &mut world.nodes.list;
    *nodes = file
        .document
        .nodes()
        .map(|node| match node.transform() {
            Transform::Matrix { matrix } => {
                let columns = matrix.map(|column| column.map(f64::from));
                Node {
                    matrix: Some(DAffine3::from_mat4(DMat4::from_cols_array_2d(&columns))),
                    ..Node::default()
                }
            }
            Transform::Decomposed {
                translation,
                rotation,
                scale,
            } => Node {
                pose: Pose {
                    translation: Vec3::from_array(translation),
                    rotation: Quat::from_array(rotation),
                    scale: Vec3::from_array(scale),
                },
                ..Node::default()
            },
        })
        .collect();
    for node in file.document.nodes() {
        for child in node.children() {
            let child = child.index();
            if nodes[child].parent.is_some() {
                return Err(file.broken(&format!("node {child}"), "one parent", "two"));
            }
            nodes[child].parent = Some(node.index());
        }
    }
    let scene = file
        .document
        .default_scene()
        .or_else(|| file.document.scenes().next());
    let Some(scene) = scene else {
        return Err(file.broken("scenes", "at least one scene", "none"));
    };
    let mut open: Vec<usize> = scene.nodes().map(|node| node.index()).collect();
    let mut reached = Vec::new();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for node in file.document.nodes() {
        children[node.index()].extend(node.children().map(|child| child.index()));
    }
    // With one parent each, nodes on a ring are those that their own ancestors lead back to.
    for start in 0..nodes.len() {
        let mut next = nodes[start].parent;
        let mut steps = 0;
        while let Some(parent) = next {
            steps += 1;
            if steps > nodes.len() {
                return Err(file.broken(&format!("node {start}"), "a tree of nodes", "a ring"));
            }
            next = nodes[parent].parent;
        }
    }
    while let Some(index) = open.pop() {
        reached.push(index);
        open.extend(&children[index]);
    }
    reached.sort_unstable();
    reached.dedup();
    animation(file, world)?;
    Ok(reached)
}

fn animation(file: &File, world: &mut World) -> Result<()> {
    for animation in file.document.animations() {
        for (i, channel) in animation.channels().enumerate() {
            let element = format!("animation {}: channel {i}", animation.index());
            let reader = channel.reader(|buffer| Some(&file.buffers[buffer.index()]));
            let missing = || file.broken(&element, "keys", "none");
            let times: Vec<f32> = reader.read_inputs().ok_or_else(missing)?.collect();
            let is_rising = times.windows(2).all(|pair| pair[0] < pair[1]);
            if times.is_empty() || !is_rising || times.iter().any(|t| !t.is_finite()) {
                return Err(file.broken(&element, "at least one key, times rising", "other times"));
            }
            let interpolation = match channel.sampler().interpolation() {
                gltf::animation::Interpolation::Step => Interpolation::Step,
                gltf::animation::Interpolation::Linear => Interpolation::Linear,
                gltf::animation::Interpolation::CubicSpline => Interpolation::Cubic,
            };
            let index = channel.target().node().index();
            let node = &mut world.nodes.list[index];
            if node.matrix.is_some() {
                return Err(file.broken(
                    &element,
                    "a node with translation, rotation and scale",
                    "a node with a matrix",
                ));
            }
            let per_key = if interpolation == Interpolation::Cubic {
                3
            } else {
                1
            };
            let expected = times.len() * per_key;
            let check = |count: usize| {
                if count == expected {
                    return Ok(());
                }
                Err(file.broken(&element, &format!("{expected} values"), &count.to_string()))
            };
            // Of several animations of one property the first counts.
            match reader.read_outputs().ok_or_else(missing)? {
                ReadOutputs::Translations(values) => {
                    let values: Vec<[f32; 3]> = values.collect();
                    check(values.len())?;
                    node.translation.get_or_insert(Track {
                        times,
                        values,
                        interpolation,
                    });
                }
                ReadOutputs::Scales(values) => {
                    let values: Vec<[f32; 3]> = values.collect();
                    check(values.len())?;
                    node.scale.get_or_insert(Track {
                        times,
                        values,
                        interpolation,
                    });
                }
                ReadOutputs::Rotations(values) => {
                    let values: Vec<[f32; 4]> = values.into_f32().collect();
                    check(values.len())?;
                    node.rotation.get_or_insert(Track {
                        times,
                        values,
                        interpolation,
                    });
                }
                ReadOutputs::MorphTargetWeights(_) => {
                    return Err(file.refuse(
                        &element,
                        "translation, rotation or scale",
                        "weights",
                        "bake morph targets to a still mesh, or remove them",
                    ));
                }
            }
        }
    }
    Ok(())
}
