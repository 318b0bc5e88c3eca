//! Worlds are drawn on every core while the device renders, a few ahead, and given out in order.

use crate::error::{Error, Result};
use crate::scene::source::{Search, Source};
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::random::Recipe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::Arc;
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Worlds that each thread keeps ready.
const AHEAD: usize = 3;

/// A world, ready to give its frames.
pub struct Built {
    /// Gives the frames.
    pub flattener: Flattener,
    /// The seed and what came of it.
    pub recipe: Recipe,
    /// Light samples of the frame before are used again.
    pub is_reusing: bool,
}

/// Worlds in the order of their seeds. Dropping it ends the threads.
pub struct Builders {
    /// Thread i draws the seeds i, i + n, i + 2n of the list.
    threads: Vec<Receiver<Result<Built>>>,
    next: usize,
    nanoseconds: Arc<AtomicU64>,
}

impl Builders {
    /// Starts `threads` threads on a list of seeds; `aspect` is width over height of the pictures.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        seeds: &'scope [u64],
        search: &'scope Search<'scope>,
        aspect: f32,
        threads: usize,
    ) -> Self {
        let nanoseconds = Arc::new(AtomicU64::new(0));
        let start = |thread: usize| {
            let (send, receive) = sync_channel(AHEAD);
            let spent = nanoseconds.clone();
            scope.spawn(move || {
                for &seed in seeds.iter().skip(thread).step_by(threads) {
                    let start = Instant::now();
                    let built = build(seed, search, aspect);
                    spent.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
                    // Nobody listens any more when the rest failed.
                    if send.send(built).is_err() {
                        return;
                    }
                }
            });
            receive
        };
        Builders {
            threads: (0..threads).map(start).collect(),
            next: 0,
            nanoseconds: nanoseconds.clone(),
        }
    }

    /// The next world.
    ///
    /// # Errors
    /// When it could not be made, or there is none.
    pub fn take(&mut self) -> Result<Built> {
        let thread = &self.threads[self.next % self.threads.len()];
        self.next += 1;
        let received = thread.recv();
        received.unwrap_or_else(|_| Err(Error::Argument("worlds: none is left".to_owned())))
    }

    /// Time spent so far, all threads together.
    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
}

fn build(seed: u64, search: &Search, aspect: f32) -> Result<Built> {
    let source = Source::seeded(seed, search)?;
    let is_reusing = source.world.is_reusing_light;
    let recipe = source.recipe.expect("a seed has a recipe");
    let flattener = Flattener::new(Arc::new(source.world), aspect).map_err(Error::Scene)?;
    Ok(Built {
        flattener,
        recipe,
        is_reusing,
    })
}
