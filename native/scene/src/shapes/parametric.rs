//! Surfaces over a grid of two parameters: turned forms, rings, tubes, cloth, ground.

use crate::world::{Surface, Vertex};
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::{PI, TAU};

/// How an edge of the parameter grid joins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// It is a border.
    Open,
    /// It continues at the opposite edge.
    Closed,
    /// Every corner of it lies at one point.
    Poles,
}

/// A grid of `nu` by `nv` quads; `place` maps 0..1 x 0..1. The outside is where u x v points.
fn sheet(
    nu: u32,
    nv: u32,
    u_edge: Edge,
    v_edge: Edge,
    place: impl Fn(f32, f32) -> Vec3,
) -> Surface {
    let row = nu + 1;
    let mut surface = Surface::default();
    for j in 0..=nv {
        for i in 0..=nu {
            let (u, v) = (i as f32 / nu as f32, j as f32 / nv as f32);
            // A closed edge repeats its first corners bit for bit.
            let wrap = |at: f32, edge: Edge| {
                if edge == Edge::Closed && at == 1.0 {
                    0.0
                } else {
                    at
                }
            };
            surface.vertices.push(Vertex {
                position: place(wrap(u, u_edge), wrap(v, v_edge)),
                normal: Vec3::Y,
                uv: Vec2::new(u, v),
            });
        }
    }
    for j in 0..nv {
        for i in 0..nu {
            let a = j * row + i;
            surface.triangles.push([a, a + 1, a + row + 1]);
            surface.triangles.push([a, a + row + 1, a + row]);
        }
    }
    let row = row as usize;
    surface.smooth(|index| {
        let (mut i, mut j) = (index % row, index / row);
        if u_edge == Edge::Closed && i == nu as usize {
            i = 0;
        }
        if v_edge == Edge::Closed && j == nv as usize {
            j = 0;
        }
        if v_edge == Edge::Poles && (j == 0 || j == nv as usize) {
            i = 0;
        }
        j * row + i
    });
    surface
}

/// A turned form: `profile` gives radius and height for 0..1 from the bottom to the top.
pub fn lathe(around: u32, along: u32, profile: impl Fn(f32) -> Vec2) -> Surface {
    let edge = if profile(0.0).x == 0.0 && profile(1.0).x == 0.0 {
        Edge::Poles
    } else {
        Edge::Open
    };
    // Against the clock from above, so that u x v points outwards.
    sheet(around, along, Edge::Closed, edge, |u, v| {
        let Vec2 { x: radius, y } = profile(v);
        let (sine, cosine) = (TAU * u).sin_cos();
        Vec3::new(radius * cosine, y, -radius * sine)
    })
}

/// A ring around y: distance of the tube's middle 1, radius of the tube `thick`.
pub fn torus(around: u32, across: u32, thick: f32) -> Surface {
    sheet(around, across, Edge::Closed, Edge::Closed, |u, v| {
        let (sine, cosine) = (TAU * u).sin_cos();
        let (height, out) = (TAU * v).sin_cos();
        let radius = 1.0 + thick * out;
        Vec3::new(radius * cosine, thick * height, -radius * sine)
    })
}

/// A tube along points, open at both ends unless it closes on itself.
pub fn tube(points: &[Vec3], radius: f32, around: u32) -> Surface {
    let closes = points.first() == points.last();
    let last = points.len() - 1;
    // A frame carried along the path turns as little as it can.
    let tangents: Vec<Vec3> = (0..=last)
        .map(|i| {
            let (before, after) = match (i, closes) {
                (0, true) => (points[last - 1], points[1]),
                (i, true) if i == last => (points[last - 1], points[1]),
                _ => (points[i.saturating_sub(1)], points[(i + 1).min(last)]),
            };
            (after - before).normalize_or(Vec3::Y)
        })
        .collect();
    let mut side = tangents[0].any_orthonormal_vector();
    let mut frames = vec![side];
    for pair in tangents.windows(2) {
        side = Quat::from_rotation_arc(pair[0], pair[1]) * side;
        frames.push(side);
    }
    if closes {
        // What the frame has turned by after one round is taken back evenly.
        let sine = frames[0].cross(side).dot(tangents[0]);
        let angle = sine.atan2(frames[0].dot(side));
        for (i, frame) in frames.iter_mut().enumerate() {
            let share = i as f32 / last as f32;
            *frame = Quat::from_axis_angle(tangents[i], -angle * share) * *frame;
        }
    }
    let v_edge = if closes { Edge::Closed } else { Edge::Open };
    sheet(around, last as u32, Edge::Closed, v_edge, |u, v| {
        let i = ((v * last as f32).round() as usize).min(last);
        let other = tangents[i].cross(frames[i]);
        let (sine, cosine) = (TAU * u).sin_cos();
        points[i] + radius * (cosine * frames[i] + sine * other)
    })
}

/// A rounded block: exponent 1 is a sphere, small exponents near a cube.
pub fn superellipsoid(around: u32, along: u32, exponent: f32) -> Surface {
    let power = |x: f32| x.abs().powf(exponent) * x.signum();
    sheet(around, along, Edge::Closed, Edge::Poles, |u, v| {
        let (sine, cosine) = (TAU * u).sin_cos();
        let (height, out) = (PI * (v - 0.5)).sin_cos();
        let out = if v == 0.0 || v == 1.0 { 0.0 } else { out };
        Vec3::new(
            power(out) * power(cosine),
            power(height),
            -power(out) * power(sine),
        )
    })
}

/// Ground from -1 to 1 in x and z, seen from above; `height` by x and z. `tiles` is the number of uv periods.
pub fn heights(n: u32, tiles: f32, height: impl Fn(f32, f32) -> f32) -> Surface {
    let mut surface = sheet(n, n, Edge::Open, Edge::Open, |u, v| {
        let (x, z) = (2.0 * u - 1.0, 1.0 - 2.0 * v);
        Vec3::new(x, height(x, z), z)
    });
    for vertex in &mut surface.vertices {
        vertex.uv *= tiles;
    }
    surface
}

/// A hanging cloth from -1 to 1 in x and y with `folds` folds of depth `deep` along z.
pub fn cloth(n: u32, folds: f32, deep: f32) -> Surface {
    sheet(n, n / 2, Edge::Open, Edge::Open, |u, v| {
        let (x, y) = (2.0 * u - 1.0, 2.0 * v - 1.0);
        // Folds deepen towards the hem.
        let z = deep * (folds * PI * x + 0.6 * (2.3 * x).sin()).sin() * (0.55 - 0.45 * y);
        Vec3::new(x + 0.003 * (5.0 * y).sin(), y, z)
    })
}

/// A knotted ring of radius about 1 around y: winds `p` times around and `q` times through.
pub fn knot(p: u32, q: u32, thick: f32, along: u32, around: u32) -> Surface {
    let points: Vec<Vec3> = (0..=along)
        .map(|i| {
            let t = TAU * (i % along) as f32 / along as f32;
            let radius = 0.7 + 0.3 * (q as f32 * t).cos();
            let (sine, cosine) = (p as f32 * t).sin_cos();
            Vec3::new(radius * cosine, 0.3 * (q as f32 * t).sin(), radius * sine)
        })
        .collect();
    tube(&points, thick, around)
}

/// A lattice of bars in the xy plane from -1 to 1: `nx` upright and `ny` level ones of half width `half`.
pub fn grid(nx: u32, ny: u32, half: f32) -> Surface {
    use glam::Affine3A;
    let bar = super::cuboid();
    let mut surface = Surface::default();
    let place = |i: u32, n: u32| 2.0 * i as f32 / (n - 1).max(1) as f32 - 1.0;
    for i in 0..nx {
        let at = Affine3A::from_translation(Vec3::X * place(i, nx));
        surface.add(&bar, at * Affine3A::from_scale(Vec3::new(half, 1.0, half)));
    }
    for j in 0..ny {
        let at = Affine3A::from_translation(Vec3::Y * place(j, ny));
        surface.add(&bar, at * Affine3A::from_scale(Vec3::new(1.0, half, half)));
    }
    surface
}
