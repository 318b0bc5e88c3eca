//! Pictures of a wave, trees and shapes, as the shaders read them.

use reconstruction_core::block;

/// [`Picture::flags`]: there is at least one instance.
pub const HAS_INSTANCES: u32 = 1;
/// [`Picture::flags`]: samples lie anywhere in the pixel, not at the jittered place.
pub const IS_BOX_FILTERED: u32 = 2;
/// [`Picture::flags`]: light that was reflected twice.
pub const HAS_INDIRECT: u32 = 4;
/// [`Picture::flags`]: guides are written, and what the next frame needs.
pub const HAS_GUIDES: u32 = 8;
/// [`Picture::flags`]: the frame before left its surfaces and light samples.
pub const HAS_HISTORY: u32 = 16;
/// [`Picture::flags`]: light samples of the frame before are used again.
pub const IS_REUSING: u32 = 32;
/// [`Picture::flags`]: nothing of the frame before is in this one.
pub const IS_CUT: u32 = 64;
/// [`Picture::flags`]: a light of the world's and a place of sun or sky are chosen, with a ray for each: less noise.
pub const IS_SPLIT: u32 = 128;

/// Entries of one tree that wait at most while a ray is on its way to a leaf.
pub const MAX_WAITING: u32 = 32;
block! {
    /// An inner node of a tree: bounds and entries of up to four children. One that is not there is empty: its low is
    /// above its high.
    pub struct WideNode {
        /// Smallest x of each child.
        pub low_x: [f32; 4],
        /// Largest x.
        pub high_x: [f32; 4],
        /// Smallest y.
        pub low_y: [f32; 4],
        /// Largest y.
        pub high_y: [f32; 4],
        /// Smallest z.
        pub low_z: [f32; 4],
        /// Largest z.
        pub high_z: [f32; 4],
        /// First child: an inner node's index, or the first item of a leaf and in the top five bits their number.
        pub entry_0: u32,
        /// Second child.
        pub entry_1: u32,
        /// Third child.
        pub entry_2: u32,
        /// Fourth child.
        pub entry_3: u32,
        /// Zero: a node is a cache line.
        pub reserved: [f32; 4],
    }
}

block! {
    /// What rays need of an instance.
    pub struct Shape {
        /// World to object: the row that gives x.
        pub to_object_x: [f32; 4],
        /// The row that gives y.
        pub to_object_y: [f32; 4],
        /// The row that gives z.
        pub to_object_z: [f32; 4],
        /// Kind of the flat instance.
        pub kind: u32,
        /// Entry of a mesh's tree.
        pub entry: u32,
        /// 1: the material has holes.
        pub has_holes: u32,
        /// Zero.
        pub reserved: u32,
        /// Of the image whose alpha makes holes: width in texels, 0 where there is no image.
        pub hole_width: u32,
        /// Height in texels.
        pub hole_height: u32,
        /// Its first texel.
        pub hole_texel: u32,
        /// Alpha below which there is a hole.
        pub hole_below: f32,
    }
}

block! {
    /// A picture: where its world lies in the scene buffer (in units of 16 bytes) and what to make of it. Planes are
    /// given by their first 32-bit word; all bits set: not wanted.
    pub struct Picture {
        /// Wide nodes of the meshes.
        pub nodes: u32,
        /// Wide nodes over the shapes.
        pub top: u32,
        /// Entry of the tree over the shapes.
        pub top_entry: u32,
        /// Shapes.
        pub shapes: u32,
        /// Triangles.
        pub triangles: u32,
        /// Instances.
        pub instances: u32,
        /// Materials.
        pub materials: u32,
        /// Images.
        pub images: u32,
        /// Texels, four to a unit.
        pub texels: u32,
        /// Lights.
        pub lights: u32,
        /// Particles.
        pub particles: u32,
        /// Camera.
        pub camera: u32,
        /// Sky.
        pub sky: u32,
        /// Index + 1 of the sun among the lights; 0: none.
        pub sun: u32,
        /// Number of lights.
        pub light_count: u32,
        /// Number of particles.
        pub particle_count: u32,
        /// Zero.
        pub reserved_0: u32,
        /// Zero.
        pub reserved_1: u32,
        /// Probability that a light sample is of the sky.
        pub sky_share: f32,
        /// Bits above.
        pub flags: u32,
        /// Width in pixels.
        pub width: u32,
        /// Height in pixels.
        pub height: u32,
        /// Displacement of the picture in pixels, +x right.
        pub jitter_x: f32,
        /// The same, +y down.
        pub jitter_y: f32,
        /// Jitter of the frame before.
        pub prev_jitter_x: f32,
        /// The same, +y down.
        pub prev_jitter_y: f32,
        /// Seed of the random numbers.
        pub seed: u32,
        /// Frame, the second part of the seed.
        pub frame: u32,
        /// First sample of this wave.
        pub sample_first: u32,
        /// Samples of this wave.
        pub sample_count: u32,
        /// Samples of the whole picture.
        pub sample_total: u32,
        /// Light samples of which one is chosen.
        pub candidates: u32,
        /// Code of core's depth convention.
        pub depth_kind: u32,
        /// History that is written, in units of 16 bytes.
        pub history_now: u32,
        /// History of the frame before.
        pub history_prev: u32,
        /// Plane: colour, 4 halves.
        pub at_color: u32,
        /// Plane: depth, a float.
        pub at_depth: u32,
        /// Plane: motion, 2 floats.
        pub at_motion: u32,
        /// Plane: normal and roughness, 4 halves.
        pub at_normal: u32,
        /// Plane: diffuse albedo and subsurface, 4 halves.
        pub at_diffuse: u32,
        /// Plane: specular albedo and disocclusion, 4 halves.
        pub at_specular: u32,
        /// Plane: distance of what the mirror direction sees, a float.
        pub at_hit_distance: u32,
        /// Plane: colour before particles, 4 halves.
        pub at_before_particles: u32,
        /// Plane: emitted light with particles, and their cover, 4 halves.
        pub at_emissive: u32,
        /// Plane: diffuse light over albedo, 4 halves.
        pub at_irradiance: u32,
        /// Plane: specular light, 4 halves.
        pub at_specular_light: u32,
        /// Plane: sum of colours over waves, 3 floats.
        pub at_sum: u32,
        /// Most radiance that one sample brings to a matte surface over another one.
        pub brightest: f32,
        /// First row of this wave.
        pub row_first: u32,
        /// Rows of this wave.
        pub row_count: u32,
        /// First of its paths: pixels of a row lie together, then rows, then samples.
        pub path_first: u32,
        /// Paths of the whole buffer, the length of each of its arrays.
        pub path_stride: u32,
    }
}

impl Picture {
    /// Rays are followed for the guide of hit distances.
    pub fn has_mirrored_rays(&self) -> bool {
        self.flags & HAS_GUIDES != 0 && self.at_hit_distance != u32::MAX
    }

    /// Paths have rays towards sun and sky apart from those towards lights.
    pub fn is_split(&self) -> bool {
        self.flags & IS_SPLIT != 0
    }

    /// Light that was reflected twice is wanted.
    pub fn has_indirect(&self) -> bool {
        self.flags & HAS_INDIRECT != 0
    }
}
