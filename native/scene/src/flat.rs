//! A world at one frame as the shaders read it: plain arrays, std430.
//!
//! World units, right-handed, y up. Colours are linear; radiance is what a pixel shows at exposure 1. Matrices are
//! column-major. Everything "previous" belongs to the frame recorded before; after a cut it equals the present.

use reconstruction_core::block;

/// [`FlatInstance::kind`]: sphere of radius 1.
pub const KIND_SPHERE: u32 = 0;
/// [`FlatInstance::kind`]: box from -1 to 1 on each axis.
pub const KIND_BOX: u32 = 1;
/// [`FlatInstance::kind`]: capped cylinder of radius 1 around y, from -1 to 1.
pub const KIND_CYLINDER: u32 = 2;
/// [`FlatInstance::kind`]: mesh, the triangles below node [`FlatInstance::root`].
pub const KIND_MESH: u32 = 3;

/// Bit of [`FlatInstance::flags`]: it did not exist in the frame before.
pub const INSTANCE_NEW: u32 = 1;

/// [`FlatMaterial::pattern`]: the base colour alone.
pub const PATTERN_NONE: u32 = 0;
/// [`FlatMaterial::pattern`]: checkerboard; all patterns mix base and second colour and repeat per uv / scale.
pub const PATTERN_CHECKER: u32 = 1;
/// [`FlatMaterial::pattern`]: stripes across u.
pub const PATTERN_STRIPES: u32 = 2;
/// [`FlatMaterial::pattern`]: thin grid lines in the second colour.
pub const PATTERN_GRID: u32 = 3;
/// [`FlatMaterial::pattern`]: smooth value noise of four octaves.
pub const PATTERN_NOISE: u32 = 4;
/// [`FlatMaterial::pattern`]: rows of shapes like letters in the second colour.
pub const PATTERN_GLYPHS: u32 = 5;

/// [`FlatLight::kind`]: sphere, sampled over the cone it fills.
pub const LIGHT_SPHERE: u32 = 0;
/// [`FlatLight::kind`]: parallelogram that shines to the side of cross(edge_u, edge_v).
pub const LIGHT_RECTANGLE: u32 = 1;
/// [`FlatLight::kind`]: triangle of an emissive mesh, shining to the side of cross(edge_u, edge_v).
pub const LIGHT_TRIANGLE: u32 = 2;
/// [`FlatLight::kind`]: disc of the sky at infinity.
pub const LIGHT_SUN: u32 = 3;

/// Deepest path from the root of a tree to a leaf, counted in nodes.
pub const MAX_TREE_DEPTH: usize = 32;

block! {
    /// A node of a bounding volume hierarchy. Children lie side by side.
    pub struct FlatNode {
        /// Smallest x of the bounds.
        pub min_x: f32,
        /// Smallest y.
        pub min_y: f32,
        /// Smallest z.
        pub min_z: f32,
        /// First child (the other follows), or first item of a leaf.
        pub first: u32,
        /// Largest x of the bounds.
        pub max_x: f32,
        /// Largest y.
        pub max_y: f32,
        /// Largest z.
        pub max_z: f32,
        /// 0: inner node. Otherwise a leaf of so many items.
        pub count: u32,
    }
}

block! {
    /// A triangle in object space.
    pub struct FlatTriangle {
        /// Position of the first corner; w: its u.
        pub position_0: [f32; 4],
        /// Position of the second corner; w: its u.
        pub position_1: [f32; 4],
        /// Position of the third corner; w: its u.
        pub position_2: [f32; 4],
        /// Unit normal at the first corner; w: its v.
        pub normal_0: [f32; 4],
        /// Unit normal at the second corner; w: its v.
        pub normal_1: [f32; 4],
        /// Unit normal at the third corner; w: its v.
        pub normal_2: [f32; 4],
    }
}

block! {
    /// A shape in the world.
    pub struct FlatInstance {
        /// Object to world, affine.
        pub to_world: [f32; 16],
        /// World to object.
        pub to_object: [f32; 16],
        /// Object to world in the frame before.
        pub prev_to_world: [f32; 16],
        /// One of the kinds above.
        pub kind: u32,
        /// Root node of a mesh.
        pub root: u32,
        /// Index of the material.
        pub material: u32,
        /// Bit 0: new in this frame.
        pub flags: u32,
        /// Index + 1 of the light whose visible body this is; 0: none. A mesh of triangle lights names the first.
        pub light: u32,
        /// First triangle of a mesh of triangle lights: triangle t is light `light - 1 + t - first_triangle`.
        pub first_triangle: u32,
        /// Identity of the object, the same in every frame of a sequence.
        pub object: u32,
        /// Zero.
        pub reserved: u32,
    }
}

block! {
    /// A surface: diffuse below a GGX coat, or metal. Both sides shine alike, but for lights.
    pub struct FlatMaterial {
        /// Reflectance rgb, 0..1; a: factor on the base image's alpha.
        pub base_color: [f32; 4],
        /// The pattern's other colour rgb, 0..1; a: unused.
        pub second_color: [f32; 4],
        /// Emitted radiance rgb of surfaces that are no light; a: unused.
        pub emission: [f32; 4],
        /// Linear roughness r, 0..1; alpha = r * r. Below 0.03: a perfect mirror.
        pub roughness: f32,
        /// 0: dielectric, 1: metal.
        pub metallic: f32,
        /// Reflectance of the coat at normal incidence, usually 0.04; 0: no coat at all.
        pub f0: f32,
        /// Where alpha is below it the surface is not there; 0: opaque.
        pub alpha_cutoff: f32,
        /// Of thin sheets (leaves, paper, cloth): half this share of the diffuse light comes through from behind, 0..1.
        pub subsurface: f32,
        /// Size of one period of the pattern in uv; uv of analytic shapes are in world units.
        pub pattern_scale: f32,
        /// One of the patterns above.
        pub pattern: u32,
        /// Zero.
        pub reserved: u32,
        /// Index + 1 of the image of base colour and alpha; 0: none.
        pub base_image: u32,
        /// Index + 1 of the image of roughness (green) and metallic (blue), factors of the values above; 0: none.
        pub rough_metal_image: u32,
        /// Index + 1 of the tangent-space normal map; 0: none.
        pub normal_image: u32,
        /// Index + 1 of the image that multiplies the emission; 0: none.
        pub emissive_image: u32,
    }
}

block! {
    /// An image of 8-bit texels, red in the lowest byte, bilinear, repeating.
    pub struct FlatImage {
        /// Width in texels.
        pub width: u32,
        /// Height in texels.
        pub height: u32,
        /// Its texel (0, 0), rows follow.
        pub first_texel: u32,
        /// 1: rgb are sRGB-encoded.
        pub is_srgb: u32,
    }
}

block! {
    /// A light. Light i of the frame before is light i now; after any other change the frame is a cut.
    pub struct FlatLight {
        /// Centre of a sphere, corner of a rectangle or triangle, direction towards the sun (unit); w: radius of the
        /// sphere, or the sun's angular radius in radians.
        pub position: [f32; 4],
        /// First edge from the corner; w: cosine of the spot's inner half angle, 2: no spot.
        pub edge_u: [f32; 4],
        /// Second edge from the corner; w: cosine of the spot's outer half angle, below the inner one.
        pub edge_v: [f32; 4],
        /// Emitted radiance rgb; w: unused.
        pub radiance: [f32; 4],
        /// Direction in which a spot shines (unit); w: unused.
        pub direction: [f32; 4],
        /// One of the kinds above.
        pub kind: u32,
        /// Index + 1 of the instance that is its visible body; 0: none, seen neither by the camera nor in mirrors.
        pub instance: u32,
        /// Probability to be picked; written by the renderer.
        pub pick: f32,
        /// Sum of `pick` up to this light; written by the renderer.
        pub pick_end: f32,
    }
}

block! {
    /// What rays see that hit nothing: a gradient by the direction's y, radiance.
    pub struct FlatSky {
        /// Straight up.
        pub zenith: [f32; 4],
        /// At the horizon.
        pub horizon: [f32; 4],
        /// Straight down.
        pub ground: [f32; 4],
    }
}

block! {
    /// A soft disc that faces the camera, laid over the surfaces. It has no motion, shadow or reflection.
    pub struct FlatParticle {
        /// Centre xyz in the world; w: radius.
        pub position: [f32; 4],
        /// Emitted radiance rgb; a: opacity at the centre, 0..1.
        pub color: [f32; 4],
    }
}

block! {
    /// The camera of this frame and of the one before.
    pub struct FlatCamera {
        /// World to view: x right, y up, looks down -z.
        pub world_to_view: [f32; 16],
        /// View to world.
        pub view_to_world: [f32; 16],
        /// View to Vulkan clip space, y down, depth 0 at near and 1 at far, unjittered.
        pub projection: [f32; 16],
        /// World to view in the frame before.
        pub prev_world_to_view: [f32; 16],
        /// Projection of the frame before.
        pub prev_projection: [f32; 16],
        /// Distance of the near plane.
        pub near: f32,
        /// Distance of the far plane.
        pub far: f32,
        /// Zero.
        pub reserved_0: f32,
        /// Zero.
        pub reserved_1: f32,
    }
}

/// A world at one frame. Indices count within the world; the renderer places several in its buffers.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatWorld {
    /// Trees over the triangles of every mesh; their leaves index `triangles`.
    pub nodes: Vec<FlatNode>,
    /// The tree over the instances, root first; its leaves index `instances`. Empty where there is no instance.
    pub top: Vec<FlatNode>,
    /// Triangles of all meshes.
    pub triangles: Vec<FlatTriangle>,
    /// The shapes, in the order of the leaves of `top`.
    pub instances: Vec<FlatInstance>,
    /// Materials.
    pub materials: Vec<FlatMaterial>,
    /// Images.
    pub images: Vec<FlatImage>,
    /// Texels of all images.
    pub texels: Vec<u32>,
    /// Lights.
    pub lights: Vec<FlatLight>,
    /// Particles, the farthest first.
    pub particles: Vec<FlatParticle>,
    /// The sky.
    pub sky: FlatSky,
    /// The camera.
    pub camera: FlatCamera,
    /// Colour * exposure has a median luma near 0.5.
    pub exposure: f32,
    /// The frame has no previous one.
    pub is_cut: bool,
    /// Grows whenever `nodes`, `triangles`, `materials`, `images` or `texels` differ from the frame before.
    pub geometry_revision: u64,
}
