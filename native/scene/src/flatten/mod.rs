//! A world at a frame as plain arrays: geometry once, transforms, lights, particles and the upper tree each frame.

mod camera;
mod lights;
mod tables;

use crate::bvh::{self, Bounds};
use crate::flat::{
    FlatInstance, FlatParticle, FlatSky, FlatWorld, INSTANCE_NEW, KIND_BOX, KIND_CYLINDER,
    KIND_MESH, KIND_SPHERE,
};
use crate::shapes;
use crate::world::{CameraView, LightShape, Mesh, Shape, World};
use crate::Result;
use camera::camera;
use glam::{DAffine3, DVec3, Mat4, Vec3, Vec4};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// A tree is built anew when refitting has made it this much worse.
const WORN: f32 = 1.3;

/// Geometry revisions are unique in a process, so that a renderer never takes one world for another.
static REVISION: AtomicU64 = AtomicU64::new(1);

/// Flattens frames of one world one after the other; what does not change is laid out once.
#[derive(Debug, Clone)]
pub struct Flattener {
    world: Arc<World>,
    /// Width over height of the picture.
    aspect: f64,
    flat: FlatWorld,
    /// First node and first triangle of each mesh; the last entry is the square of rectangle lights.
    meshes: Vec<(u32, u32)>,
    square: Mesh,
    /// Body, first light and radiance of each triangle of every emitting mesh.
    emitting: Vec<(usize, u32, Vec<Vec3>)>,
    /// Object of each place of the upper tree's leaves.
    places: Vec<usize>,
    built_cost: f32,
    previous: Option<u32>,
}

/// Where things were or are, by object: bodies first, then bodies of lights.
struct Transforms {
    objects: Vec<Option<DAffine3>>,
    camera: CameraView,
}

impl Flattener {
    /// Prepares a world for pictures of `aspect` (width over height).
    ///
    /// # Errors
    /// When the world is not valid; see [`World::check`].
    pub fn new(world: Arc<World>, aspect: f32) -> Result<Self> {
        world.check()?;
        let square = shapes::card().mesh();
        let (mut nodes, mut triangles, mut meshes) = (Vec::new(), Vec::new(), Vec::new());
        for mesh in world.meshes.iter().chain([&square]) {
            let (first_node, first_triangle) = (nodes.len() as u32, triangles.len() as u32);
            meshes.push((first_node, first_triangle));
            nodes.extend(mesh.nodes.iter().map(|node| {
                let base = if node.count > 0 {
                    first_triangle
                } else {
                    first_node
                };
                crate::flat::FlatNode {
                    first: node.first + base,
                    ..*node
                }
            }));
            triangles.extend_from_slice(&mesh.triangles);
        }
        let (images, texels) = tables::images(&world.pictures);
        let mut first_light = world.lights.len() as u32;
        let emitting = (0..world.bodies.len())
            .filter_map(|body| {
                let radiance = tables::emitted(&world, body)?;
                let first = first_light;
                first_light += radiance.len() as u32;
                Some((body, first, radiance))
            })
            .collect();
        let sky = world.sky;
        let flat = FlatWorld {
            nodes,
            top: Vec::new(),
            triangles,
            instances: Vec::new(),
            materials: tables::materials(&world),
            images,
            texels,
            lights: Vec::new(),
            particles: Vec::new(),
            sky: FlatSky {
                zenith: color(sky.zenith),
                horizon: color(sky.horizon),
                ground: color(sky.ground),
            },
            camera: camera(&world, view(&world, 0), view(&world, 0), f64::from(aspect)),
            exposure: world.exposure,
            is_cut: true,
            geometry_revision: REVISION.fetch_add(1, Ordering::Relaxed),
        };
        Ok(Flattener {
            world,
            aspect: f64::from(aspect),
            flat,
            meshes,
            square,
            emitting,
            places: Vec::new(),
            built_cost: 0.0,
            previous: None,
        })
    }

    /// The world at `frame`; the frame before is the one asked for last.
    pub fn frame(&mut self, frame: u32) -> &FlatWorld {
        self.frame_after(frame, self.previous)
    }

    /// The world at `frame` when `previous` was recorded before it. The frame is a cut without a previous one, and
    /// when both belong to different shots.
    pub fn frame_after(&mut self, frame: u32, previous: Option<u32>) -> &FlatWorld {
        let path = &self.world.camera;
        let before = previous.filter(|&p| path.shot_start(p) == path.shot_start(frame));
        let now = self.transforms(frame);
        let was = before.map(|previous| self.transforms(previous));
        self.instances(&now, was.as_ref());
        self.lights(frame, &now);
        self.particles(frame, &now.camera);
        let prev_camera = was.as_ref().map_or(now.camera, |was| was.camera);
        self.flat.camera = camera(&self.world, now.camera, prev_camera, self.aspect);
        self.flat.is_cut = before.is_none();
        self.previous = Some(frame);
        &self.flat
    }

    fn transforms(&self, frame: u32) -> Transforms {
        let world = &self.world;
        let time = f64::from(frame);
        let bodies = world.bodies.iter().map(|body| {
            let is_there = body.lifetime.contains(frame);
            is_there.then(|| body.motion.at(time, &world.nodes))
        });
        let lights = world.lights.iter().map(|light| {
            let is_seen = light.has_body && light.lifetime.contains(frame);
            is_seen.then(|| {
                let size = match light.shape {
                    LightShape::Sphere(radius) => DVec3::splat(f64::from(radius)),
                    LightShape::Rectangle(half) => {
                        DVec3::new(f64::from(half.x), f64::from(half.y), 1.0)
                    }
                };
                light.motion.at(time, &world.nodes) * DAffine3::from_scale(size)
            })
        });
        Transforms {
            objects: bodies.chain(lights).collect(),
            camera: view(world, frame),
        }
    }

    /// Kind, tree root, first triangle, material and light of an object.
    fn shape(&self, object: usize) -> (u32, u32, u32, usize) {
        let body = self.world.bodies.get(object);
        let (shape, material) = match body {
            Some(body) => (body.shape, body.material),
            None => {
                let light = &self.world.lights[object - self.world.bodies.len()];
                // The material of light bodies follows the world's own.
                let material = self.world.materials.len();
                match light.shape {
                    LightShape::Sphere(_) => (Shape::Sphere, material),
                    LightShape::Rectangle(_) => (Shape::Mesh(self.world.meshes.len()), material),
                }
            }
        };
        match shape {
            Shape::Sphere => (KIND_SPHERE, 0, 0, material),
            Shape::Box => (KIND_BOX, 0, 0, material),
            Shape::Cylinder => (KIND_CYLINDER, 0, 0, material),
            Shape::Mesh(mesh) => {
                let (node, triangle) = self.meshes[mesh];
                (KIND_MESH, node, triangle, material)
            }
        }
    }

    fn instances(&mut self, now: &Transforms, was: Option<&Transforms>) {
        let objects: Vec<usize> = (0..now.objects.len())
            .filter(|&object| now.objects[object].is_some())
            .collect();
        let bounds: Vec<Bounds> = (0..now.objects.len())
            .map(|object| match &now.objects[object] {
                Some(to_world) => self.bounds(object, to_world),
                None => Bounds::EMPTY,
            })
            .collect();
        let mut is_kept = self.places.len() == objects.len()
            && self
                .places
                .iter()
                .all(|&object| now.objects[object].is_some());
        if is_kept {
            bvh::refit(&mut self.flat.top, |place| {
                bounds[self.places[place as usize]]
            });
            is_kept = bvh::cost(&self.flat.top) <= WORN * self.built_cost;
        }
        if !is_kept {
            let all: Vec<Bounds> = objects.iter().map(|&object| bounds[object]).collect();
            // Shapes are dear to test: each has bounds of its own.
            let tree = bvh::build(&all, 1);
            self.built_cost = bvh::cost(&tree.nodes);
            self.flat.top = tree.nodes;
            self.places = tree.order.iter().map(|&i| objects[i as usize]).collect();
        }
        self.flat.instances = self
            .places
            .iter()
            .map(|&object| self.instance(object, now, was))
            .collect();
    }

    fn instance(&self, object: usize, now: &Transforms, was: Option<&Transforms>) -> FlatInstance {
        let to_world = now.objects[object].expect("an object that is there");
        let before = match was {
            Some(was) => was.objects[object],
            None => Some(to_world),
        };
        let (kind, root, first_triangle, material) = self.shape(object);
        let bodies = self.world.bodies.len();
        let light = if object >= bodies {
            (object - bodies) as u32 + 1
        } else {
            let emitting = self.emitting.iter().find(|e| e.0 == object);
            emitting.map_or(0, |&(_, first, _)| first + 1)
        };
        FlatInstance {
            to_world: columns(to_world),
            to_object: columns(to_world.inverse()),
            prev_to_world: columns(before.unwrap_or(to_world)),
            kind,
            root,
            material: material as u32,
            flags: if before.is_none() { INSTANCE_NEW } else { 0 },
            light,
            first_triangle,
            object: object as u32,
            reserved: 0,
        }
    }

    /// World bounds of an object.
    fn bounds(&self, object: usize, to_world: &DAffine3) -> Bounds {
        let m = to_world.matrix3;
        let (kind, ..) = self.shape(object);
        let (center, half) = match kind {
            KIND_SPHERE => {
                let rows = m.transpose();
                let half = DVec3::new(
                    rows.x_axis.length(),
                    rows.y_axis.length(),
                    rows.z_axis.length(),
                );
                (to_world.translation, half)
            }
            KIND_CYLINDER => {
                let round = |x: f64, z: f64| x.hypot(z);
                let half = m.y_axis.abs()
                    + DVec3::new(
                        round(m.x_axis.x, m.z_axis.x),
                        round(m.x_axis.y, m.z_axis.y),
                        round(m.x_axis.z, m.z_axis.z),
                    );
                (to_world.translation, half)
            }
            _ => {
                let own = match self.world.bodies.get(object).map(|body| body.shape) {
                    Some(Shape::Mesh(mesh)) => self.world.meshes[mesh].bounds,
                    Some(_) => Bounds {
                        min: Vec3::NEG_ONE,
                        max: Vec3::ONE,
                    },
                    None => self.square.bounds,
                };
                let center = ((own.min + own.max) / 2.0).as_dvec3();
                let half = ((own.max - own.min) / 2.0).as_dvec3();
                let spread =
                    m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
                (to_world.transform_point3(center), spread)
            }
        };
        Bounds {
            min: (center - half).as_vec3(),
            max: (center + half).as_vec3(),
        }
        .padded()
    }

    fn particles(&mut self, frame: u32, camera: &CameraView) {
        let world_to_view = camera.world_to_view;
        let mut particles: Vec<(f64, FlatParticle)> = self
            .world
            .emitters
            .iter()
            .flat_map(|emitter| emitter.at(frame))
            .map(|p| {
                let z = world_to_view.transform_point3(p.position).z;
                let flat = FlatParticle {
                    position: p.position.as_vec3().extend(p.radius).to_array(),
                    color: p.color.extend(p.opacity).to_array(),
                };
                (z, flat)
            })
            .collect();
        // The view looks down -z: the farthest has the smallest z.
        particles.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.flat.particles = particles.into_iter().map(|(_, p)| p).collect();
    }
}

impl World {
    /// The world at one frame, alone; the frame before is the one just before it.
    ///
    /// # Errors
    /// When the world is not valid; see [`World::check`].
    pub fn flatten(&self, frame: u32, aspect: f32) -> Result<FlatWorld> {
        let mut flattener = Flattener::new(Arc::new(self.clone()), aspect)?;
        flattener.frame_after(frame, frame.checked_sub(1));
        Ok(flattener.flat)
    }
}

fn view(world: &World, frame: u32) -> CameraView {
    world.camera.at(f64::from(frame), &world.nodes)
}

fn columns(matrix: DAffine3) -> [f32; 16] {
    let affine = matrix.as_affine3a();
    Mat4::from(affine).to_cols_array()
}

fn color(rgb: Vec3) -> [f32; 4] {
    Vec4::from((rgb, 0.0)).to_array()
}
