//! The scores of a whole sequence: one row a frame, one row a group of frames.

use crate::image::Picture;
use crate::score;
use serde::Serialize;
use std::collections::BTreeMap;

/// Frames after a start, cut or reset that count in no moving mean: history is still short.
const SETTLING_FRAMES: usize = 3;

/// Where a scored picture comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The reconstruction.
    Reconstructed,
    /// The jittered frame, enlarged.
    Bicubic,
    /// The jittered frame, enlarged at the place of its samples.
    BicubicCorrected,
    /// Mean of the corrected enlargements since the picture stands still.
    Accumulated,
}

impl Method {
    /// Every method, in the order of the columns.
    pub const ALL: [Method; 4] = [
        Method::Reconstructed,
        Method::Bicubic,
        Method::BicubicCorrected,
        Method::Accumulated,
    ];

    /// Name of a column.
    pub fn title(self) -> &'static str {
        match self {
            Method::Reconstructed => "ours",
            Method::Bicubic => "bicubic",
            Method::BicubicCorrected => "corrected",
            Method::Accumulated => "accum.",
        }
    }

    /// Name of the folder that holds its pictures.
    pub fn folder(self) -> &'static str {
        match self {
            Method::Reconstructed => "reconstructed",
            Method::Bicubic => "bicubic",
            Method::BicubicCorrected => "corrected",
            Method::Accumulated => "accumulated",
        }
    }
}

/// How one picture compares with its reference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// PSNR of log1p(8 x) / log 9, in decibels; null in JSON when the pictures are equal.
    pub psnr_db: f64,
    /// Mean radiance over that of the reference, where the reference is below 8 times its mean.
    pub mean_ratio: f64,
    /// Mean absolute change of the error from the frame before.
    pub flicker: Option<f64>,
}

/// What kind of frame it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// In the middle of a movement: motion here and in the frame after, history at least 3 frames old.
    Moving,
    /// Among the last frames, without motion.
    Still,
    /// Neither.
    Other,
}

/// One frame's row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrameRow {
    /// The renderer's frame index.
    pub frame: i64,
    /// What kind of frame.
    pub group: Group,
    /// Whether anything moves.
    pub is_moving: bool,
    /// Whether history began anew.
    pub is_reset: bool,
    /// Score per method; empty without a reference.
    pub scores: BTreeMap<Method, Score>,
    /// PSNR of the reference's halves + 6 dB, where the folder has halves.
    pub ceiling_db: Option<f64>,
}

/// Means over a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupRow {
    /// `all`, `moving` or `still`.
    pub group: &'static str,
    /// Number of scored frames.
    pub frames: usize,
    /// Mean scores per method.
    pub scores: BTreeMap<Method, Score>,
    /// Mean ceiling.
    pub ceiling_db: Option<f64>,
}

/// Which frames the summary calls moving and still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grouping {
    /// First and last position of the moving frames; found from the motion where absent.
    pub moving: Option<(usize, usize)>,
    /// Number of frames at the end.
    pub still: usize,
}

/// Collects the rows of a sequence.
#[derive(Debug)]
pub struct Scorecard {
    exposure: f32,
    rows: Vec<FrameRow>,
    prev_errors: BTreeMap<Method, Vec<[f64; 3]>>,
}

impl Scorecard {
    /// An empty card; colours are multiplied by `exposure` before they are compared.
    pub fn new(exposure: f32) -> Self {
        Scorecard {
            exposure,
            rows: Vec::new(),
            prev_errors: BTreeMap::new(),
        }
    }

    /// Adds a frame.
    pub fn add(
        &mut self,
        frame: i64,
        is_moving: bool,
        is_reset: bool,
        reference: Option<&Picture>,
        pictures: &[(Method, &Picture)],
    ) -> &mut FrameRow {
        let mut scores = BTreeMap::new();
        let mut errors = BTreeMap::new();
        for (method, picture) in pictures {
            let Some(reference) = reference else { break };
            let error = score::log_error(picture, reference, self.exposure);
            let score = Score {
                psnr_db: score::psnr(&error),
                mean_ratio: score::mean_ratio(picture, reference),
                flicker: self
                    .prev_errors
                    .get(method)
                    .map(|prev| score::flicker(&error, prev)),
            };
            scores.insert(*method, score);
            errors.insert(*method, error);
        }
        self.prev_errors = errors;
        self.rows.push(FrameRow {
            frame,
            group: Group::Other,
            is_moving,
            is_reset,
            scores,
            ceiling_db: None,
        });
        self.rows.last_mut().expect("a row was just added")
    }

    /// Sorts the frames into groups and takes the means.
    pub fn finish(mut self, grouping: Grouping) -> Summary {
        mark_groups(&mut self.rows, grouping);
        let of = |group| self.rows.iter().filter(move |row| row.group == group);
        let groups = [
            mean("all", self.rows.iter()),
            mean("moving", of(Group::Moving)),
            mean("still", of(Group::Still)),
        ];
        Summary {
            groups: groups.into_iter().flatten().collect(),
            still_drop_db: still_drop(&self.rows),
            frames: self.rows,
        }
    }
}

/// Every row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// One row a frame.
    pub frames: Vec<FrameRow>,
    /// One row a group that has frames.
    pub groups: Vec<GroupRow>,
    /// How far a frame of the final still fell below the best one before it, in decibels, at most.
    pub still_drop_db: Option<f64>,
}

fn mark_groups(rows: &mut [FrameRow], grouping: Grouping) {
    let moving: Vec<bool> = rows.iter().map(|row| row.is_moving).collect();
    let first_still = rows.len().saturating_sub(grouping.still);
    let mut age = 0;
    for (at, row) in rows.iter_mut().enumerate() {
        age = if row.is_reset { 0 } else { age + 1 };
        let is_amid = match grouping.moving {
            Some((first, last)) => (first..=last).contains(&at),
            None => {
                let goes_on = moving.get(at + 1).copied().unwrap_or(true);
                row.is_moving && goes_on && age >= SETTLING_FRAMES
            }
        };
        row.group = match (is_amid, at >= first_still && !row.is_moving) {
            (true, _) => Group::Moving,
            (false, true) => Group::Still,
            _ => Group::Other,
        };
    }
}

fn mean<'a>(group: &'static str, rows: impl Iterator<Item = &'a FrameRow>) -> Option<GroupRow> {
    let rows: Vec<&FrameRow> = rows.filter(|row| !row.scores.is_empty()).collect();
    let scores: BTreeMap<Method, Score> = Method::ALL
        .into_iter()
        .filter_map(|method| {
            let list: Vec<&Score> = rows.iter().filter_map(|r| r.scores.get(&method)).collect();
            let score = Score {
                psnr_db: average(list.iter().map(|s| s.psnr_db))?,
                mean_ratio: average(list.iter().map(|s| s.mean_ratio))?,
                flicker: average(list.iter().filter_map(|s| s.flicker)),
            };
            Some((method, score))
        })
        .collect();
    let ceiling_db = average(rows.iter().filter_map(|row| row.ceiling_db));
    (!rows.is_empty()).then_some(GroupRow {
        group,
        frames: rows.len(),
        scores,
        ceiling_db,
    })
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(n, sum), v| (n + 1, sum + v));
    (count > 0).then(|| sum / f64::from(count))
}

fn still_drop(rows: &[FrameRow]) -> Option<f64> {
    let still = rows.iter().rev().take_while(|row| !row.is_moving);
    let mut list: Vec<f64> = Vec::new();
    for row in still {
        list.extend(row.scores.get(&Method::Reconstructed).map(|s| s.psnr_db));
        if row.is_reset {
            break;
        }
    }
    list.reverse();
    let mut best = *list.first()?;
    let mut drop: f64 = 0.0;
    for &psnr in &list {
        // Two equal pictures are infinitely good: no drop among themselves.
        if psnr < best {
            drop = drop.max(best - psnr);
        }
        best = best.max(psnr);
    }
    Some(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reconstruction_core::Size;

    fn card(motion: &[bool], values: &[f32]) -> Scorecard {
        let gray = |v: f32| Picture::filled(Size::new(2, 2), [v, v, v, 1.0]);
        let mut card = Scorecard::new(1.0);
        for (at, (&is_moving, &value)) in motion.iter().zip(values).enumerate() {
            let (ours, reference) = (gray(value), gray(1.0));
            let pictures = [(Method::Reconstructed, &ours)];
            card.add(at as i64, is_moving, at == 0, Some(&reference), &pictures);
        }
        card
    }

    const AUTO: Grouping = Grouping {
        moving: None,
        still: 2,
    };

    #[test]
    fn groups_follow_the_motion() {
        let mut motion = [true; 12];
        motion[0] = false;
        motion[8..].fill(false);
        let summary = card(&motion, &[0.5; 12]).finish(AUTO);
        let of = |group| -> Vec<i64> {
            let rows = summary.frames.iter().filter(|row| row.group == group);
            rows.map(|row| row.frame).collect()
        };
        // 7 is the last step before the stand: the camera slows down there.
        assert_eq!(of(Group::Moving), [3, 4, 5, 6]);
        assert_eq!(of(Group::Still), [10, 11]);
        let named: Vec<_> = summary.groups.iter().map(|g| (g.group, g.frames)).collect();
        assert_eq!(named, [("all", 12), ("moving", 4), ("still", 2)]);
    }

    #[test]
    fn a_moving_end_has_no_still_group() {
        let summary = card(&[true; 6], &[0.5; 6]).finish(AUTO);
        let named: Vec<_> = summary.groups.iter().map(|g| (g.group, g.frames)).collect();
        assert_eq!(named, [("all", 6), ("moving", 3)]);
        assert_eq!(summary.still_drop_db, None);
    }

    #[test]
    fn the_drop_is_against_the_best_so_far() {
        // log1p(8 * 0.125) / log 9 = log 2 / log 9 = 0.3155; error 0.6845 -> 3.293 dB.
        // 0.5: log 5 / log 9 = 0.7325; error 0.2675 -> 11.454 dB.
        let summary = card(&[false; 4], &[0.125, 0.5, 0.125, 0.5]).finish(AUTO);
        let drop = summary.still_drop_db.unwrap();
        assert!((drop - (11.454 - 3.293)).abs() < 2e-3, "{drop}");
        let first = summary.frames[0].scores[&Method::Reconstructed];
        assert!((first.psnr_db - 3.293).abs() < 1e-3 && first.flicker.is_none());
        let second = summary.frames[1].scores[&Method::Reconstructed];
        assert!((second.flicker.unwrap() - (0.6845 - 0.2675)).abs() < 1e-4);
        assert_eq!(second.mean_ratio, 0.5);
    }
}
