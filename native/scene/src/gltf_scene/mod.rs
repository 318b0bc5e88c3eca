//! A user's own scene: glTF 2.0 files, text or binary.
//!
//! Read are triangle meshes, the node hierarchy with its animation, base colour, metallic-roughness, normal and
//! emissive textures of texture coordinates 0, perspective cameras, and the extensions for punctual lights, emissive
//! strength and index of refraction. Blended surfaces become cut-outs at half coverage. Vertex colours, occlusion and
//! sampler modes are left out: textures repeat. Skins and morph targets are refused, since their motion would be
//! wrong.

mod file;
mod lights;
mod materials;
mod meshes;
mod nodes;

use crate::bvh::Bounds;
use crate::flatten::Flattener;
use crate::meter;
use crate::world::{CameraKey, CameraPath, Shape, Shot, Sky, Sun, World};
use crate::Result;
use file::File;
use glam::{Quat, Vec3};
use std::path::Path;
use std::sync::Arc;

/// What a file does not say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Rate of the animations, above 0.
    pub frames_per_second: f64,
    /// Whether a file without punctual lights gets a sky and a sun; what glows in it counts as none.
    pub has_daylight: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Reading {
            frames_per_second: 30.0,
            has_daylight: true,
        }
    }
}

/// Loads the default scene of a file.
///
/// Its animations run all together and rest on their last keys. A file without a perspective camera is framed from its
/// bounds by a camera that travels a little and then stands still.
///
/// # Errors
/// One line that names the file and the element: a file that cannot be read or is broken, and what is not supported.
pub fn load(path: &Path, reading: Reading) -> Result<World> {
    let file = File::open(path)?;
    let name = path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    let mut world = World::empty(name);
    world.nodes.seconds_per_frame = 1.0 / reading.frames_per_second;
    let reached = nodes::read(&file, &mut world)?;
    let textures = materials::read(&file, &mut world)?;
    meshes::read(&file, &mut world, &textures, &reached)?;
    if world.bodies.is_empty() {
        return Err(file.refuse(
            "scene",
            "at least one mesh with triangles",
            "none",
            "export the objects together with the scene",
        ));
    }
    let bounds = bounds(&world);
    let size = (bounds.max - bounds.min).length().max(1e-4);
    lights::read(&file, &mut world, &reached, size);
    if reading.has_daylight && world.lights.is_empty() && world.sun.is_none() {
        daylight(&mut world);
    }
    camera(&file, &mut world, &reached, bounds)?;
    world.check()?;
    let mut flattener = Flattener::new(Arc::new(world.clone()), 16.0 / 9.0)?;
    world.exposure = meter::measure(flattener.frame(0)).exposure();
    Ok(world)
}

/// Around all bodies at frame 0.
fn bounds(world: &World) -> Bounds {
    world.bodies.iter().fold(Bounds::EMPTY, |sum, body| {
        let Shape::Mesh(mesh) = body.shape else {
            return sum;
        };
        let matrix = body.motion.at(0.0, &world.nodes);
        let own = world.meshes[mesh].bounds;
        let corners = (0..8).map(|i| {
            let pick = |bit: u32, low: f32, high: f32| if i & bit == 0 { low } else { high };
            let corner = Vec3::new(
                pick(1, own.min.x, own.max.x),
                pick(2, own.min.y, own.max.y),
                pick(4, own.min.z, own.max.z),
            );
            matrix.transform_point3(corner.as_dvec3()).as_vec3()
        });
        sum.union(Bounds::around(corners))
    })
}

/// The first perspective camera of the scene, or one that sees everything.
fn camera(file: &File, world: &mut World, reached: &[usize], bounds: Bounds) -> Result<()> {
    let radius = ((bounds.max - bounds.min).length() / 2.0).max(1e-4);
    (world.near, world.far) = (radius * 0.005, radius * 40.0);
    for &index in reached {
        let Some(node) = file.document.nodes().nth(index) else {
            continue;
        };
        let Some(camera) = node.camera() else {
            continue;
        };
        if let gltf::camera::Projection::Perspective(lens) = camera.projection() {
            let (fov_y, near) = (lens.yfov(), lens.znear());
            let far = lens.zfar().unwrap_or(world.far.max(near * 1000.0));
            let is_sound = fov_y > 0.0 && fov_y < 3.1 && near > 0.0 && far > near;
            if !is_sound {
                return Err(file.refuse(
                    &format!("camera {}", camera.index()),
                    "yfov in 0..3.1 and 0 < znear < zfar",
                    &format!("yfov {fov_y}, znear {near}, zfar {far}"),
                    "correct the camera and export again",
                ));
            }
            (world.near, world.far) = (near, far);
            world.camera = CameraPath::Node { node: index, fov_y };
            return Ok(());
        }
    }
    world.camera = around(bounds, radius);
    Ok(())
}

/// A quarter view that travels for 32 frames and then stands still.
fn around(bounds: Bounds, radius: f32) -> CameraPath {
    const FOV_Y: f32 = 0.7;
    let target = (bounds.min + bounds.max) / 2.0;
    let away = radius / (FOV_Y / 2.0).sin() * 0.95;
    let keys = (0..=8).map(|i| {
        let turn = 0.35 + 0.035 * i as f32;
        let eye = target + Quat::from_rotation_y(turn) * Vec3::new(0.0, 0.32, 0.95) * away;
        CameraKey {
            frame: 4.0 * i as f32,
            eye,
            target,
            roll: 0.0,
            fov_y: FOV_Y,
        }
    });
    CameraPath::Shots(vec![Shot {
        from: 0,
        keys: keys.collect(),
        shake: 0.0,
    }])
}

/// Light for files that bring none.
fn daylight(world: &mut World) {
    world.sky = Sky {
        zenith: Vec3::new(0.5, 0.65, 1.0),
        horizon: Vec3::new(0.9, 0.92, 0.95),
        ground: Vec3::new(0.35, 0.33, 0.3),
    };
    world.sun = Some(Sun::with_irradiance(
        Vec3::new(0.5, 0.8, 0.45),
        0.02,
        Vec3::new(3.2, 3.0, 2.7),
    ));
}
