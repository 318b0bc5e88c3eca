//! Where the time of a dataset goes.

use serde::Serialize;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Seconds. Stages run at once, so they do not add up to the whole.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Spent {
    /// Before anything else: the device's pipelines.
    pub prepare: f64,
    /// From the first world to the last shard on disk.
    pub wall: f64,
    /// Drawing worlds, all cores together.
    pub build: f64,
    /// Waiting for a world.
    pub build_wait: f64,
    /// Flattening a frame of every world.
    pub flatten: f64,
    /// Uploading and recording.
    pub submit: f64,
    /// The device's own time.
    pub gpu: f64,
    /// Waiting for the device.
    pub gpu_wait: f64,
    /// From the device's planes to tensors.
    pub readback: f64,
    /// Writing shards.
    pub write: f64,
    /// Waiting for the disk.
    pub write_wait: f64,
}

/// Adds the time that a call takes.
pub fn timed<T>(sum: &mut f64, call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = call();
    *sum += seconds(start.elapsed());
    result
}

/// A duration in seconds.
pub fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

impl Spent {
    /// A table for people.
    pub fn table(&self) -> String {
        let rows = [
            ("prepare the device, before", self.prepare),
            ("build worlds (sum over cores)", self.build),
            ("  waited for them", self.build_wait),
            ("flatten", self.flatten),
            ("upload and record", self.submit),
            ("GPU", self.gpu),
            ("  waited for it", self.gpu_wait),
            ("readback", self.readback),
            ("write shards", self.write),
            ("  waited for them", self.write_wait),
            ("in all", self.wall),
        ];
        let mut text = String::new();
        for (name, seconds) in rows {
            let share = 100.0 * seconds / self.wall.max(1e-9);
            writeln!(text, "{name:<30} {seconds:>9.2} s {share:>5.0} %")
                .expect("a string takes all");
        }
        text
    }
}
