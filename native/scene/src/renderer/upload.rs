//! Worlds as the scene buffer holds them.

use super::blocks::{Picture, Shape, WideNode, HAS_INSTANCES};
use super::check::check_frame;
use super::geometry::Geometry;
use super::wide::widen;
use crate::error::Result;
use crate::flat::{
    FlatCamera, FlatImage, FlatInstance, FlatLight, FlatMaterial, FlatParticle, FlatSky,
    FlatTriangle, FlatWorld, KIND_MESH, LIGHT_RECTANGLE, LIGHT_SPHERE, LIGHT_SUN, LIGHT_TRIANGLE,
};
use crate::meter::{luma, xyz};

/// Probability of a light sample to be of the sky where there are lights too.
const SKY_SHARE: f32 = 0.1;
/// Bytes of the unit in which places in the scene buffer count.
pub(crate) const UNIT: usize = 16;

/// Blocks without padding, so that their bytes are all there is to them.
///
/// # Safety
/// `repr(C)`, no padding, every member a plain number.
pub(crate) unsafe trait Plain: Copy {}
macro_rules! plain {
    ($($name:ty),*) => { $(
        // SAFETY: `block!` asserts that there is no padding; its members are numbers.
        unsafe impl Plain for $name {}
    )* };
}
plain!(
    WideNode,
    Shape,
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
    pub fn push<T: Plain>(&mut self, items: &[T]) -> u32 {
        let at = self.bytes.len() / UNIT;
        self.bytes.extend_from_slice(bytes_of(items));
        let end = self.bytes.len().next_multiple_of(UNIT);
        self.bytes.resize(end, 0);
        at as u32
    }

    /// Appends what belongs to a world's frame; the result tells where its parts are, and leaves the rest of a picture
    /// zero.
    ///
    /// # Errors
    /// When an index of the world leads nowhere, or it has two suns.
    pub fn push_frame(&mut self, world: &FlatWorld, geometry: &Geometry) -> Result<Picture> {
        check_frame(world, geometry)?;
        let (lights, sky_share) = picks(world);
        let sun = lights.iter().position(|light| light.kind == LIGHT_SUN);
        let top = widen(&world.top);
        let shapes: Vec<Shape> = world
            .instances
            .iter()
            .map(|instance| shape(instance, world, geometry))
            .collect();
        let mut picture = Picture::get(&[0; Picture::SIZE]);
        picture.nodes = geometry.nodes;
        picture.triangles = geometry.triangles;
        picture.materials = geometry.materials;
        picture.images = geometry.images;
        picture.texels = geometry.texels;
        picture.top = self.push(&top.nodes);
        picture.top_entry = top.roots.get(&0).copied().unwrap_or(0);
        picture.shapes = self.push(&shapes);
        picture.instances = self.push(&world.instances);
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

/// An instance as rays meet it.
fn shape(instance: &FlatInstance, world: &FlatWorld, geometry: &Geometry) -> Shape {
    let row = |i: usize| [0, 4, 8, 12].map(|column| instance.to_object[column + i]);
    let material = &world.materials[instance.material as usize];
    let image = material.base_image.checked_sub(1);
    let image = image.map(|image| world.images[image as usize]);
    Shape {
        to_object_x: row(0),
        to_object_y: row(1),
        to_object_z: row(2),
        kind: instance.kind,
        entry: match instance.kind {
            KIND_MESH => geometry.entry(instance.root).unwrap_or(0),
            _ => 0,
        },
        has_holes: u32::from(material.alpha_cutoff > 0.0),
        reserved: 0,
        hole_width: image.map_or(0, |image| image.width),
        hole_height: image.map_or(0, |image| image.height),
        hole_texel: image.map_or(0, |image| image.first_texel),
        // Infinite where nothing is left of the surface.
        hole_below: material.alpha_cutoff / material.base_color[3],
    }
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
