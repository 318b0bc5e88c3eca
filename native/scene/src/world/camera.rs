//! The camera over time: shots of smooth paths through keys, or a camera that hangs on a node.

use super::motion::{orthonormal, Nodes};
use glam::{DMat3, DMat4, DVec3, DVec4, Vec3};
use std::f64::consts::TAU;

/// Where the camera is and looks at a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraKey {
    /// Frame of this key; keys of a shot rise.
    pub frame: f32,
    /// World units.
    pub eye: Vec3,
    /// What lies in the middle of the picture.
    pub target: Vec3,
    /// Radians, clockwise as the picture turns.
    pub roll: f32,
    /// Vertical field of view, radians.
    pub fov_y: f32,
}

/// A part of a sequence without a cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// First frame of the shot.
    pub from: u32,
    /// At least one. Before the first and after the last the camera stands still; between equal keys too.
    pub keys: Vec<CameraKey>,
    /// A hand's tremor, radians at the extremes. 0 for a tripod.
    pub shake: f32,
}

/// The camera of a world.
#[derive(Debug, Clone, PartialEq)]
pub enum CameraPath {
    /// One shot after the other, the first from frame 0.
    Shots(Vec<Shot>),
    /// On a node of the hierarchy, looking along its -z axis.
    Node {
        /// Index into the world's nodes.
        node: usize,
        /// Vertical field of view, radians.
        fov_y: f32,
    },
}

/// The camera at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraView {
    /// World to view: x right, y up, looking down -z.
    pub world_to_view: DMat4,
    /// Vertical field of view, radians.
    pub fov_y: f64,
}

impl CameraPath {
    /// A camera that never moves.
    pub fn still(eye: Vec3, target: Vec3, fov_y_degrees: f32) -> Self {
        CameraPath::Shots(vec![Shot {
            from: 0,
            keys: vec![CameraKey {
                frame: 0.0,
                eye,
                target,
                roll: 0.0,
                fov_y: fov_y_degrees.to_radians(),
            }],
            shake: 0.0,
        }])
    }

    /// True when the picture of `frame` has nothing to do with the one before.
    pub fn is_cut(&self, frame: u32) -> bool {
        match self {
            CameraPath::Shots(shots) => shots.iter().any(|shot| shot.from == frame),
            CameraPath::Node { .. } => frame == 0,
        }
    }

    /// First frame of the shot that `frame` belongs to.
    pub fn shot_start(&self, frame: u32) -> u32 {
        match self {
            CameraPath::Shots(shots) => current(shots, f64::from(frame)).from,
            CameraPath::Node { .. } => 0,
        }
    }

    /// The view at a time, in frames.
    pub fn at(&self, frame: f64, nodes: &Nodes) -> CameraView {
        match self {
            CameraPath::Shots(shots) => current(shots, frame).at(frame),
            CameraPath::Node { node, fov_y } => {
                let matrix = nodes.at(*node, frame);
                CameraView {
                    world_to_view: view(orthonormal(matrix.matrix3), matrix.translation),
                    fov_y: f64::from(*fov_y),
                }
            }
        }
    }
}

fn current(shots: &[Shot], frame: f64) -> &Shot {
    shots
        .iter()
        .rev()
        .find(|shot| f64::from(shot.from) <= frame)
        .unwrap_or(&shots[0])
}

/// World to view of a camera whose axes are the columns of `axes`.
fn view(axes: DMat3, eye: DVec3) -> DMat4 {
    let rows = axes.transpose();
    let at = -(rows * eye);
    DMat4::from_cols(
        rows.x_axis.extend(0.0),
        rows.y_axis.extend(0.0),
        rows.z_axis.extend(0.0),
        DVec4::new(at.x, at.y, at.z, 1.0),
    )
}

impl Shot {
    fn at(&self, frame: f64) -> CameraView {
        let eye = self.path(frame, |key| key.eye.as_dvec3());
        let target = self.path(frame, |key| key.target.as_dvec3());
        let scalars = self.path(frame, |key| {
            DVec3::new(f64::from(key.roll), f64::from(key.fov_y), 0.0)
        });
        let back = (eye - target).normalize();
        let up = if back.y.abs() > 0.9999 {
            DVec3::Z
        } else {
            DVec3::Y
        };
        let side = up.cross(back).normalize();
        let mut axes = DMat3::from_cols(side, back.cross(side), back);
        // Three incommensurable periods: a tremor that does not repeat within a sequence.
        let tremor = |period: f64| f64::from(self.shake) * (TAU * frame / period).sin();
        axes *= DMat3::from_rotation_x(tremor(7.3) + 0.5 * tremor(17.9));
        axes *= DMat3::from_rotation_y(tremor(11.1) + 0.5 * tremor(23.7));
        axes *= DMat3::from_rotation_z(scalars.x + 0.5 * tremor(13.3));
        CameraView {
            world_to_view: view(axes, eye),
            fov_y: scalars.y,
        }
    }

    /// A Hermite spline through the keys. Tangents are central differences, and zero beside a stretch without
    /// movement, so that standing still is exact.
    fn path(&self, frame: f64, value: impl Fn(&CameraKey) -> DVec3) -> DVec3 {
        let keys = &self.keys;
        let after = keys.partition_point(|key| f64::from(key.frame) <= frame);
        if after == 0 {
            return value(&keys[0]);
        }
        if after == keys.len() {
            return value(&keys[after - 1]);
        }
        let at = |i: usize| (f64::from(keys[i].frame), value(&keys[i]));
        let slope = |i: usize, j: usize| {
            let ((ti, vi), (tj, vj)) = (at(i), at(j));
            (vj - vi) / (tj - ti)
        };
        let tangent = |i: usize| {
            let before = (i > 0).then(|| slope(i - 1, i));
            let behind = (i + 1 < keys.len()).then(|| slope(i, i + 1));
            match (before, behind) {
                (Some(a), Some(b)) if a == DVec3::ZERO || b == DVec3::ZERO => DVec3::ZERO,
                (Some(_), Some(_)) => slope(i - 1, i + 1),
                // A path begins at full speed and comes to rest at its last key.
                (None, Some(b)) => b,
                _ => DVec3::ZERO,
            }
        };
        let ((from, a), (to, b)) = (at(after - 1), at(after));
        if a == b {
            return a;
        }
        let span = to - from;
        let t = (frame - from) / span;
        let (t2, t3) = (t * t, t * t * t);
        a * (2.0 * t3 - 3.0 * t2 + 1.0)
            + tangent(after - 1) * span * (t3 - 2.0 * t2 + t)
            + b * (3.0 * t2 - 2.0 * t3)
            + tangent(after) * span * (t3 - t2)
    }
}
