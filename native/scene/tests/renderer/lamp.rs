//! Direct light against the closed form of a sphere above a plane.

use crate::stage::{
    ball, block, center_ray, look_at, matte, sphere_light, stage, world, DRIVERS, SIZE,
};
use glam::{DVec3, Vec3};
use reconstruction_scene::renderer::Request;

#[test]
fn a_ball_of_light_above_a_plane() {
    let (center, radius, radiance) = (Vec3::new(0.5, 2.0, -1.0), 0.8f32, [20.0, 10.0, 5.0]);
    let albedo = DVec3::new(0.7, 0.6, 0.5);
    let plane = block(Vec3::new(0.0, -1.0, 0.0), Vec3::new(30.0, 1.0, 30.0), 0);
    let lamp = ball(center, radius, 1);
    let materials = vec![matte(albedo.as_vec3().to_array()), matte([0.0; 3])];
    let light = sphere_light(center, radius, radiance, 1);
    let view = look_at(Vec3::new(0.0, 1.5, 3.0), Vec3::new(0.0, -0.5, -1.0));
    let world = world(view, 0.0, materials, vec![plane, lamp], vec![light]);
    // Irradiance of a sphere wholly above the horizon: pi L (R / d)^2 cos.
    let expected = |pixel: usize| {
        let (origin, direction) = center_ray(&world, pixel);
        let point = origin + direction * (-origin.y / direction.y);
        let to = center.as_dvec3() - point;
        let is_lamp = {
            let along = (center.as_dvec3() - origin).dot(direction);
            (origin + direction * along).distance(center.as_dvec3()) < f64::from(radius) * 1.1
        };
        if direction.y > -0.05 || is_lamp {
            return None;
        }
        let cosine = to.y / to.length();
        let share = f64::from(radius * radius) / to.length_squared() * cosine;
        let radiance = Vec3::from(radiance).as_dvec3();
        Some(albedo * radiance * share)
    };
    for driver in DRIVERS {
        for (candidates, seeds) in [(1, 1024), (8, 512)] {
            let request = |seed| Request {
                candidates,
                ..Request::noisy(SIZE, [0.0; 2], seed, 0)
            };
            let average = stage(driver).average(&world, seeds, request);
            // Rays that leave the plane by chance rarely find the lamp: part of the light, in few of the seeds.
            average.assert_is(
                &format!("{driver:?}, {candidates} candidates"),
                0.004,
                expected,
            );
        }
    }
}
