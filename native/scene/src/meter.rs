//! A light meter: a coarse estimate of what a frame shows, from a few rays on the CPU.
//!
//! Direct light from the middle of every light with shadows, the sky from a few directions, and one even term for
//! what surfaces give each other. Good to a factor of two: enough for an exposure and to refuse dark pictures.

use crate::flat::{
    FlatLight, FlatMaterial, FlatWorld, KIND_MESH, LIGHT_SPHERE, LIGHT_SUN, LIGHT_TRIANGLE,
};
use crate::trace::{camera_ray, is_visible, nearest_hit, Hit, Ray};
use glam::{Vec2, Vec3, Vec4};
use reconstruction_core::size::Size;
use std::f32::consts::PI;

/// Places measured across and down the picture.
const GRID: Size = Size::new(16, 9);
/// Most lights tried for a place; of more, every n-th stands for its neighbours.
const MOST_LIGHTS: usize = 16;

/// What the meter saw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Median luma of the picture, radiance.
    pub median_luma: f32,
    /// Share of places that a light or the sky reaches, or that shine themselves; 0..1.
    pub lit_share: f32,
    /// Distance to the nearest surface in the picture, world units.
    pub nearest: f32,
    /// Share of places that show a surface and not the sky, 0..1.
    pub covered_share: f32,
    /// Some sphere, box or cylinder is seen from within.
    pub is_inside: bool,
    /// Mean irradiance times albedo over surfaces: what they give each other.
    pub bounced: Vec3,
}

/// What a ray sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sight {
    /// Radiance of the sky or of a light; nothing where a surface is.
    pub shine: Vec3,
    /// Irradiance on the surface.
    pub light: Vec3,
    /// Its mean albedo.
    pub albedo: Vec3,
    /// Where it is.
    pub hit: Option<Hit>,
}

impl Sight {
    /// Radiance, when surfaces receive `bounced` from each other.
    pub fn radiance(&self, bounced: Vec3) -> Vec3 {
        self.shine + self.albedo / PI * (self.light + bounced)
    }
}

/// Measures a frame.
pub fn measure(world: &FlatWorld) -> Reading {
    let sights: Vec<(Ray, Sight)> = (0..GRID.height)
        .flat_map(|y| (0..GRID.width).map(move |x| (x, y)))
        .map(|(x, y)| {
            let place = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let ray = camera_ray(&world.camera, place, GRID);
            (ray, see(world, ray))
        })
        .collect();
    let hits = || {
        sights
            .iter()
            .filter_map(|(ray, sight)| Some((ray, sight.hit?)))
    };
    let covered = hits().count();
    let bounced =
        sights.iter().map(|(_, s)| s.light * s.albedo).sum::<Vec3>() / covered.max(1) as f32;
    let mut lumas: Vec<f32> = sights
        .iter()
        .map(|(_, s)| luma(s.radiance(bounced)))
        .collect();
    lumas.sort_by(f32::total_cmp);
    let count = sights.len();
    let lit = sights
        .iter()
        .filter(|(_, s)| luma(s.shine + s.light) > 0.0)
        .count();
    Reading {
        median_luma: lumas[count / 2],
        lit_share: lit as f32 / count as f32,
        nearest: hits()
            .map(|(_, hit)| hit.distance)
            .fold(f32::INFINITY, f32::min),
        covered_share: covered as f32 / count as f32,
        is_inside: hits().any(|(ray, hit)| {
            let kind = world.instances[hit.instance].kind;
            kind != KIND_MESH && hit.normal.dot(ray.direction) > 1e-3
        }),
        bounced,
    }
}

/// What lies along a ray, and the light on it.
pub fn see(world: &FlatWorld, ray: Ray) -> Sight {
    let mut sight = Sight {
        shine: Vec3::ZERO,
        light: Vec3::ZERO,
        albedo: Vec3::ZERO,
        hit: nearest_hit(world, ray, world.camera.near, world.camera.far),
    };
    let Some(hit) = sight.hit else {
        sight.shine = sky(world, ray.direction);
        return sight;
    };
    let instance = &world.instances[hit.instance];
    let is_back = hit.normal.dot(ray.direction) > 0.0;
    if instance.light > 0 && !is_back {
        let mut light = instance.light - 1;
        if let Some(triangle) = hit.triangle {
            if world.lights[light as usize].kind == LIGHT_TRIANGLE {
                light += triangle as u32 - instance.first_triangle;
            }
        }
        sight.shine = xyz(world.lights[light as usize].radiance);
        return sight;
    }
    let side = if is_back { -hit.normal } else { hit.normal };
    sight.light = irradiance(
        world,
        hit.position + side * (1e-3 + 2e-4 * hit.distance),
        side,
    );
    sight.albedo = albedo(world, &world.materials[instance.material as usize], hit.uv);
    sight
}

impl Reading {
    /// The factor that brings the median luma to 0.5, or 1 where there is no light.
    pub fn exposure(&self) -> f32 {
        if self.median_luma > 0.0 {
            0.5 / self.median_luma
        } else {
            1.0
        }
    }
}

fn irradiance(world: &FlatWorld, place: Vec3, normal: Vec3) -> Vec3 {
    let stride = world.lights.len().div_ceil(MOST_LIGHTS).max(1);
    let direct: Vec3 = (0..world.lights.len())
        .step_by(stride)
        .map(|i| stride as f32 * from_light(world, &world.lights[i], place, normal))
        .sum();
    // Four directions about the normal stand for the sky's half sphere, cosine-weighted.
    let side = normal.any_orthonormal_vector();
    let other = normal.cross(side);
    let open: Vec3 = [side, -side, other, -other]
        .into_iter()
        .map(|lean| (normal + 0.9 * lean).normalize())
        .filter(|&direction| luma(sky(world, direction)) > 0.0)
        .filter(|&direction| {
            let ray = Ray {
                origin: place,
                direction,
            };
            nearest_hit(world, ray, 0.0, world.camera.far).is_none()
        })
        .map(|direction| sky(world, direction) * PI / 4.0)
        .sum();
    direct + open
}

fn from_light(world: &FlatWorld, light: &FlatLight, place: Vec3, normal: Vec3) -> Vec3 {
    let radiance = xyz(light.radiance);
    if radiance == Vec3::ZERO {
        return Vec3::ZERO;
    }
    let at = xyz(light.position);
    if light.kind == LIGHT_SUN {
        let cosine = normal.dot(at);
        let far = place + at * world.camera.far;
        if cosine <= 0.0 || !is_visible(world, place, far) {
            return Vec3::ZERO;
        }
        return radiance * PI * light.position[3].sin().powi(2) * cosine;
    }
    let (u, v) = (xyz(light.edge_u), xyz(light.edge_v));
    let area_normal = u.cross(v);
    let (center, cross_section) = match light.kind {
        LIGHT_SPHERE => (at, PI * light.position[3].powi(2)),
        LIGHT_TRIANGLE => (at + (u + v) / 3.0, area_normal.length() / 2.0),
        _ => (at + (u + v) / 2.0, area_normal.length()),
    };
    let to = center - place;
    let (distance, direction) = (to.length(), to.normalize_or(Vec3::Y));
    let mut gain = normal.dot(direction);
    let mut end = place + direction * (distance - 2e-3);
    if light.kind == LIGHT_SPHERE {
        end = place + direction * (distance - light.position[3] - 2e-3);
    } else {
        gain *= -area_normal.normalize_or(Vec3::Y).dot(direction).min(0.0);
    }
    if light.edge_u[3] <= 1.0 {
        let cosine = -xyz(light.direction).dot(direction);
        let (inner, outer) = (light.edge_u[3], light.edge_v[3]);
        gain *= ((cosine - outer) / (inner - outer)).clamp(0.0, 1.0);
    }
    if gain <= 0.0 || !is_visible(world, place, end) {
        return Vec3::ZERO;
    }
    // Never more than a light that fills the half sphere.
    let solid_angle = (cross_section / (distance * distance)).min(PI);
    radiance * solid_angle * gain
}

/// Colour of a surface; patterns count with their mean, pictures with the nearest texel.
fn albedo(world: &FlatWorld, material: &FlatMaterial, uv: Vec2) -> Vec3 {
    let base = xyz(material.base_color);
    let mixed = if material.pattern == 0 {
        base
    } else {
        0.5 * (base + xyz(material.second_color))
    };
    let Some(image) = material.base_image.checked_sub(1) else {
        return mixed;
    };
    let image = &world.images[image as usize];
    let size = Vec2::new(image.width as f32, image.height as f32);
    let texel = ((uv - uv.floor()) * size).min(size - 1.0).as_uvec2();
    let at = image.first_texel + texel.y * image.width + texel.x;
    let [r, g, b, _] = world.texels[at as usize].to_le_bytes();
    // A square for sRGB: near enough for a meter.
    let power = if image.is_srgb == 1 { 2.2 } else { 1.0 };
    let channel = |c: u8| (f32::from(c) / 255.0).powf(power);
    mixed * Vec3::new(channel(r), channel(g), channel(b))
}

fn sky(world: &FlatWorld, direction: Vec3) -> Vec3 {
    let horizon = xyz(world.sky.horizon);
    let y = direction.y;
    if y >= 0.0 {
        horizon.lerp(xyz(world.sky.zenith), y.min(1.0).sqrt())
    } else {
        horizon.lerp(xyz(world.sky.ground), (-4.0 * y).min(1.0))
    }
}

/// The first three numbers of a column: a colour, a place or an edge.
pub(crate) fn xyz(color: [f32; 4]) -> Vec3 {
    Vec4::from(color).truncate()
}

/// (r + 2 g + b) / 4.
pub(crate) fn luma(color: Vec3) -> f32 {
    (color.x + 2.0 * color.y + color.z) / 4.0
}
