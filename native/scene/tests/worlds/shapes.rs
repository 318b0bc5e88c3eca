//! Procedural surfaces: the outside is outside.

use glam::Vec3;
use reconstruction_scene::shapes;
use reconstruction_scene::world::{corners, Surface};

/// Share of the volume below zero of a closed surface is none: faces wind counter-clockwise from outside, and
/// normals lie on the same side.
fn check_closed(name: &str, surface: &Surface, volume: std::ops::Range<f32>) {
    let mesh = surface.mesh();
    let six_volumes: f32 = mesh
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = corners(t);
            a.dot(b.cross(c))
        })
        .sum();
    assert!(
        volume.contains(&(six_volumes / 6.0)),
        "{name}: volume {}",
        six_volumes / 6.0
    );
    for t in &mesh.triangles {
        let [a, b, c] = corners(t);
        let out = (b - a).cross(c - a).normalize();
        for n in [t.normal_0, t.normal_1, t.normal_2] {
            let n = Vec3::new(n[0], n[1], n[2]);
            assert!((n.length() - 1.0).abs() < 1e-4, "{name}: {n}");
            assert!(n.dot(out) > 0.0, "{name}: normal {n} of face {out}");
        }
    }
}

#[test]
fn closed_surfaces_face_outwards() {
    let ball = 4.0 / 3.0 * std::f32::consts::PI;
    check_closed("cuboid", &shapes::cuboid(), 7.99..8.01);
    check_closed("icosphere", &shapes::icosphere(3), 0.98 * ball..ball);
    check_closed(
        "boulder",
        &shapes::boulder(3, 0.3, 2.0, 5),
        0.5 * ball..1.5 * ball,
    );
    check_closed(
        "superellipsoid",
        &shapes::superellipsoid(32, 24, 1.0),
        0.97 * ball..ball,
    );
    let ring = 2.0 * std::f32::consts::PI.powi(2) * 0.09;
    check_closed("torus", &shapes::torus(48, 24, 0.3), 0.96 * ring..ring);
    let knot = shapes::knot(2, 3, 0.1, 128, 12).mesh();
    let volume: f32 = knot
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = corners(t);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert!((0.1..0.5).contains(&volume), "knot: volume {volume}");
    let vase = shapes::lathe(32, 16, |v| {
        glam::Vec2::new(
            (std::f32::consts::PI * v).sin().max(0.0) * f32::from(u8::from(v < 1.0)),
            v,
        )
    });
    check_closed("vase", &vase, 1.4..1.6);
}
