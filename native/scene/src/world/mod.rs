//! A world over time: what there is, where it moves, how it is lit and from where it is seen.

mod camera;
mod light;
mod material;
mod mesh;
mod motion;
mod particles;

pub use camera::{CameraKey, CameraPath, CameraView, Shot};
pub(crate) use light::scramble;
pub use light::{Cone, Flicker, Lifetime, Light, LightShape, Sky, Sun};
pub use material::{Material, Pattern, Picture, Pictures};
pub use mesh::{corners, Mesh, Surface, Vertex};
pub use motion::{Interpolation, Motion, Move, Node, Nodes, Pose, Track};
pub use particles::{Emitter, Particle};

use crate::{Error, Result};

/// Shape of a body in its own space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Radius 1.
    Sphere,
    /// From -1 to 1 on each axis.
    Box,
    /// Radius 1 around y, from -1 to 1, capped.
    Cylinder,
    /// One of the world's meshes.
    Mesh(usize),
}

/// A thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its shape.
    pub shape: Shape,
    /// Index of its material.
    pub material: usize,
    /// Where it is.
    pub motion: Motion,
    /// When it exists.
    pub lifetime: Lifetime,
}

/// A world over time.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Name of a demo, the seed's digits, or a file's name.
    pub name: String,
    /// Meshes, shared by any number of bodies.
    pub meshes: Vec<Mesh>,
    /// Pictures of materials.
    pub pictures: Vec<Picture>,
    /// Materials.
    pub materials: Vec<Material>,
    /// Things.
    pub bodies: Vec<Body>,
    /// Lights; meshes of emitting materials are lights as well.
    pub lights: Vec<Light>,
    /// The sun, where there is one.
    pub sun: Option<Sun>,
    /// What lies behind everything.
    pub sky: Sky,
    /// Particles.
    pub emitters: Vec<Emitter>,
    /// Nodes that carry bodies, lights and the camera.
    pub nodes: Nodes,
    /// The camera.
    pub camera: CameraPath,
    /// Distance of the near plane, world units.
    pub near: f32,
    /// Distance of the far plane, world units.
    pub far: f32,
    /// Factor that brings the picture to a median luma near 0.5.
    pub exposure: f32,
    /// Direct light keeps its reservoirs from frame to frame.
    pub is_reusing_light: bool,
}

impl World {
    /// Nothing but a camera at (0, 0, 5) that looks at the origin.
    pub fn empty(name: impl Into<String>) -> Self {
        World {
            name: name.into(),
            meshes: Vec::new(),
            pictures: Vec::new(),
            materials: Vec::new(),
            bodies: Vec::new(),
            lights: Vec::new(),
            sun: None,
            sky: Sky::NONE,
            emitters: Vec::new(),
            nodes: Nodes {
                list: Vec::new(),
                seconds_per_frame: 1.0 / 30.0,
            },
            camera: CameraPath::still(glam::Vec3::new(0.0, 0.0, 5.0), glam::Vec3::ZERO, 50.0),
            near: 0.05,
            far: 200.0,
            exposure: 1.0,
            is_reusing_light: false,
        }
    }

    /// Adds a mesh and gives its shape.
    pub fn mesh(&mut self, surface: &Surface) -> Shape {
        self.meshes.push(surface.mesh());
        Shape::Mesh(self.meshes.len() - 1)
    }

    /// Adds a picture and gives its index.
    pub fn picture(&mut self, picture: Picture) -> usize {
        self.pictures.push(picture);
        self.pictures.len() - 1
    }

    /// Adds a material and gives its index.
    pub fn material(&mut self, material: Material) -> usize {
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Adds a body that is always there and gives its index.
    pub fn body(&mut self, shape: Shape, material: usize, motion: impl Into<Motion>) -> usize {
        self.bodies.push(Body {
            shape,
            material,
            motion: motion.into(),
            lifetime: Lifetime::ALWAYS,
        });
        self.bodies.len() - 1
    }

    /// Number of triangles of all bodies together, as a ray sees them.
    pub fn triangle_count(&self) -> usize {
        self.bodies
            .iter()
            .map(|body| match body.shape {
                Shape::Mesh(mesh) => self.meshes[mesh].triangles.len(),
                _ => 0,
            })
            .sum()
    }

    /// Refuses what no frame could be made from.
    ///
    /// # Errors
    /// An index that names nothing, a camera without keys, an emitting material on a shape without triangles.
    pub fn check(&self) -> Result<()> {
        for (i, body) in self.bodies.iter().enumerate() {
            let Some(material) = self.materials.get(body.material) else {
                return Err(self.dangling(
                    format!("body {i}: material"),
                    self.materials.len(),
                    body.material,
                ));
            };
            match body.shape {
                Shape::Mesh(mesh) if mesh >= self.meshes.len() => {
                    return Err(self.dangling(format!("body {i}: mesh"), self.meshes.len(), mesh));
                }
                Shape::Mesh(_) => {}
                _ if material.emission != glam::Vec3::ZERO => {
                    return Err(Error::invalid(
                        format!("world {}: body {i}", self.name),
                        "a mesh, because its material emits",
                        format!("{:?}", body.shape),
                        "use a mesh, or a light with a body",
                    ));
                }
                _ => {}
            }
        }
        for (i, material) in self.materials.iter().enumerate() {
            let p = material.pictures;
            for index in [p.base, p.rough_metal, p.normal, p.emissive]
                .into_iter()
                .flatten()
            {
                if index >= self.pictures.len() {
                    return Err(self.dangling(
                        format!("material {i}: picture"),
                        self.pictures.len(),
                        index,
                    ));
                }
            }
        }
        match &self.camera {
            CameraPath::Shots(shots)
                if shots.first().is_none_or(|shot| shot.from != 0)
                    || shots.iter().any(|shot| shot.keys.is_empty()) =>
            {
                Err(Error::invalid(
                    format!("world {}: camera", self.name),
                    "a first shot from frame 0 and keys in every shot",
                    format!("{} shots", shots.len()),
                    "give every shot at least one key",
                ))
            }
            _ => Ok(()),
        }
    }

    fn dangling(&self, what: String, count: usize, got: usize) -> Error {
        Error::invalid(
            format!("world {}: {what}", self.name),
            format!("an index below {count}"),
            got.to_string(),
            "add it to the world first",
        )
    }
}
