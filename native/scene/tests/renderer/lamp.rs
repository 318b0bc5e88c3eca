//! Direct light against the closed forms of a sphere and of a rectangle above a plane.

use crate::stage::{
    ball, block, center_ray, look_at, matte, sphere_light, stage, world, DRIVERS, SIZE,
};
use glam::{DVec3, Vec3};
use reconstruction_scene::flat::LIGHT_RECTANGLE;
use reconstruction_scene::renderer::Request;

#[test]
fn a_ball_of_light_above_a_plane() {
    let (eye, target) = (Vec3::new(0.0, 1.5, 3.0), Vec3::new(0.0, -0.5, -1.0));
    ball_above_plane(Vec3::new(0.5, 2.0, -1.0), 0.8, [eye, target]);
}

#[test]
fn a_small_ball_of_light_just_above_a_plane_and_away_from_the_origin() {
    // Coordinates are large against the gap: rays that begin off the surface must not end in the ball.
    let center = Vec3::new(5.0, 0.11, -4.0);
    let (eye, target) = (Vec3::new(5.0, 0.5, -3.3), Vec3::new(5.0, 0.0, -4.0));
    ball_above_plane(center, 0.08, [eye, target]);
}

fn ball_above_plane(center: Vec3, radius: f32, [eye, target]: [Vec3; 2]) {
    let radiance = [20.0, 10.0, 5.0];
    let albedo = DVec3::new(0.7, 0.6, 0.5);
    let plane = block(Vec3::new(0.0, -1.0, 0.0), Vec3::new(30.0, 1.0, 30.0), 0);
    let lamp = ball(center, radius, 1);
    let materials = vec![matte(albedo.as_vec3().to_array()), matte([0.0; 3])];
    let light = sphere_light(center, radius, radiance, 1);
    let view = look_at(eye, target);
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

/// Share of the sky that a rectangle from straight above to (x, z) hides at height 1, weighted by the cosine.
fn corner_share(x: f64, z: f64) -> f64 {
    let (a, b) = ((1.0 + x * x).sqrt(), (1.0 + z * z).sqrt());
    (x / a * (z / a).atan() + z / b * (x / b).atan()) / std::f64::consts::TAU
}

#[test]
fn a_panel_close_above_a_plane() {
    // Near enough that places on the panel differ a hundredfold in their light; the far pixels see it by area.
    let (height, low, high) = (0.2, [-1.2, -1.6], [0.8, 0.4]);
    let radiance = [30.0, 20.0, 10.0];
    let albedo = DVec3::new(0.7, 0.6, 0.5);
    let plane = block(Vec3::new(0.0, -1.0, 0.0), Vec3::new(30.0, 1.0, 30.0), 0);
    let corner = Vec3::new(low[0] as f32, height as f32, low[1] as f32);
    let mut panel = sphere_light(corner, 0.0, radiance, 0);
    panel.kind = LIGHT_RECTANGLE;
    panel.instance = 0;
    panel.edge_u[0] = (high[0] - low[0]) as f32;
    panel.edge_v[2] = (high[1] - low[1]) as f32;
    let view = look_at(Vec3::new(0.0, 1.5, 3.0), Vec3::new(0.0, -0.5, -1.0));
    let materials = vec![matte(albedo.as_vec3().to_array())];
    let world = world(view, 0.0, materials, vec![plane], vec![panel]);
    let expected = |pixel: usize| {
        let (origin, direction) = center_ray(&world, pixel);
        if direction.y > -0.05 {
            return None;
        }
        let point = origin + direction * (-origin.y / direction.y);
        let at = |x: f64, z: f64| corner_share((x - point.x) / height, (z - point.z) / height);
        let share =
            at(high[0], high[1]) - at(low[0], high[1]) - at(high[0], low[1]) + at(low[0], low[1]);
        let light = albedo * Vec3::from(radiance).as_dvec3() * share;
        // Below that, halves are coarser than the mean.
        (light.min_element() > 1e-3).then_some(light)
    };
    for driver in DRIVERS {
        for candidates in [1, 8] {
            let request = |seed| Request {
                candidates,
                ..Request::noisy(SIZE, [0.0; 2], seed, 0)
            };
            let average = stage(driver).average(&world, 512, request);
            average.assert_is(
                &format!("{driver:?}, {candidates} candidates"),
                0.004,
                expected,
            );
            // By area, samples of one pixel under the panel would spread over many times their mean.
            let middle = SIZE.area() as usize / 2 + SIZE.width as usize / 2;
            let spread = average.deviation[middle].x * 512f64.sqrt() / average.mean[middle].x;
            assert!(spread < 0.8, "{driver:?}: {spread}");
        }
    }
}
