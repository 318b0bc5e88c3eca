//! Worlds as the scene buffer holds them.

use super::blocks::{Picture, HAS_INSTANCES, INSTANCE_HAS_CUTOFF};
use crate::error::{Error, Result};
use crate::flat::{
    FlatCamera, FlatImage, FlatInstance, FlatLight, FlatMaterial, FlatNode, FlatParticle, FlatSky,
    FlatTriangle, FlatWorld, KIND_MESH, LIGHT_RECTANGLE, LIGHT_SPHERE, LIGHT_SUN, LIGHT_TRIANGLE,
};
use crate::meter::{luma, xyz};

/// Probability of a light sample to be of the sky where there are lights too.
const SKY_SHARE: f32 = 0.1;
/// Most items of a leaf: what five bits of a stack's entry hold, less its mark.
const MAX_LEAF: u32 = 30;
/// Bytes of the unit in which places in the scene buffer count.
const UNIT: usize = 16;

/// Blocks without padding, so that their bytes are all there is to them.
///
/// # Safety
/// `repr(C)`, no padding, every member a plain number.
unsafe trait Plain: Copy {}
macro_rules! plain {
    ($($name:ty),*) => { $(
        // SAFETY: `block!` asserts that there is no padding; its members are numbers.
        unsafe impl Plain for $name {}
    )* };
}
plain!(
    FlatNode,
    FlatTriangle,
    FlatInstance,
    FlatMaterial,
    FlatImage,
    FlatLight,
    FlatSky,
    FlatParticle,
    FlatCamera,
    Picture
);
// SAFETY: a number.
unsafe impl Plain for u32 {}

fn bytes_of<T: Plain>(items: &[T]) -> &[u8] {
    // SAFETY: the items are plain, and the slice is as long as they are.
    unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), std::mem::size_of_val(items)) }
}

/// Gathers arrays for one upload.
#[derive(Default)]
pub(crate) struct Upload {
    pub bytes: Vec<u8>,
}

impl Upload {
    /// Room for `count` pictures at the start, which are written last.
    pub fn with_pictures(count: usize) -> Self {
        Upload {
            bytes: vec![0; count * Picture::SIZE],
        }
    }

    pub fn set_pictures(&mut self, pictures: &[Picture]) {
        let bytes = bytes_of(pictures);
        self.bytes[..bytes.len()].copy_from_slice(bytes);
    }

    /// Appends and returns the place in units.
    fn push<T: Plain>(&mut self, items: &[T]) -> u32 {
        let at = self.bytes.len() / UNIT;
        self.bytes.extend_from_slice(bytes_of(items));
        let end = self.bytes.len().next_multiple_of(UNIT);
        self.bytes.resize(end, 0);
        at as u32
    }

    /// Appends a world; the result tells where its parts are, and leaves the rest of a picture zero.
    ///
    /// # Errors
    /// When an index of the world leads nowhere, or it has two suns.
    pub fn push_world(&mut self, world: &FlatWorld) -> Result<Picture> {
        check(world)?;
        let (lights, sky_share) = picks(world);
        let mut instances = world.instances.clone();
        for instance in &mut instances {
            if world.materials[instance.material as usize].alpha_cutoff > 0.0 {
                instance.flags |= INSTANCE_HAS_CUTOFF;
            }
        }
        let sun = lights.iter().position(|light| light.kind == LIGHT_SUN);
        let mut picture = Picture::get(&[0; Picture::SIZE]);
        picture.nodes = self.push(&world.nodes);
        picture.top = self.push(&world.top);
        picture.triangles = self.push(&world.triangles);
        picture.instances = self.push(&instances);
        picture.materials = self.push(&world.materials);
        picture.images = self.push(&world.images);
        picture.texels = self.push(&world.texels);
        picture.lights = self.push(&lights);
        picture.particles = self.push(&world.particles);
        picture.camera = self.push(&[world.camera]);
        picture.sky = self.push(&[world.sky]);
        picture.sun = sun.map_or(0, |index| index as u32 + 1);
        picture.light_count = lights.len() as u32;
        picture.particle_count = world.particles.len() as u32;
        picture.sky_share = sky_share;
        picture.flags = if world.instances.is_empty() || world.top.is_empty() {
            0
        } else {
            HAS_INSTANCES
        };
        Ok(picture)
    }
}

fn check(world: &FlatWorld) -> Result<()> {
    let refuse = |what: String, below: usize, got: u32| {
        Err(Error::invalid(
            what,
            format!("an index below {below}"),
            got.to_string(),
            "flatten the world again",
        ))
    };
    for (i, instance) in world.instances.iter().enumerate() {
        if instance.material as usize >= world.materials.len() {
            let what = format!("instance {i}: material");
            return refuse(what, world.materials.len(), instance.material);
        }
        if instance.kind == KIND_MESH && instance.root as usize >= world.nodes.len() {
            return refuse(
                format!("instance {i}: root"),
                world.nodes.len(),
                instance.root,
            );
        }
        if instance.light as usize > world.lights.len() {
            return refuse(
                format!("instance {i}: light"),
                world.lights.len() + 1,
                instance.light,
            );
        }
    }
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
    let largest = world
        .nodes
        .iter()
        .chain(&world.top)
        .map(|node| node.count)
        .max();
    if largest.is_some_and(|count| count > MAX_LEAF) {
        return refuse(
            "items of a leaf".into(),
            MAX_LEAF as usize + 1,
            largest.unwrap_or(0),
        );
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

/// The lights with their probabilities, and that of the sky. Half of it is spread evenly over the lights, a mesh
/// counting as one, half by their power.
fn picks(world: &FlatWorld) -> (Vec<FlatLight>, f32) {
    let mut lights = world.lights.clone();
    let mut power: Vec<f32> = lights.iter().map(power_of).collect();
    let brightest = power.iter().copied().fold(0.0, f32::max);
    for (light, power) in lights.iter().zip(&mut power) {
        // A sun is worth as much as the brightest lamp, whatever the world's size.
        if light.kind == LIGHT_SUN && *power > 0.0 && brightest > 0.0 {
            *power = brightest;
        }
    }
    let group = |light: &FlatLight, i: usize| match light.kind {
        LIGHT_TRIANGLE if light.instance != 0 => (true, light.instance),
        _ => (false, i as u32),
    };
    let mut groups = std::collections::BTreeMap::new();
    for (i, light) in lights.iter().enumerate() {
        *groups.entry(group(light, i)).or_insert(0.0f32) += power[i];
    }
    let lit = groups.values().filter(|&&power| power > 0.0).count() as f32;
    let total: f32 = power.iter().sum();
    let mut end = 0.0;
    for (i, light) in lights.iter_mut().enumerate() {
        let of_group = groups[&group(light, i)];
        light.pick = if power[i] > 0.0 {
            (0.5 / lit + 0.5 * of_group / total) * (power[i] / of_group)
        } else {
            0.0
        };
        end += light.pick;
        light.pick_end = end;
    }
    if let Some(last) = lights.iter_mut().rfind(|light| light.pick > 0.0) {
        // Rounding may not leave a gap below 1.
        last.pick_end = 1.0;
    }
    let sky = [world.sky.zenith, world.sky.horizon, world.sky.ground];
    let is_sky_lit = sky.iter().any(|color| luma(xyz(*color)) > 0.0);
    let share = match (total > 0.0, is_sky_lit) {
        (true, true) => SKY_SHARE,
        (true, false) => 0.0,
        _ => 1.0,
    };
    (lights, share)
}

/// Emitted power in world units.
fn power_of(light: &FlatLight) -> f32 {
    let area = xyz(light.edge_u).cross(xyz(light.edge_v)).length();
    let radius = light.position[3];
    let size = match light.kind {
        LIGHT_SPHERE => 4.0 * std::f32::consts::PI * radius * radius,
        LIGHT_RECTANGLE => area,
        LIGHT_TRIANGLE => 0.5 * area,
        _ => radius * radius,
    };
    luma(xyz(light.radiance)) * size
}
