//! A device with a renderer, small worlds made by hand, and pictures averaged over seeds.

use glam::{DVec3, Mat4, Quat, Vec3};
use reconstruction_core::Size;
use reconstruction_host::{Host, HostOptions};
use reconstruction_scene::flat::{
    FlatCamera, FlatInstance, FlatLight, FlatMaterial, FlatNode, FlatSky, FlatWorld, KIND_BOX,
    KIND_CYLINDER, KIND_SPHERE, LIGHT_SPHERE,
};
use reconstruction_scene::renderer::{Plane, Rendered, Renderer, Request, View};
use std::sync::{LazyLock, Mutex, MutexGuard};

pub const SIZE: Size = Size::new(32, 18);
pub const NEAR: f32 = 0.1;
pub const FAR: f32 = 100.0;
pub const DRIVERS: [Driver; 2] = [Driver::Lavapipe, Driver::SwiftShader];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    Lavapipe,
    SwiftShader,
}

/// One device for all tests: compiling the light takes seconds.
pub struct Stage {
    pub renderer: Renderer,
    pub host: Host,
}

static LAVAPIPE: LazyLock<Mutex<Stage>> = LazyLock::new(|| Stage::open("llvmpipe"));
static SWIFTSHADER: LazyLock<Mutex<Stage>> = LazyLock::new(|| Stage::open("SwiftShader"));

pub fn stage(driver: Driver) -> MutexGuard<'static, Stage> {
    let stage = match driver {
        Driver::Lavapipe => &LAVAPIPE,
        Driver::SwiftShader => &SWIFTSHADER,
    };
    // A failed test says what failed; the others go on.
    stage.lock().unwrap_or_else(|poison| poison.into_inner())
}

impl Stage {
    fn open(driver: &str) -> Mutex<Self> {
        let options = HostOptions {
            device: Some(driver.into()),
            validation: true,
            ..HostOptions::default()
        };
        let host = Host::new(&options).unwrap_or_else(|e| panic!("{driver}: {e}"));
        let renderer = Renderer::new(&host).unwrap_or_else(|e| panic!("{driver}: {e}"));
        Mutex::new(Stage { renderer, host })
    }

    /// Pictures of one world, with nothing to say for the validation layer.
    pub fn render(&mut self, world: &FlatWorld, requests: Vec<Request>) -> Rendered<'_> {
        let log = self.host.messages();
        let rendered = self
            .renderer
            .render(&mut self.host, &[View { world, requests }])
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(log.take(), []);
        rendered
    }

    /// One picture's plane.
    pub fn plane(&mut self, world: &FlatWorld, request: Request, plane: Plane) -> Vec<f32> {
        let request = Request {
            planes: vec![plane],
            ..request
        };
        self.render(world, vec![request])
            .floats(0, 0, plane)
            .unwrap()
    }

    /// The colour averaged over `seeds` of a request.
    pub fn average(
        &mut self,
        world: &FlatWorld,
        seeds: u32,
        request: impl Fn(u32) -> Request,
    ) -> Average {
        let requests = (0..seeds)
            .map(|seed| Request {
                planes: vec![Plane::Color],
                ..request(seed)
            })
            .collect();
        let rendered = self.render(world, requests);
        let mut sums = vec![(DVec3::ZERO, DVec3::ZERO); SIZE.area() as usize];
        for i in 0..seeds as usize {
            let colors = rendered.floats(0, i, Plane::Color).unwrap();
            for (sum, color) in sums.iter_mut().zip(colors.chunks_exact(4)) {
                let color = DVec3::new(color[0].into(), color[1].into(), color[2].into());
                sum.0 += color;
                sum.1 += color * color;
            }
        }
        let n = f64::from(seeds);
        let mean = sums.iter().map(|(sum, _)| *sum / n).collect();
        let deviation = |(sum, squares): &(DVec3, DVec3)| {
            let variance = (*squares / n - (*sum / n) * (*sum / n)).max(DVec3::ZERO);
            let deviation = variance / (n - 1.0);
            DVec3::new(deviation.x.sqrt(), deviation.y.sqrt(), deviation.z.sqrt())
        };
        Average {
            mean,
            deviation: sums.iter().map(deviation).collect(),
        }
    }
}

/// Mean colours, and the standard deviation of each mean.
pub struct Average {
    pub mean: Vec<DVec3>,
    pub deviation: Vec<DVec3>,
}

impl Average {
    /// Every pixel lies within five deviations, and `slack` of the value, of what it should be; of a thousand, two may
    /// be off by more than four.
    pub fn assert_is(&self, what: &str, slack: f64, expected: impl Fn(usize) -> Option<DVec3>) {
        let (mut tested, mut far) = (0, 0);
        for (i, (mean, deviation)) in self.mean.iter().zip(&self.deviation).enumerate() {
            let Some(expected) = expected(i) else {
                continue;
            };
            let off = (*mean - expected).abs() - expected * slack;
            assert!(
                off.cmple(*deviation * 5.0).all(),
                "{what}: pixel {i}: {mean} for {expected}, deviation {deviation}"
            );
            tested += 1;
            far += u32::from(off.cmpgt(*deviation * 4.0).any());
        }
        assert!(tested > 100, "{what}: only {tested} pixels tested");
        assert!(
            far * 500 <= tested,
            "{what}: {far} of {tested} pixels are off"
        );
    }
}

/// View matrix of an eye that looks at a point, y up.
pub fn look_at(eye: Vec3, at: Vec3) -> Mat4 {
    let forward = (at - eye).normalize();
    let right = forward.cross(Vec3::Y).normalize();
    let up = right.cross(forward);
    let view_to_world = Mat4::from_cols(
        right.extend(0.0),
        up.extend(0.0),
        (-forward).extend(0.0),
        eye.extend(1.0),
    );
    view_to_world.inverse()
}

/// A still camera with a vertical angle of 53 degrees.
pub fn camera(view: Mat4) -> FlatCamera {
    let y = 2.0;
    let x = y * SIZE.height as f32 / SIZE.width as f32;
    let (a, b) = (FAR / (NEAR - FAR), NEAR * FAR / (NEAR - FAR));
    let projection = [
        x, 0.0, 0.0, 0.0, 0.0, -y, 0.0, 0.0, 0.0, 0.0, a, -1.0, 0.0, 0.0, b, 0.0,
    ];
    FlatCamera {
        world_to_view: view.to_cols_array(),
        view_to_world: view.inverse().to_cols_array(),
        projection,
        prev_world_to_view: view.to_cols_array(),
        prev_projection: projection,
        near: NEAR,
        far: FAR,
        reserved_0: 0.0,
        reserved_1: 0.0,
    }
}

pub fn material(color: [f32; 3], roughness: f32, metallic: f32) -> FlatMaterial {
    FlatMaterial {
        base_color: [color[0], color[1], color[2], 1.0],
        second_color: [0.0; 4],
        emission: [0.0; 4],
        roughness,
        metallic,
        f0: 0.04,
        alpha_cutoff: 0.0,
        subsurface: 0.0,
        pattern_scale: 1.0,
        pattern: 0,
        reserved: 0,
        base_image: 0,
        rough_metal_image: 0,
        normal_image: 0,
        emissive_image: 0,
    }
}

/// Diffuse without a coat.
pub fn matte(color: [f32; 3]) -> FlatMaterial {
    FlatMaterial {
        f0: 0.0,
        ..material(color, 1.0, 0.0)
    }
}

pub fn shape(kind: u32, center: Vec3, half: Vec3, material: u32) -> FlatInstance {
    let to_world = Mat4::from_scale_rotation_translation(half, Quat::IDENTITY, center);
    FlatInstance {
        to_world: to_world.to_cols_array(),
        to_object: to_world.inverse().to_cols_array(),
        prev_to_world: to_world.to_cols_array(),
        kind,
        root: 0,
        material,
        flags: 0,
        light: 0,
        first_triangle: 0,
        object: 1,
        reserved: 0,
    }
}

pub fn ball(center: Vec3, radius: f32, material: u32) -> FlatInstance {
    shape(KIND_SPHERE, center, Vec3::splat(radius), material)
}

pub fn block(center: Vec3, half: Vec3, material: u32) -> FlatInstance {
    shape(KIND_BOX, center, half, material)
}

/// A cylinder along y.
pub fn disc(center: Vec3, half: Vec3, material: u32) -> FlatInstance {
    shape(KIND_CYLINDER, center, half, material)
}

/// A sphere light; its body is instance `body`.
pub fn sphere_light(center: Vec3, radius: f32, radiance: [f32; 3], body: u32) -> FlatLight {
    FlatLight {
        position: [center.x, center.y, center.z, radius],
        edge_u: [0.0, 0.0, 0.0, 2.0],
        edge_v: [0.0; 4],
        radiance: [radiance[0], radiance[1], radiance[2], 0.0],
        direction: [0.0, -1.0, 0.0, 0.0],
        kind: LIGHT_SPHERE,
        instance: body + 1,
        pick: 0.0,
        pick_end: 0.0,
    }
}

/// A world of analytic shapes under a sky of one radiance.
pub fn world(
    view: Mat4,
    sky: f32,
    materials: Vec<FlatMaterial>,
    mut instances: Vec<FlatInstance>,
    lights: Vec<FlatLight>,
) -> FlatWorld {
    for (i, light) in lights
        .iter()
        .enumerate()
        .filter(|(_, light)| light.instance != 0)
    {
        instances[light.instance as usize - 1].light = i as u32 + 1;
    }
    for (i, instance) in instances.iter_mut().enumerate() {
        instance.object = i as u32 + 1;
    }
    let sky = [sky, sky, sky, 0.0];
    FlatWorld {
        nodes: Vec::new(),
        top: vec![FlatNode {
            min_x: -FAR,
            min_y: -FAR,
            min_z: -FAR,
            first: 0,
            max_x: FAR,
            max_y: FAR,
            max_z: FAR,
            count: instances.len() as u32,
        }],
        triangles: Vec::new(),
        instances,
        materials,
        images: Vec::new(),
        texels: Vec::new(),
        lights,
        particles: Vec::new(),
        sky: FlatSky {
            zenith: sky,
            horizon: sky,
            ground: sky,
        },
        camera: camera(view),
        exposure: 1.0,
        is_cut: false,
        geometry_revision: 0,
    }
}

/// Origin and unit direction of the ray through a pixel's centre.
pub fn center_ray(world: &FlatWorld, pixel: usize) -> (DVec3, DVec3) {
    let (x, y) = (pixel as u32 % SIZE.width, pixel as u32 / SIZE.width);
    let p = &world.camera.projection;
    let ndc = |v: u32, size: u32| (f64::from(v) + 0.5) / f64::from(size) * 2.0 - 1.0;
    let view = Vec3::new(
        (ndc(x, SIZE.width) / f64::from(p[0])) as f32,
        (ndc(y, SIZE.height) / f64::from(p[5])) as f32,
        -1.0,
    );
    let to_world = Mat4::from_cols_array(&world.camera.view_to_world);
    let origin = to_world.transform_point3(Vec3::ZERO).as_dvec3();
    (
        origin,
        to_world.transform_vector3(view).as_dvec3().normalize(),
    )
}
