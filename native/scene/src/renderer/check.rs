//! Worlds are checked before they are uploaded: no index leads out of its array.

use super::geometry::Geometry;
use super::wide::{MAX_FIRST, MAX_LEAF};
use crate::bvh;
use crate::error::{Error, Result};
use crate::flat::{FlatNode, FlatWorld, KIND_MESH, LIGHT_SUN, MAX_TREE_DEPTH};

fn refuse(what: String, below: usize, got: u32) -> Result<()> {
    Err(Error::invalid(
        what,
        format!("an index below {below}"),
        got.to_string(),
        "flatten the world again",
    ))
}

/// Trees, triangles, materials and images, which stay the same while a world's revision does.
pub(crate) fn check_geometry(world: &FlatWorld) -> Result<()> {
    check_tree("node", &world.nodes, world.triangles.len())?;
    for (i, material) in world.materials.iter().enumerate() {
        for image in [
            material.base_image,
            material.rough_metal_image,
            material.normal_image,
            material.emissive_image,
        ] {
            if image as usize > world.images.len() {
                return refuse(
                    format!("material {i}: image"),
                    world.images.len() + 1,
                    image,
                );
            }
        }
    }
    for (i, image) in world.images.iter().enumerate() {
        let end = u64::from(image.first_texel) + u64::from(image.width) * u64::from(image.height);
        if image.width == 0 || image.height == 0 || end > world.texels.len() as u64 {
            return refuse(
                format!("image {i}: last texel"),
                world.texels.len(),
                end as u32,
            );
        }
    }
    Ok(())
}

/// What belongs to a frame.
pub(crate) fn check_frame(world: &FlatWorld, geometry: &Geometry) -> Result<()> {
    check_tree("top node", &world.top, world.instances.len())?;
    for (i, instance) in world.instances.iter().enumerate() {
        if instance.material as usize >= world.materials.len() {
            let what = format!("instance {i}: material");
            return refuse(what, world.materials.len(), instance.material);
        }
        if instance.kind == KIND_MESH && geometry.entry(instance.root).is_none() {
            return Err(Error::invalid(
                format!("instance {i}: root"),
                "the root of a mesh's tree",
                instance.root.to_string(),
                "flatten the world again",
            ));
        }
        if instance.light as usize > world.lights.len() {
            return refuse(
                format!("instance {i}: light"),
                world.lights.len() + 1,
                instance.light,
            );
        }
    }
    let suns = world
        .lights
        .iter()
        .filter(|light| light.kind == LIGHT_SUN)
        .count();
    if suns > 1 {
        return Err(Error::invalid(
            "lights",
            "at most one sun",
            suns.to_string(),
            "leave the brightest",
        ));
    }
    Ok(())
}

fn check_tree(what: &str, nodes: &[FlatNode], items: usize) -> Result<()> {
    let largest = nodes.iter().map(|node| node.count).max();
    if largest.is_some_and(|count| count > MAX_LEAF) {
        return refuse(
            "items of a leaf".into(),
            MAX_LEAF as usize + 1,
            largest.unwrap_or(0),
        );
    }
    if items > MAX_FIRST as usize {
        return refuse(format!("{what}: item"), MAX_FIRST as usize, items as u32);
    }
    for (i, node) in nodes.iter().enumerate() {
        if node.count > 0 {
            if u64::from(node.first) + u64::from(node.count) > items as u64 {
                return refuse(
                    format!("{what} {i}: last item"),
                    items,
                    node.first + node.count - 1,
                );
            }
        } else if node.first as usize <= i || node.first as usize + 1 >= nodes.len() {
            return Err(Error::invalid(
                format!("{what} {i}: first child"),
                format!("an index of {}..{}", i + 1, nodes.len().saturating_sub(1)),
                node.first.to_string(),
                "flatten the world again",
            ));
        }
    }
    let depth = bvh::depth(nodes);
    if depth > MAX_TREE_DEPTH {
        return Err(Error::invalid(
            "depth of a tree",
            format!("at most {MAX_TREE_DEPTH} nodes"),
            depth.to_string(),
            "flatten the world again",
        ));
    }
    Ok(())
}
