//! Pictures as waves of paths: bands of rows with some of their samples, as many at once as there is room for.

use super::request::Request;
use reconstruction_core::Size;
use reconstruction_host::DeviceInfo;
use std::ops::Range;

/// Bytes of a path in the paths' buffer.
pub(crate) const PATH_BYTES: u64 = 16 * 19;
/// Paths of a wave on a GPU: far more than run at once, so that kernels are seldom waited for.
const PATHS_ON_GPUS: u32 = 1 << 21;
/// Paths of a wave on a processor; 32 samples of the widest row.
const PATHS_ON_CPUS: u32 = 1 << 18;
/// Most samples of a wave: workgroups of all samples lie along one side of a dispatch, of at most 65535.
const MOST_SAMPLES: u32 = 1 << 15;

/// Rows and samples of one picture in one wave.
pub(crate) struct Round {
    pub view: usize,
    pub request: usize,
    pub size: Size,
    /// Index among the rounds of its picture, which run in this order.
    number: u32,
    pub rows: Range<u32>,
    pub samples: Range<u32>,
    /// It has the first samples of its rows.
    pub is_first: bool,
    /// It has the last samples of its rows.
    pub is_last: bool,
    pub path_first: u32,
}

/// Rounds of one shape that run at once.
pub(crate) struct Wave {
    pub rounds: Range<usize>,
    pub paths: u32,
}

/// Paths of a wave that suit a device.
pub(crate) fn suggest_paths(info: &DeviceInfo) -> u32 {
    let most = match info.kind {
        "software" => PATHS_ON_CPUS,
        _ => PATHS_ON_GPUS,
    };
    let fitting = u64::from(info.limits.max_storage_buffer_range) / PATH_BYTES;
    fitting.min(most.into()) as u32
}

/// Samples of a pixel that one wave has room for: at least one row takes part.
pub(crate) fn samples_at_once(size: Size, wave_paths: u32) -> u32 {
    (wave_paths / size.width).clamp(1, MOST_SAMPLES)
}

/// The rounds of a picture: bands of rows with all their samples where there is room, otherwise with a part of them.
pub(crate) fn rounds(view: usize, request: usize, asked: &Request, wave_paths: u32) -> Vec<Round> {
    let size = asked.size;
    let samples = asked.samples.min(samples_at_once(size, wave_paths));
    let most_rows = (65535 / samples * 8).min(size.height);
    let rows = (wave_paths / size.width / samples).clamp(1, most_rows);
    let mut rounds = Vec::new();
    for first_row in (0..size.height).step_by(rows as usize) {
        for first in (0..asked.samples).step_by(samples as usize) {
            let end = asked.samples.min(first + samples);
            rounds.push(Round {
                view,
                request,
                size,
                number: rounds.len() as u32,
                rows: first_row..size.height.min(first_row + rows),
                samples: first..end,
                is_first: first == 0,
                is_last: end == asked.samples,
                path_first: 0,
            });
        }
    }
    rounds
}

impl Round {
    fn paths(&self) -> u32 {
        self.size.width * self.rows.len() as u32 * self.samples.len() as u32
    }

    /// Rounds that one dispatch can run have the same.
    fn shape(&self) -> (u32, u32, u32, usize, usize) {
        let Size { width, height } = self.size;
        let (rows, samples) = (self.rows.len(), self.samples.len());
        (self.number, width, height, rows, samples)
    }
}

/// Sorts rounds into waves of one shape and gives them their paths.
pub(crate) fn gather(rounds: &mut [Round], wave_paths: u32) -> Vec<Wave> {
    rounds.sort_by_key(Round::shape);
    let mut waves: Vec<Wave> = Vec::new();
    for i in 0..rounds.len() {
        let paths = rounds[i].paths();
        let shape = rounds[i].shape();
        let (first, end) = match waves.last_mut() {
            Some(wave)
                if rounds[wave.rounds.start].shape() == shape
                    && wave.paths + paths <= wave_paths =>
            {
                let first = wave.paths;
                wave.paths += paths;
                wave.rounds.end = i + 1;
                (first, None)
            }
            _ => (0, Some(i + 1)),
        };
        rounds[i].path_first = first;
        if let Some(end) = end {
            waves.push(Wave {
                rounds: i..end,
                paths,
            });
        }
    }
    waves
}
