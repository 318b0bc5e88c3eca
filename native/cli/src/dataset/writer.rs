//! The thread that writes shards while the next ones are rendered.

use super::description::ShardDescription;
use super::shard_file;
use super::spent::timed;
use super::tensors::Tensors;
use crate::error::{Error, Result};
use std::path::PathBuf;
use std::sync::mpsc::{sync_channel, SyncSender};
use std::thread::{Scope, ScopedJoinHandle};

/// A finished shard on its way to disk.
pub struct Finished {
    /// Where it goes.
    pub path: PathBuf,
    /// What is in it.
    pub tensors: Tensors,
    /// What it says about itself.
    pub description: ShardDescription,
}

/// Writes shards in the order they are sent.
pub struct Writer<'scope> {
    send: SyncSender<Finished>,
    thread: ScopedJoinHandle<'scope, Result<f64>>,
}

impl<'scope> Writer<'scope> {
    /// Starts the thread. One shard may wait while another is written.
    pub fn start(scope: &'scope Scope<'scope, '_>) -> Self {
        let (send, receive) = sync_channel::<Finished>(1);
        let thread = scope.spawn(move || {
            let mut spent = 0.0;
            for shard in receive {
                timed(&mut spent, || {
                    shard_file::write(&shard.path, &shard.tensors, &shard.description)
                })?;
            }
            Ok(spent)
        });
        Writer { send, thread }
    }

    /// Hands a shard over; waits while two others are under way. False when the thread has failed.
    pub fn send(&self, shard: Finished) -> bool {
        self.send.send(shard).is_ok()
    }

    /// Waits for the last shard and gives the seconds spent writing.
    ///
    /// # Errors
    /// The first shard that could not be written.
    pub fn finish(self) -> Result<f64> {
        drop(self.send);
        match self.thread.join() {
            Ok(result) => result,
            Err(panic) => {
                drop(panic);
                Err(Error::Argument(
                    "shards: the writing thread failed".to_owned(),
                ))
            }
        }
    }
}
