//! Renders pictures of flat worlds: many in one submission, several submissions in flight.

pub mod blocks;
mod check;
mod geometry;
mod history;
mod layout;
mod pipeline;
mod record;
mod rendered;
mod request;
mod upload;
mod waves;
mod wide;

pub use history::HISTORY_BYTES;
pub use rendered::Rendered;
pub use request::{Place, Plane, Request};

use crate::error::{Error, Result};
use crate::flat::FlatWorld;
use ash::vk;
use blocks::Picture;
use geometry::Store;
use history::History;
use layout::Layout;
use pipeline::{Features, Pipelines};
use reconstruction_host::{Buffer, Host, Location, Timestamps};
use record::{features_of, record_barrier, record_waves};
use std::time::Duration;
use upload::{Upload, UNIT};
use waves::{Round, PATH_BYTES};

/// A world and the pictures to make of it.
#[derive(Debug, Clone)]
pub struct View<'a> {
    /// The world at this frame.
    pub world: &'a FlatWorld,
    /// Its pictures.
    pub requests: Vec<Request>,
}

/// A submission. Its pictures can be read until as many others as there are frames in flight were submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    serial: u64,
}

/// What one submission in flight owns.
struct Flight {
    set: vk::DescriptorSet,
    upload: Option<Buffer>,
    planes: Option<Buffer>,
    download: Option<Buffer>,
    timestamps: Timestamps,
    /// The host's frame that ran it.
    frame: u64,
    serial: u64,
    layout: Layout,
}

/// The renderer. It submits in the host's frames, so host and renderer are used by one thread.
pub struct Renderer {
    flights: Vec<Flight>,
    history: History,
    scene: Store,
    paths: Option<Buffer>,
    pipelines: Pipelines,
    serial: u64,
    wave_paths: u32,
}

impl Renderer {
    /// A renderer for a host. Everything else is made when it is first needed; see [`Renderer::compile`].
    ///
    /// # Errors
    /// The failed call.
    pub fn new(host: &Host) -> Result<Self> {
        let count = host.to_block().frames_in_flight;
        let pipelines = Pipelines::new(host, count)?;
        let mut flights = Vec::new();
        for _ in 0..count {
            flights.push(Flight {
                set: pipelines.new_set()?,
                upload: None,
                planes: None,
                download: None,
                timestamps: host.create_timestamps(2)?,
                frame: 0,
                serial: 0,
                layout: Layout::default(),
            });
        }
        Ok(Renderer {
            flights,
            history: History::new(host)?,
            scene: Store::new(),
            paths: None,
            pipelines,
            serial: 0,
            wave_paths: waves::suggest_paths(host.info()),
        })
    }

    /// Paths that the device follows at once, at least one row of a picture. Larger pictures are rendered in bands, and
    /// where one sample for each of a row is too much already, in several waves of samples.
    pub fn set_wave_paths(&mut self, paths: u32) {
        self.wave_paths = paths;
    }

    /// Paths that the device follows at once; chosen from the device at first.
    pub fn wave_paths(&self) -> u32 {
        self.wave_paths
    }

    /// Compiles the kernels for worlds that have everything, so that the first submission of such worlds need not wait
    /// for it. What else is needed is compiled when it is.
    ///
    /// # Errors
    /// The failed call.
    pub fn compile(&mut self) -> Result<()> {
        self.pipelines.prepare(Features::ALL)
    }

    /// The next frame of this history has no previous one.
    pub fn forget(&mut self, history: u32) {
        self.history.forget(history);
    }

    /// Submits the pictures of every view without waiting for them.
    ///
    /// # Errors
    /// A request or world that cannot be rendered, before anything is recorded; or the failed call.
    pub fn submit(&mut self, host: &mut Host, views: &[View<'_>]) -> Result<Ticket> {
        let layout = Layout::plan(views, self.wave_paths)?;
        check_limits(host, &layout)?;
        let (mut upload, worlds, gathered) = loop {
            let gathered = self.scene.gather(views)?;
            let mut upload = Upload::with_pictures(layout.rounds.len());
            let mut worlds = Vec::new();
            for (view, geometry) in views.iter().zip(&gathered.of_views) {
                worlds.push(upload.push_frame(view.world, geometry)?);
            }
            if self.scene.fits(host, upload.bytes.len(), &gathered)? {
                break (upload, worlds, gathered);
            }
        };
        for request in views.iter().flat_map(|view| &view.requests) {
            if let Some(slot) = request.history {
                self.history.reserve(host, slot, request.size)?;
            }
        }
        self.reserve_paths(host, layout.paths())?;
        let pictures = self.pictures(views, &worlds, &layout);
        let features: Vec<_> = gathered.of_views.iter().map(|g| g.features).collect();
        for wave in &layout.waves {
            let rounds = &layout.rounds[wave.rounds.clone()];
            self.pipelines.prepare(features_of(rounds, &features))?;
        }
        upload.set_pictures(&pictures);

        let frame = host.begin_frame()?;
        self.serial += 1;
        let index = (self.serial % self.flights.len() as u64) as usize;
        let flight = &mut self.flights[index];
        if flight.frame > frame.last_finished {
            host.wait_idle();
        }
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let source = vk::BufferUsageFlags::TRANSFER_SRC;
        let target = vk::BufferUsageFlags::TRANSFER_DST;
        let front = upload.bytes.len() as u64;
        let bytes = front + gathered.bytes.len() as u64;
        let (all, back) = (layout.all_words * 4, layout.plane_words * 4);
        fit(host, &mut flight.upload, bytes, source, Location::Upload)?;
        fit(
            host,
            &mut flight.planes,
            all,
            storage | source,
            Location::Device,
        )?;
        fit(host, &mut flight.download, back, target, Location::Download)?;
        let (Some(from), Some(scene), Some(planes), Some(download), Some(paths)) = (
            &mut flight.upload,
            self.scene.buffer(),
            &flight.planes,
            &flight.download,
            &self.paths,
        ) else {
            unreachable!("buffers were just made")
        };
        let (of_frame, of_worlds) =
            from.bytes_mut()?[..bytes as usize].split_at_mut(front as usize);
        of_frame.copy_from_slice(&upload.bytes);
        of_worlds.copy_from_slice(&gathered.bytes);
        let buffers = [scene, planes, &self.history.buffer, paths];
        self.pipelines.bind(flight.set, buffers);
        let commands = frame.command_buffer;
        let device = host.device();
        flight.timestamps.record_reset(commands);
        flight.timestamps.record(commands, 0);
        // SAFETY: the buffer is recording; all handles live until the frame has finished, which drop waits for.
        unsafe {
            // Earlier submissions may still read the scene buffer.
            record_barrier(device, commands);
            let mut copies = vec![vk::BufferCopy::default().size(front)];
            if !gathered.bytes.is_empty() {
                let copy = vk::BufferCopy::default().src_offset(front);
                let copy = copy.dst_offset(u64::from(gathered.at) * UNIT as u64);
                copies.push(copy.size(gathered.bytes.len() as u64));
            }
            device.cmd_copy_buffer(commands, from.handle, scene.handle, &copies);
            record_barrier(device, commands);
            let (pipelines, set) = (&self.pipelines, flight.set);
            record_waves(
                device, commands, pipelines, set, &layout, &pictures, &features,
            );
            let copy = vk::BufferCopy::default().size(back);
            device.cmd_copy_buffer(commands, planes.handle, download.handle, &[copy]);
            record_barrier(device, commands);
        }
        flight.timestamps.record(commands, 1);
        flight.frame = frame.number;
        flight.serial = self.serial;
        flight.layout = layout;
        self.scene.keep(gathered);
        host.submit(frame)?;
        Ok(Ticket {
            serial: self.serial,
        })
    }

    /// Waits for a submission and gives its pictures.
    ///
    /// # Errors
    /// When its place was taken by later submissions, or the failed call.
    pub fn wait(&self, host: &mut Host, ticket: Ticket) -> Result<Rendered<'_>> {
        let flight = &self.flights[(ticket.serial % self.flights.len() as u64) as usize];
        if flight.serial != ticket.serial {
            return Err(Error::invalid(
                "ticket",
                format!("one of the last {} submissions", self.flights.len()),
                format!("{} submissions later", self.serial - ticket.serial),
                "read the pictures earlier, or give the host more frames in flight",
            ));
        }
        while host.last_finished()? < flight.frame {
            std::thread::sleep(Duration::from_micros(50));
        }
        let download = flight
            .download
            .as_ref()
            .expect("a submission has its buffers");
        let milliseconds = flight.timestamps.milliseconds()?[1];
        Ok(Rendered::new(
            &flight.layout,
            download.bytes()?,
            milliseconds,
        ))
    }

    /// Submits and waits.
    ///
    /// # Errors
    /// As [`Renderer::submit`] and [`Renderer::wait`].
    pub fn render(&mut self, host: &mut Host, views: &[View<'_>]) -> Result<Rendered<'_>> {
        let ticket = self.submit(host, views)?;
        self.wait(host, ticket)
    }

    /// Room for the paths of a wave; all submissions share it, since their waves run one after the other.
    fn reserve_paths(&mut self, host: &Host, paths: u32) -> Result<()> {
        let bytes = u64::from(paths) * PATH_BYTES;
        if self.paths.as_ref().is_none_or(|b| b.size < bytes) {
            host.wait_idle();
            self.paths = None;
            let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
            self.paths = Some(host.create_buffer(bytes, usage, Location::Device)?);
        }
        Ok(())
    }

    /// The picture of every round.
    fn pictures(
        &mut self,
        views: &[View<'_>],
        worlds: &[Picture],
        layout: &Layout,
    ) -> Vec<Picture> {
        let mut turns = std::collections::BTreeMap::new();
        let paths = self.paths.as_ref().map_or(0, |paths| paths.size);
        let path_stride = (paths / PATH_BYTES) as u32;
        let picture = |round: &Round| {
            let request = &views[round.view].requests[round.request];
            let world = &views[round.view].world;
            let turn = request.history.map(|slot| {
                &*turns
                    .entry(slot)
                    .or_insert_with(|| self.history.turn(slot, request.jitter()))
            });
            layout.picture(round, request, world, worlds[round.view], turn, path_stride)
        };
        layout.rounds.iter().map(picture).collect()
    }
}

/// A buffer of at least this size; grown by half more so that it settles.
fn fit(
    host: &Host,
    buffer: &mut Option<Buffer>,
    bytes: u64,
    usage: vk::BufferUsageFlags,
    location: Location,
) -> Result<()> {
    if buffer.as_ref().is_none_or(|b| b.size < bytes) {
        *buffer = None;
        let size = (bytes + bytes / 2).max(1 << 12);
        *buffer = Some(host.create_buffer(size, usage, location)?);
    }
    Ok(())
}

fn check_limits(host: &Host, layout: &Layout) -> Result<()> {
    let limit = u64::from(host.info().limits.max_storage_buffer_range);
    if layout.all_words * 4 > limit {
        return Err(Error::invalid(
            "pictures",
            format!("at most {limit} bytes in one submission"),
            (layout.all_words * 4).to_string(),
            "submit fewer or smaller pictures at once",
        ));
    }
    Ok(())
}
