//! The way from seeds to shards: worlds are drawn, frames submitted two ahead, planes become tensors, shards are
//! written, all at once.

use super::builders::{Builders, Built};
use super::description::{Description, SequenceDescription, ShardDescription};
use super::group;
use super::spent::{seconds, timed, Spent};
use super::tensors::{Tensors, PLANES};
use super::writer::{Finished, Writer};
use crate::error::{Error, Result};
use crate::scene::shot::Shot;
use crate::scene::source::Search;
use crate::scene::told;
use rayon::prelude::*;
use reconstruction_core::convention::Depth;
use reconstruction_core::Sizes;
use reconstruction_host::{Host, HostOptions};
use reconstruction_scene::gltf_scene::Reading;
use reconstruction_scene::renderer::{Renderer, Ticket, View};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

/// Submissions that the device may have before it: one that it renders and one that it goes on with.
const AHEAD: usize = 2;

/// What a dataset is rendered with.
pub struct Pipeline<'a> {
    /// The dataset.
    pub description: &'a Description,
    /// Its folder.
    pub folder: &'a Path,
    /// Numbers of the shards to make.
    pub shards: &'a [u64],
    /// Told about every finished frame of a sequence.
    pub on_pairs: &'a mut dyn FnMut(u64),
}

/// The device of a dataset.
///
/// # Errors
/// When there is no such device, or it cannot be opened.
pub fn open_host(name: Option<&str>) -> Result<Host> {
    Ok(Host::new(&HostOptions {
        device: name.map(str::to_owned),
        frames_in_flight: AHEAD as u32 + 1,
        ..HostOptions::default()
    })?)
}

/// A submission that is under way.
struct Flight {
    ticket: Ticket,
    first_sequence: usize,
    sequences: usize,
    frame: u32,
    /// It is the last of its shard.
    is_last: bool,
}

/// A shard that is being filled.
struct Open {
    shard: u64,
    tensors: Tensors,
    sequences: Vec<SequenceDescription>,
}

/// The device's side: what is under way, and the shards it goes to.
struct Stage<'p, 'a, 'scope> {
    pipeline: Pipeline<'p>,
    host: Host,
    renderer: Renderer,
    flights: VecDeque<Flight>,
    open: VecDeque<Open>,
    writer: &'a Writer<'scope>,
    spent: Spent,
}

impl Pipeline<'_> {
    /// Makes the shards.
    ///
    /// # Errors
    /// A world that cannot be made, a device that fails, a file that cannot be written. Shards that were finished
    /// before stay.
    pub fn run(self, host: Host) -> Result<Spent> {
        let mut seeds = Vec::new();
        for &shard in self.shards {
            seeds.extend(self.description.seeds(shard)?);
        }
        let search = Search {
            frames: self.description.length,
            knobs: &self.description.knobs,
            split: Some(self.description.split),
            reuse: self.description.reuse,
            reading: Reading::default(),
        };
        let output = self.description.output();
        let aspect = output.width as f32 / output.height as f32;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut prepare = 0.0;
        let renderer = timed(&mut prepare, || {
            let mut renderer = Renderer::new(&host)?;
            renderer.compile()?;
            Ok(renderer)
        });
        let renderer = renderer.map_err(|e| told(e, "nothing yet"))?;
        let start = Instant::now();
        let mut spent = std::thread::scope(|scope| {
            let mut builders = Builders::start(scope, &seeds, &search, aspect, threads);
            let writer = Writer::start(scope);
            let mut stage = Stage {
                pipeline: self,
                host,
                renderer,
                flights: VecDeque::new(),
                open: VecDeque::new(),
                writer: &writer,
                spent: Spent::default(),
            };
            let rendered = stage.run(&mut builders);
            let mut spent = std::mem::take(&mut stage.spent);
            drop(stage);
            spent.build = seconds(builders.spent());
            // Ends the threads, should the rest have failed.
            drop(builders);
            let mut waited = spent.write_wait;
            let written = timed(&mut waited, || writer.finish());
            spent.write_wait = waited;
            // A disk that is full is the cause of what failed after it.
            spent.write = written?;
            rendered.map(|()| spent)
        })?;
        spent.prepare = prepare;
        spent.wall = seconds(start.elapsed());
        Ok(spent)
    }
}

impl Stage<'_, '_, '_> {
    fn run(&mut self, builders: &mut Builders) -> Result<()> {
        let description = self.pipeline.description;
        let group = group::size(description, &self.host.info().limits);
        for &shard in self.pipeline.shards {
            let seeds = description.seeds(shard)?;
            let count = (seeds.end - seeds.start) as usize;
            self.open.push_back(Open {
                shard,
                tensors: Tensors::new(description, seeds),
                sequences: Vec::with_capacity(count),
            });
            for first in (0..count).step_by(group) {
                let sequences = group.min(count - first);
                let mut worlds = Vec::with_capacity(sequences);
                for _ in 0..sequences {
                    worlds.push(timed(&mut self.spent.build_wait, || builders.take())?);
                }
                self.render(&mut worlds, first, first + sequences == count)?;
            }
        }
        while !self.flights.is_empty() {
            self.land()?;
        }
        Ok(())
    }

    /// Renders every frame of a group of sequences, which begins at `first` in its shard.
    fn render(&mut self, worlds: &mut [Built], first: usize, ends_shard: bool) -> Result<()> {
        let description = self.pipeline.description;
        let open = self.open.back_mut().expect("the shard was opened");
        open.sequences
            .extend(worlds.iter().map(|world| SequenceDescription {
                is_reusing_light: world.is_reusing,
                recipe: world.recipe.clone(),
            }));
        let shots: Vec<Shot> = worlds
            .iter()
            .enumerate()
            .map(|(slot, world)| Shot {
                sizes: Sizes {
                    render: description.render(),
                    output: description.output(),
                },
                samples: description.samples,
                depth: Depth::ViewLinear,
                seed: world.recipe.seed,
                is_reusing: world.is_reusing,
                slot: slot as u32,
            })
            .collect();
        for slot in 0..worlds.len() {
            self.renderer.forget(slot as u32);
        }
        for frame in 0..description.length {
            let flats: Vec<_> = timed(&mut self.spent.flatten, || {
                let flats = worlds.par_iter_mut();
                flats.map(|world| world.flattener.frame(frame)).collect()
            });
            let open = self.open.back_mut().expect("the shard was opened");
            let mut views = Vec::with_capacity(flats.len());
            for (i, (world, shot)) in flats.into_iter().zip(&shots).enumerate() {
                open.tensors
                    .set_numbers(first + i, frame, world, shot.jitter(frame));
                let requests = shot.requests(frame, &PLANES);
                views.push(View { world, requests });
            }
            let ticket = timed(&mut self.spent.submit, || {
                self.renderer.submit(&mut self.host, &views)
            });
            let what = format!("frame {frame} of seed {} and others", shots[0].seed);
            self.flights.push_back(Flight {
                ticket: ticket.map_err(|e| told(e, &what))?,
                first_sequence: first,
                sequences: views.len(),
                frame,
                is_last: ends_shard && frame + 1 == description.length,
            });
            if self.flights.len() >= AHEAD {
                self.land()?;
            }
        }
        Ok(())
    }

    /// Waits for the oldest submission and takes its pictures; a full shard goes to the writer.
    fn land(&mut self) -> Result<()> {
        let flight = self.flights.pop_front().expect("a submission is under way");
        let rendered = timed(&mut self.spent.gpu_wait, || {
            self.renderer.wait(&mut self.host, flight.ticket)
        });
        let what = format!("frame {} of a group", flight.frame);
        let rendered = rendered.map_err(|e| told(e, &what))?;
        self.spent.gpu += rendered.milliseconds / 1e3;
        let Flight {
            first_sequence,
            sequences,
            frame,
            is_last,
            ..
        } = flight;
        let open = self.open.front_mut().expect("submissions end in order");
        timed(&mut self.spent.readback, || {
            open.tensors.set_images(first_sequence, frame, &rendered, sequences)
        })
        .map_err(|found| {
            let seed = open.sequences[first_sequence + found.view].recipe.seed;
            Error::Device(format!(
                "rendering: expected finite values, got others in {} of seed {seed}, frame {frame}; leave the seed out \
                 with --first, and report it",
                found.tensor
            ))
        })?;
        (self.pipeline.on_pairs)(sequences as u64);
        if is_last {
            let Some(full) = self.open.pop_front() else {
                unreachable!("it was just filled")
            };
            let description = self.pipeline.description;
            let finished = Finished {
                path: description.shard_path(self.pipeline.folder, full.shard),
                tensors: full.tensors,
                description: ShardDescription {
                    dataset: description.clone(),
                    shard: full.shard,
                    sequences: full.sequences,
                },
            };
            let is_taken = timed(&mut self.spent.write_wait, || self.writer.send(finished));
            if !is_taken {
                // The writer says what failed when it is asked to finish.
                return Err(Error::Argument("shards: writing failed".to_owned()));
            }
        }
        Ok(())
    }
}
