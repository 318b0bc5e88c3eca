//! Rays through a flat world on the CPU: the same trees, shapes and holes as the shaders see.
//!
//! For tests, for finding a place for the camera and for the exposure of random worlds.

use crate::flat::{
    FlatCamera, FlatInstance, FlatNode, FlatTriangle, FlatWorld, KIND_BOX, KIND_CYLINDER,
    KIND_MESH, KIND_SPHERE, MAX_TREE_DEPTH,
};
use glam::{Mat4, Vec2, Vec3, Vec4};
use reconstruction_core::size::Size;

/// A ray; `direction` need not be unit, distances count in its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// World units.
    pub origin: Vec3,
    /// Where it goes.
    pub direction: Vec3,
}

/// Where a ray meets a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Along the ray.
    pub distance: f32,
    /// Index of the instance.
    pub instance: usize,
    /// Index of the triangle of a mesh.
    pub triangle: Option<usize>,
    /// World place.
    pub position: Vec3,
    /// Shading normal, unit, world, on the outer side.
    pub normal: Vec3,
    /// Of triangles; zero on other shapes.
    pub uv: Vec2,
}

/// What a shape says of a ray in its own space: distance, normal, triangle and its uv.
type Local = (f32, Vec3, Option<usize>, Vec2);

/// The nearest surface between `near` and `far` along the ray.
pub fn nearest_hit(world: &FlatWorld, ray: Ray, near: f32, far: f32) -> Option<Hit> {
    let mut best: Option<(usize, Local)> = None;
    let mut limit = far;
    walk(&world.top, 0, ray, near, &mut limit, |items, limit| {
        for index in items {
            if let Some(local) = instance_hit(world, index, ray, near, *limit) {
                *limit = local.0;
                best = Some((index, local));
            }
        }
    });
    best.map(|(index, local)| finish(world, index, local, ray))
}

/// The same by testing everything: what the trees must agree with.
pub fn nearest_hit_by_force(world: &FlatWorld, ray: Ray, near: f32, far: f32) -> Option<Hit> {
    let mut best: Option<(usize, Local)> = None;
    let mut limit = far;
    for (index, instance) in world.instances.iter().enumerate() {
        let local_ray = to_object(instance, ray);
        let hit = if instance.kind == KIND_MESH {
            let mut found = None;
            each_triangle(&world.nodes, instance.root, &mut |t| {
                if let Some(local) = triangle_hit(world, instance, t, local_ray, near, limit) {
                    limit = local.0;
                    found = Some(local);
                }
            });
            found
        } else {
            shape_hit(instance.kind, local_ray, near, limit)
        };
        if let Some(local) = hit {
            limit = local.0;
            best = Some((index, local));
        }
    }
    best.map(|(index, local)| finish(world, index, local, ray))
}

/// True when nothing lies between two points.
pub fn is_visible(world: &FlatWorld, from: Vec3, to: Vec3) -> bool {
    let ray = Ray {
        origin: from,
        direction: to - from,
    };
    nearest_hit(world, ray, 1e-4, 1.0 - 1e-4).is_none()
}

fn each_triangle(nodes: &[FlatNode], root: u32, visit: &mut impl FnMut(usize)) {
    let node = &nodes[root as usize];
    if node.count > 0 {
        (node.first..node.first + node.count).for_each(|t| visit(t as usize));
    } else {
        each_triangle(nodes, node.first, visit);
        each_triangle(nodes, node.first + 1, visit);
    }
}

/// Visits the leaves that a ray meets before `limit`, near ones first.
fn walk(
    nodes: &[FlatNode],
    root: u32,
    ray: Ray,
    near: f32,
    limit: &mut f32,
    mut leaf: impl FnMut(std::ops::Range<usize>, &mut f32),
) {
    if nodes.is_empty() {
        return;
    }
    let inverse = ray.direction.recip();
    // One entry waits for each level passed.
    let mut stack = [(0u32, 0f32); MAX_TREE_DEPTH];
    let mut waiting = 0;
    let mut next = entry(&nodes[root as usize], ray.origin, inverse, near, *limit).map(|_| root);
    while let Some(index) = next.take() {
        let node = &nodes[index as usize];
        if node.count > 0 {
            leaf(
                node.first as usize..(node.first + node.count) as usize,
                limit,
            );
        } else {
            let [a, b] = [node.first, node.first + 1].map(|child| {
                let at = entry(&nodes[child as usize], ray.origin, inverse, near, *limit);
                at.map(|at| (child, at))
            });
            let (first, second) = match (a, b) {
                (Some(a), Some(b)) if b.1 < a.1 => (Some(b), Some(a)),
                (None, b) => (b, None),
                both => both,
            };
            if let Some(second) = second {
                stack[waiting] = second;
                waiting += 1;
            }
            next = first.map(|(child, _)| child);
        }
        while next.is_none() && waiting > 0 {
            waiting -= 1;
            let (child, at) = stack[waiting];
            next = (at <= *limit).then_some(child);
        }
    }
}

/// Distance at which a ray enters a node's box.
fn entry(node: &FlatNode, origin: Vec3, inverse: Vec3, near: f32, far: f32) -> Option<f32> {
    let low = (Vec3::new(node.min_x, node.min_y, node.min_z) - origin) * inverse;
    let high = (Vec3::new(node.max_x, node.max_y, node.max_z) - origin) * inverse;
    let enter = low.min(high).max_element().max(near);
    let leave = low.max(high).min_element().min(far);
    (enter <= leave).then_some(enter)
}

fn to_object(instance: &FlatInstance, ray: Ray) -> Ray {
    let matrix = Mat4::from_cols_array(&instance.to_object);
    Ray {
        origin: matrix.transform_point3(ray.origin),
        direction: matrix.transform_vector3(ray.direction),
    }
}

fn instance_hit(world: &FlatWorld, index: usize, ray: Ray, near: f32, far: f32) -> Option<Local> {
    let instance = &world.instances[index];
    let ray = to_object(instance, ray);
    if instance.kind != KIND_MESH {
        return shape_hit(instance.kind, ray, near, far);
    }
    let mut best = None;
    let mut limit = far;
    walk(
        &world.nodes,
        instance.root,
        ray,
        near,
        &mut limit,
        |items, limit| {
            for triangle in items {
                if let Some(local) = triangle_hit(world, instance, triangle, ray, near, *limit) {
                    *limit = local.0;
                    best = Some(local);
                }
            }
        },
    );
    best
}

fn shape_hit(kind: u32, ray: Ray, near: f32, far: f32) -> Option<Local> {
    let hit = match kind {
        KIND_SPHERE => sphere_hit(ray, near, far),
        KIND_BOX => box_hit(ray, near, far),
        KIND_CYLINDER => cylinder_hit(ray, near, far),
        _ => None,
    };
    hit.map(|(distance, normal)| (distance, normal, None, Vec2::ZERO))
}

fn sphere_hit(ray: Ray, near: f32, far: f32) -> Option<(f32, Vec3)> {
    // From the point of the ray nearest to the centre: no cancellation at a distance.
    let length2 = ray.direction.length_squared();
    let middle = -ray.origin.dot(ray.direction) / length2;
    let off = ray.origin + ray.direction * middle;
    let rest = 1.0 - off.length_squared();
    if rest < 0.0 {
        return None;
    }
    let half = (rest / length2).sqrt();
    let t = [middle - half, middle + half]
        .into_iter()
        .find(|t| (near..far).contains(t))?;
    Some((t, ray.origin + ray.direction * t))
}

fn box_hit(ray: Ray, near: f32, far: f32) -> Option<(f32, Vec3)> {
    let inverse = ray.direction.recip();
    let low = (Vec3::NEG_ONE - ray.origin) * inverse;
    let high = (Vec3::ONE - ray.origin) * inverse;
    let (enter, leave) = (low.min(high), low.max(high));
    let (t_in, t_out) = (enter.max_element(), leave.min_element());
    if t_in > t_out {
        return None;
    }
    let t = [t_in, t_out]
        .into_iter()
        .find(|t| (near..far).contains(t))?;
    let sides = if t == t_in { enter } else { leave };
    let axis = (0..3).find(|&i| sides[i] == t)?;
    let mut normal = Vec3::ZERO;
    normal[axis] = (ray.origin + ray.direction * t)[axis].signum();
    Some((t, normal))
}

fn cylinder_hit(ray: Ray, near: f32, far: f32) -> Option<(f32, Vec3)> {
    let (o, d) = (ray.origin, ray.direction);
    let mut best: Option<(f32, Vec3)> = None;
    let mut offer = |t: f32, normal: Vec3| {
        if (near..far).contains(&t) && best.is_none_or(|(old, _)| t < old) {
            best = Some((t, normal));
        }
    };
    let length2 = d.x * d.x + d.z * d.z;
    if length2 > 0.0 {
        let middle = -(o.x * d.x + o.z * d.z) / length2;
        let (x, z) = (o.x + d.x * middle, o.z + d.z * middle);
        let rest = 1.0 - (x * x + z * z);
        if rest >= 0.0 {
            let half = (rest / length2).sqrt();
            for t in [middle - half, middle + half] {
                let p = o + d * t;
                if p.y.abs() <= 1.0 {
                    offer(t, Vec3::new(p.x, 0.0, p.z));
                }
            }
        }
    }
    for side in [-1.0, 1.0] {
        let t = (side - o.y) / d.y;
        let p = o + d * t;
        if p.x * p.x + p.z * p.z <= 1.0 {
            offer(t, Vec3::Y * side);
        }
    }
    best
}

fn triangle_hit(
    world: &FlatWorld,
    instance: &FlatInstance,
    index: usize,
    ray: Ray,
    near: f32,
    far: f32,
) -> Option<Local> {
    let triangle = &world.triangles[index];
    let [a, b, c] = crate::world::corners(triangle);
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let determinant = ab.dot(p);
    if determinant == 0.0 {
        return None;
    }
    let from = ray.origin - a;
    let u = from.dot(p) / determinant;
    let q = from.cross(ab);
    let v = ray.direction.dot(q) / determinant;
    if u < 0.0 || v < 0.0 || u + v > 1.0 {
        return None;
    }
    let t = ac.dot(q) / determinant;
    if !(near..far).contains(&t) {
        return None;
    }
    let uv = uv(triangle, u, v);
    let material = &world.materials[instance.material as usize];
    if material.alpha_cutoff > 0.0 {
        let coverage = material.base_color[3] * image_alpha(world, material.base_image, uv);
        if coverage < material.alpha_cutoff {
            return None;
        }
    }
    let [na, nb, nc] = [triangle.normal_0, triangle.normal_1, triangle.normal_2]
        .map(|n| Vec3::new(n[0], n[1], n[2]));
    let normal = na * (1.0 - u - v) + nb * u + nc * v;
    Some((t, normal, Some(index), uv))
}

fn uv(triangle: &FlatTriangle, u: f32, v: f32) -> Vec2 {
    let corner = |p: &[f32; 4], n: &[f32; 4]| Vec2::new(p[3], n[3]);
    corner(&triangle.position_0, &triangle.normal_0) * (1.0 - u - v)
        + corner(&triangle.position_1, &triangle.normal_1) * u
        + corner(&triangle.position_2, &triangle.normal_2) * v
}

/// Bilinear alpha of an image (index + 1; 0: 1), repeating.
fn image_alpha(world: &FlatWorld, image: u32, uv: Vec2) -> f32 {
    let Some(image) = image.checked_sub(1) else {
        return 1.0;
    };
    let image = &world.images[image as usize];
    let (width, height) = (image.width as i32, image.height as i32);
    let place = uv * Vec2::new(width as f32, height as f32) - 0.5;
    let base = place.floor();
    let share = place - base;
    let alpha = |dx: i32, dy: i32| {
        let x = (base.x as i32).wrapping_add(dx).rem_euclid(width);
        let y = (base.y as i32).wrapping_add(dy).rem_euclid(height);
        let texel = world.texels[image.first_texel as usize + (y * width + x) as usize];
        (texel >> 24) as f32 / 255.0
    };
    let row = |dy: i32| alpha(0, dy) + (alpha(1, dy) - alpha(0, dy)) * share.x;
    row(0) + (row(1) - row(0)) * share.y
}

fn finish(world: &FlatWorld, index: usize, local: Local, ray: Ray) -> Hit {
    let (distance, normal, triangle, uv) = local;
    let to_object = Mat4::from_cols_array(&world.instances[index].to_object);
    Hit {
        distance,
        instance: index,
        triangle,
        position: ray.origin + ray.direction * distance,
        normal: (to_object.transpose() * normal.extend(0.0))
            .truncate()
            .normalize_or(Vec3::Y),
        uv,
    }
}

/// The ray through a place of the picture, in pixels from the top left; its direction is unit.
pub fn camera_ray(camera: &FlatCamera, place_px: Vec2, size: Size) -> Ray {
    let ndc = place_px / Vec2::new(size.width as f32, size.height as f32) * 2.0 - 1.0;
    let view = Vec3::new(
        ndc.x / camera.projection[0],
        ndc.y / camera.projection[5],
        -1.0,
    );
    let matrix = Mat4::from_cols_array(&camera.view_to_world);
    Ray {
        origin: matrix.w_axis.truncate(),
        direction: matrix.transform_vector3(view).normalize(),
    }
}

/// Motion of a surface point: previous minus current position, render pixels, without jitter.
pub fn surface_motion_px(world: &FlatWorld, hit: &Hit, size: Size) -> Vec2 {
    let instance = &world.instances[hit.instance];
    let own = Mat4::from_cols_array(&instance.to_object).transform_point3(hit.position);
    let before = Mat4::from_cols_array(&instance.prev_to_world).transform_point3(own);
    motion_px(
        &world.camera,
        before.extend(1.0),
        hit.position.extend(1.0),
        size,
    )
}

/// Motion of the sky in a direction.
pub fn sky_motion_px(camera: &FlatCamera, direction: Vec3, size: Size) -> Vec2 {
    motion_px(camera, direction.extend(0.0), direction.extend(0.0), size)
}

fn motion_px(camera: &FlatCamera, before: Vec4, now: Vec4, size: Size) -> Vec2 {
    let place = |view: &[f32; 16], projection: &[f32; 16], point: Vec4| {
        let clip = Mat4::from_cols_array(projection) * (Mat4::from_cols_array(view) * point);
        (Vec2::new(clip.x, clip.y) / clip.w * 0.5 + 0.5)
            * Vec2::new(size.width as f32, size.height as f32)
    };
    place(&camera.prev_world_to_view, &camera.prev_projection, before)
        - place(&camera.world_to_view, &camera.projection, now)
}
