//! Geometry, materials and images of worlds, kept on the device while their revision stays the same.

use super::blocks::WideNode;
use super::check::check_geometry;
use super::pipeline::Features;
use super::upload::{Upload, UNIT};
use super::wide::widen;
use super::View;
use crate::error::{Error, Result};
use crate::flat::FlatWorld;
use ash::vk;
use reconstruction_host::{Buffer, Host, Location};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Units of room for geometry at first.
const ROOM: u32 = 1 << 16;

/// Where the lasting parts of a world lie in the scene buffer, in units of 16 bytes.
#[derive(Debug)]
pub(crate) struct Geometry {
    pub nodes: u32,
    pub triangles: u32,
    pub materials: u32,
    pub images: u32,
    pub texels: u32,
    pub features: Features,
    roots: BTreeMap<u32, u32>,
}

impl Geometry {
    /// Entry of the tree below a root, where it is one.
    pub fn entry(&self, root: u32) -> Option<u32> {
        self.roots.get(&root).copied()
    }
}

/// The geometry of a submission's views, and what of it is yet to be uploaded.
pub(crate) struct Gathered {
    /// By view.
    pub of_views: Vec<Arc<Geometry>>,
    pub bytes: Vec<u8>,
    /// Where the bytes go, in units.
    pub at: u32,
    fresh: BTreeMap<u64, Arc<Geometry>>,
    /// Everything that was there has to make room.
    is_anew: bool,
}

/// The scene buffer: in front what belongs to one submission, behind it geometry.
pub(crate) struct Store {
    buffer: Option<Buffer>,
    /// Units in front of the geometry.
    front: u32,
    /// Units for geometry, and those in use.
    room: u32,
    end: u32,
    kept: BTreeMap<u64, Arc<Geometry>>,
}

impl Store {
    pub fn new() -> Self {
        Store {
            buffer: None,
            front: 0,
            room: 0,
            end: 0,
            kept: BTreeMap::new(),
        }
    }

    pub fn buffer(&self) -> Option<&Buffer> {
        self.buffer.as_ref()
    }

    /// Finds the geometry of every view. Revision 0 is never kept.
    ///
    /// # Errors
    /// When an index of a world leads nowhere.
    pub fn gather(&self, views: &[View<'_>]) -> Result<Gathered> {
        let gathered = self.gather_behind(views, self.end, &self.kept)?;
        if self.end + (gathered.bytes.len() / UNIT) as u32 <= self.room {
            return Ok(gathered);
        }
        let mut gathered = self.gather_behind(views, 0, &BTreeMap::new())?;
        gathered.is_anew = true;
        Ok(gathered)
    }

    fn gather_behind(
        &self,
        views: &[View<'_>],
        end: u32,
        kept: &BTreeMap<u64, Arc<Geometry>>,
    ) -> Result<Gathered> {
        let at = self.front + end;
        let mut upload = Upload::default();
        let mut fresh: BTreeMap<u64, Arc<Geometry>> = BTreeMap::new();
        let mut of_views = Vec::with_capacity(views.len());
        for view in views {
            let revision = view.world.geometry_revision;
            let known = kept.get(&revision).or_else(|| fresh.get(&revision));
            if let Some(known) = known {
                of_views.push(known.clone());
                continue;
            }
            check_geometry(view.world)?;
            let geometry = Arc::new(upload.push_geometry(view.world, at));
            if revision != 0 {
                fresh.insert(revision, geometry.clone());
            }
            of_views.push(geometry);
        }
        Ok(Gathered {
            of_views,
            bytes: upload.bytes,
            at,
            fresh,
            is_anew: false,
        })
    }

    /// Whether a submission fits as it was gathered; if not, there is room afterwards, and it is to be gathered again.
    ///
    /// # Errors
    /// When the device binds no buffer of that size, or the failed call.
    pub fn fits(&mut self, host: &Host, front_bytes: usize, gathered: &Gathered) -> Result<bool> {
        let front = front_bytes.div_ceil(UNIT) as u32;
        let own = (gathered.bytes.len() / UNIT) as u32;
        let end = if gathered.is_anew { 0 } else { self.end };
        if self.buffer.is_some() && front <= self.front && end + own <= self.room {
            return Ok(true);
        }
        let most = u64::from(host.info().limits.max_storage_buffer_range) / UNIT as u64;
        // Half more, so that it settles; twice as much geometry, so that it is seldom uploaded again.
        let roomy = (front + front / 2, (2 * own).max(self.room).max(ROOM));
        let (front, room) = if u64::from(roomy.0) + u64::from(roomy.1) <= most {
            roomy
        } else {
            (front, own)
        };
        let bytes = (u64::from(front) + u64::from(room)) * UNIT as u64;
        if bytes / UNIT as u64 > most {
            return Err(Error::invalid(
                "worlds",
                format!("at most {} bytes in one submission", most * UNIT as u64),
                bytes.to_string(),
                "submit fewer or smaller worlds at once",
            ));
        }
        host.wait_idle();
        *self = Store::new();
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST;
        self.buffer = Some(host.create_buffer(bytes, usage, Location::Device)?);
        (self.front, self.room) = (front, room);
        Ok(false)
    }

    /// The gathered bytes are on their way to the device.
    pub fn keep(&mut self, gathered: Gathered) {
        if gathered.is_anew {
            self.kept.clear();
            self.end = 0;
        }
        self.end += (gathered.bytes.len() / UNIT) as u32;
        self.kept.extend(gathered.fresh);
    }
}

impl Upload {
    /// Appends the lasting parts of a world; places count from `base` units before the first byte.
    fn push_geometry(&mut self, world: &FlatWorld, base: u32) -> Geometry {
        let trees = widen(&world.nodes);
        let nodes: &[WideNode] = &trees.nodes;
        Geometry {
            nodes: base + self.push(nodes),
            triangles: base + self.push(&world.triangles),
            materials: base + self.push(&world.materials),
            images: base + self.push(&world.images),
            texels: base + self.push(&world.texels),
            features: Features {
                has_holes: world.materials.iter().any(|m| m.alpha_cutoff > 0.0),
                has_images: !world.images.is_empty(),
            },
            roots: trees.roots,
        }
    }
}
