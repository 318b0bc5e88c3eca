//! Where a thing is at a time: a pose, rigid and pulsing moves on top of it, and hierarchies of animated nodes.
//!
//! Time is counted in frames and may be fractional. Everything is a closed formula of time, so any frame can be
//! asked for in any order. Matrices are made in double precision: motion vectors are differences of positions.

use glam::{DAffine3, DMat3, DQuat, DVec3, Quat, Vec3};
use std::f64::consts::TAU;

/// Scale, then rotation, then translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// World units.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Factor along each axis of the object, never 0.
    pub scale: Vec3,
}

impl Default for Pose {
    fn default() -> Self {
        Pose {
            translation: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            scale: Vec3::ONE,
        }
    }
}

impl Pose {
    /// Unturned and unscaled at a place.
    pub fn at(x: f32, y: f32, z: f32) -> Self {
        Pose {
            translation: Vec3::new(x, y, z),
            ..Pose::default()
        }
    }

    /// The same pose with other half sizes or factors.
    pub fn scaled(self, x: f32, y: f32, z: f32) -> Self {
        Pose {
            scale: Vec3::new(x, y, z),
            ..self
        }
    }

    /// The same pose, turned further by `degrees` about a world axis through its own place.
    pub fn turned(self, axis: Vec3, degrees: f32) -> Self {
        Pose {
            rotation: Quat::from_axis_angle(axis.normalize(), degrees.to_radians()) * self.rotation,
            ..self
        }
    }

    /// At `from`, its z axis pointing at `to` and its y axis as upright as that allows.
    pub fn facing(from: Vec3, to: Vec3) -> Self {
        let forward = (to - from).normalize();
        let up = if forward.y.abs() > 0.99 {
            Vec3::Z
        } else {
            Vec3::Y
        };
        let side = up.cross(forward).normalize();
        Pose {
            translation: from,
            rotation: Quat::from_mat3(&glam::Mat3::from_cols(side, forward.cross(side), forward)),
            scale: Vec3::ONE,
        }
    }

    /// A bar of radius or half width `half`, its y axis reaching from `a` to `b`.
    pub fn between(a: Vec3, b: Vec3, half: f32) -> Self {
        let along = b - a;
        Pose {
            translation: (a + b) / 2.0,
            rotation: Quat::from_rotation_arc(Vec3::Y, along.normalize()),
            scale: Vec3::new(half, along.length() / 2.0, half),
        }
    }
}

fn compose(translation: DVec3, rotation: DQuat, scale: DVec3) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(scale, rotation.normalize(), translation)
}

/// One movement on top of a pose. Periods are frames, phases are shares of a period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Move {
    /// Steady travel, world units a frame.
    Drift(Vec3),
    /// Travel to and fro: `span` at the extremes.
    Sway {
        /// Largest displacement, world units.
        span: Vec3,
        /// Frames.
        period: f32,
        /// 0..1.
        phase: f32,
    },
    /// Steady turning about an axis of the object through its own origin.
    Spin {
        /// Unit vector in the pose's unscaled space.
        axis: Vec3,
        /// Radians a frame.
        turn: f32,
    },
    /// Turning to and fro about an axis of the object.
    Rock {
        /// Unit vector in the pose's unscaled space.
        axis: Vec3,
        /// Largest angle, radians.
        angle: f32,
        /// Frames.
        period: f32,
        /// 0..1.
        phase: f32,
    },
    /// Circling about a world axis through `center`; the object turns along.
    Orbit {
        /// World units.
        center: Vec3,
        /// Unit vector.
        axis: Vec3,
        /// Radians a frame.
        turn: f32,
    },
    /// Growing and shrinking: factors 1 - span .. 1 + span along each axis.
    Pulse {
        /// Shares, each below 1.
        span: Vec3,
        /// Frames.
        period: f32,
        /// 0..1.
        phase: f32,
    },
}

/// Where a thing is over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Where it is before any move.
    pub pose: Pose,
    /// Applied together.
    pub moves: Vec<Move>,
    /// From this frame on it stands still. Infinite by default.
    pub stops_at: f32,
    /// A node of the world's hierarchy that carries it along.
    pub parent: Option<usize>,
}

impl From<Pose> for Motion {
    fn from(pose: Pose) -> Self {
        Motion {
            pose,
            moves: Vec::new(),
            stops_at: f32::INFINITY,
            parent: None,
        }
    }
}

impl Motion {
    /// The same with one more move.
    pub fn with(mut self, step: Move) -> Self {
        self.moves.push(step);
        self
    }

    /// Object to world at a time, in frames.
    pub fn at(&self, frame: f64, nodes: &Nodes) -> DAffine3 {
        let time = frame.min(f64::from(self.stops_at));
        let mut translation = self.pose.translation.as_dvec3();
        let mut rotation = self.pose.rotation.as_dquat();
        let mut scale = self.pose.scale.as_dvec3();
        for step in &self.moves {
            match *step {
                Move::Drift(per_frame) => translation += per_frame.as_dvec3() * time,
                Move::Sway {
                    span,
                    period,
                    phase,
                } => translation += span.as_dvec3() * wave(time, period, phase),
                Move::Spin { axis, turn } => {
                    rotation *=
                        DQuat::from_axis_angle(axis.as_dvec3().normalize(), f64::from(turn) * time);
                }
                Move::Rock {
                    axis,
                    angle,
                    period,
                    phase,
                } => {
                    rotation *= DQuat::from_axis_angle(
                        axis.as_dvec3().normalize(),
                        f64::from(angle) * wave(time, period, phase),
                    );
                }
                Move::Orbit { center, axis, turn } => {
                    let by =
                        DQuat::from_axis_angle(axis.as_dvec3().normalize(), f64::from(turn) * time);
                    let center = center.as_dvec3();
                    translation = center + by * (translation - center);
                    rotation = by * rotation;
                }
                Move::Pulse {
                    span,
                    period,
                    phase,
                } => scale *= DVec3::ONE + span.as_dvec3() * wave(time, period, phase),
            }
        }
        let own = compose(translation, rotation, scale);
        match self.parent {
            Some(node) => nodes.at(node, frame) * own,
            None => own,
        }
    }

    /// True when the thing never moves.
    pub fn is_still(&self, nodes: &Nodes) -> bool {
        self.moves.is_empty() && self.parent.is_none_or(|node| nodes.is_still(node))
    }
}

fn wave(time: f64, period: f32, phase: f32) -> f64 {
    (TAU * (time / f64::from(period) + f64::from(phase))).sin()
}

/// A hierarchy of animated nodes, parents before or after their children.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nodes {
    /// Every node; indices stay valid for the life of the world.
    pub list: Vec<Node>,
    /// Keys count seconds, everything else frames.
    pub seconds_per_frame: f64,
}

/// One node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// Index of the node that carries it.
    pub parent: Option<usize>,
    /// The fixed part: what a file says where no key does.
    pub pose: Pose,
    /// A matrix in place of the pose, for files that give one.
    pub matrix: Option<DAffine3>,
    /// Translation keys.
    pub translation: Option<Track<3>>,
    /// Quaternion keys, x y z w.
    pub rotation: Option<Track<4>>,
    /// Scale keys.
    pub scale: Option<Track<3>>,
}

impl Nodes {
    /// Node to world at a time, in frames.
    pub fn at(&self, node: usize, frame: f64) -> DAffine3 {
        let seconds = frame * self.seconds_per_frame;
        let mut matrix = DAffine3::IDENTITY;
        let mut next = Some(node);
        while let Some(index) = next {
            let node = &self.list[index];
            matrix = node.local(seconds) * matrix;
            next = node.parent;
        }
        matrix
    }

    fn is_still(&self, node: usize) -> bool {
        let node = &self.list[node];
        node.translation.is_none()
            && node.rotation.is_none()
            && node.scale.is_none()
            && node.parent.is_none_or(|parent| self.is_still(parent))
    }
}

impl Node {
    fn local(&self, seconds: f64) -> DAffine3 {
        if let Some(matrix) = self.matrix {
            return matrix;
        }
        let translation = match &self.translation {
            Some(track) => DVec3::from_array(track.value(seconds)),
            None => self.pose.translation.as_dvec3(),
        };
        let rotation = match &self.rotation {
            Some(track) => track.rotation(seconds),
            None => self.pose.rotation.as_dquat(),
        };
        let scale = match &self.scale {
            Some(track) => DVec3::from_array(track.value(seconds)),
            None => self.pose.scale.as_dvec3(),
        };
        compose(translation, rotation, scale)
    }
}

/// How values between keys are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The value of the key before.
    Step,
    /// Straight lines, great arcs for rotations.
    Linear,
    /// Hermite splines; each key holds in-tangent, value, out-tangent.
    Cubic,
}

/// Keys of one property. Before the first and after the last key its value stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Track<const N: usize> {
    /// Seconds, rising.
    pub times: Vec<f32>,
    /// One value a key; three with [`Interpolation::Cubic`].
    pub values: Vec<[f32; N]>,
    /// Between the keys.
    pub interpolation: Interpolation,
}

impl<const N: usize> Track<N> {
    /// Index of the key at or before, share of the way to the next, and the seconds between both.
    fn place(&self, seconds: f64) -> (usize, f64, f64) {
        let after = self.times.partition_point(|&t| f64::from(t) <= seconds);
        if after == 0 {
            return (0, 0.0, 0.0);
        }
        if after == self.times.len() {
            return (after - 1, 0.0, 0.0);
        }
        let (from, to) = (
            f64::from(self.times[after - 1]),
            f64::from(self.times[after]),
        );
        (after - 1, (seconds - from) / (to - from), to - from)
    }

    fn key(&self, index: usize) -> [f64; N] {
        let index = match self.interpolation {
            Interpolation::Cubic => 3 * index + 1,
            _ => index,
        };
        self.values[index].map(f64::from)
    }

    fn value(&self, seconds: f64) -> [f64; N] {
        let (index, share, span) = self.place(seconds);
        let from = self.key(index);
        if share == 0.0 || self.interpolation == Interpolation::Step {
            return from;
        }
        let to = self.key(index + 1);
        if self.interpolation == Interpolation::Linear {
            return std::array::from_fn(|i| from[i] + (to[i] - from[i]) * share);
        }
        let (out, into) = (self.values[3 * index + 2], self.values[3 * index + 3]);
        let (t, t2, t3) = (share, share * share, share * share * share);
        std::array::from_fn(|i| {
            (2.0 * t3 - 3.0 * t2 + 1.0) * from[i]
                + span * (t3 - 2.0 * t2 + t) * f64::from(out[i])
                + (3.0 * t2 - 2.0 * t3) * to[i]
                + span * (t3 - t2) * f64::from(into[i])
        })
    }
}

impl Track<4> {
    fn rotation(&self, seconds: f64) -> DQuat {
        let (index, share, _) = self.place(seconds);
        if self.interpolation == Interpolation::Linear && share != 0.0 {
            let from = DQuat::from_array(self.key(index)).normalize();
            let to = DQuat::from_array(self.key(index + 1)).normalize();
            return from.slerp(to, share);
        }
        DQuat::from_array(self.value(seconds)).normalize()
    }
}

/// Turns a transform of directions into an orthonormal frame, for cameras that hang on scaled nodes.
pub(crate) fn orthonormal(matrix: DMat3) -> DMat3 {
    let z = matrix.z_axis.normalize();
    let x = matrix.y_axis.cross(z).normalize();
    DMat3::from_cols(x, z.cross(x), z)
}
